package table

import (
	"archive/zip"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"drolab/runner/data"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

// unpack returns the bytes of a page, exactly as many as its header declares. The codecs of
// parquet-go (v0.32) would make the program 2 MB larger, and the one for LZ4 takes more and more
// memory for a damaged page.
func unpack(codec format.CompressionCodec, raw []byte, size int64) (page []byte, err error) {
	if len(raw) == 0 && size == 0 {
		return nil, nil
	}
	switch codec {
	case format.Uncompressed:
		page = raw
	case format.Lz4Raw:
		var n int
		page = make([]byte, size)
		n, err = lz4.UncompressBlock(raw, page)
		page = page[:max(0, n)]
	case format.Snappy:
		page, err = parquet.Snappy.Decode(make([]byte, size), raw)
	case format.Zstd:
		page, err = zstdDecoder().DecodeAll(raw, make([]byte, 0, size))
	case format.Brotli:
		page, err = readAll(brotli.NewReader(bytes.NewReader(raw)), size)
	case format.Gzip:
		var z *gzip.Reader
		if z, err = gzip.NewReader(bytes.NewReader(raw)); err == nil {
			page, err = readAll(z, size)
		}
	default:
		return nil, fmt.Errorf("it is compressed by %v: save it as it is, or with snappy, zstd or "+
			"gzip", codec)
	}
	if err == nil && int64(len(page)) != size {
		err = errors.New("it has another size")
	}
	return page, err
}

// zstdDecoder may be used by any goroutine.
var zstdDecoder = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil)
	if err != nil {
		panic(err) // it has no option that could be wrong
	}
	return d
})

// readAll reads size bytes, or as many as there are.
func readAll(r io.Reader, size int64) ([]byte, error) {
	page := bytes.NewBuffer(make([]byte, 0, size+bytes.MinRead))
	_, err := page.ReadFrom(r)
	return page.Bytes(), err
}

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
			len(files), data.Quoted(data.Map(files, name), 5))
	}
	return files[0].Open()
}
