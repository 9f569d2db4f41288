package table

import (
	"archive/zip"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"drolab/runner/data"
	"drolab/runner/lists"
)

// packings are the endings of compressed text files.
var packings = []string{".gz", ".bz2", ".zst", ".zip", ".xz"}

// packedAs returns the endings of files, plain and compressed.
func packedAs(endings ...string) (list []string) {
	for _, e := range endings {
		list = append(list, e)
		for _, p := range packings {
			list = append(list, e+p)
		}
	}
	return list
}

// withoutPacking returns a path without the ending of a compressed file.
func withoutPacking(path string) string {
	if e := filepath.Ext(path); slices.Contains(packings, e) {
		return strings.TrimSuffix(path, e)
	}
	return path
}

// unpacked returns the text of a file that may be compressed, as its ending says.
func unpacked(path string, r io.Reader) (text io.Reader, done func(), err error) {
	done = func() {}
	switch filepath.Ext(path) {
	case ".gz":
		text, err = gzip.NewReader(r)
	case ".bz2":
		text = bzip2.NewReader(r)
	case ".zst":
		var z *zstd.Decoder
		most := zstd.WithDecoderMaxWindow(1 << 27) // as the command zstd has
		z, err = zstd.NewReader(r, zstd.WithDecoderConcurrency(1), most)
		if err == nil {
			text, done = z, z.Close
		}
	case ".zip":
		text, err = member(r.(*data.Input))
	case ".xz":
		err = errors.New("cannot read .xz: unpack it with xz -d, or compress it as .gz or .zst")
	default:
		text = r
	}
	return text, done, err
}

// member returns the only file of an archive, apart from what macOS adds.
func member(in *data.Input) (io.Reader, error) {
	archive, err := zip.NewReader(in.File, in.Size)
	if err != nil {
		return nil, err
	}
	files := slices.DeleteFunc(archive.File, func(f *zip.File) bool {
		return strings.HasSuffix(f.Name, "/") || strings.HasPrefix(f.Name, "__MACOSX/")
	})
	if len(files) != 1 {
		name := func(f *zip.File) string { return f.Name }
		return nil, fmt.Errorf("the archive has %d files, %s: unpack it and give one of them",
			len(files), data.Quoted(lists.Map(files, name), 5))
	}
	return files[0].Open()
}
