package data

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"

	"drolab/runner/internal/aside"
)

// cifarChecksum is Dataset.Checksum of the official files.
const cifarChecksum = "sha256:013ba16d14ecc4829da62bf2af648ca30f600491ecb3e7f329c827db0dd17522"

// fetch leaves the dataset unpacked in dir, beside its archive.
func (l cifar) fetch(ctx context.Context, dir string, archive Remote, o FetchOptions) error {
	if train, test, err := l.loadFolder(dir); err == nil && checksum(train, test) == l.checksum {
		if o.Progress != nil {
			o.Progress(archive.Size, archive.Size)
		}
		return nil
	}
	if err := fetchFiles(ctx, dir, []Remote{archive}, o); err != nil {
		return err
	}
	return l.unpack(dir)
}

// unpack writes the files of the archive into the folder of that dataset.
func (l cifar) unpack(dir string) error {
	files, err := l.readArchive(filepath.Join(dir, cifarArchive))
	if err != nil {
		return err
	}
	folder := filepath.Join(dir, cifarFolder)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	for name, b := range files {
		put := func(w io.Writer) error { _, err := w.Write(b); return err }
		if err := aside.Write(filepath.Join(folder, name), put); err != nil {
			return err
		}
	}
	return aside.Sync(dir)
}

// loadArchive reads the dataset out of its archive, into memory.
func (l cifar) loadArchive(dir string) (train, test []byte, err error) {
	files, err := l.readArchive(filepath.Join(dir, cifarArchive))
	if err != nil {
		return nil, nil, err
	}
	for _, name := range l.trainFiles() {
		train = append(train, files[name]...)
	}
	return train, files[l.testFile()], nil
}

func (l cifar) readArchive(path string) (map[string][]byte, error) {
	f, err := openPart(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	files, err := l.readTar(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return files, nil
}

// readTar gives the content of the six data files, checked, by base name. The names it gives are of its own
// list, so that no archive can say where to write; one that tries is refused. Memory is bounded by the six
// sizes.
func (l cifar) readTar(r io.Reader) (map[string][]byte, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, err
	}
	wanted := append(l.trainFiles(), l.testFile())
	files := make(map[string][]byte, len(wanted))
	t := tar.NewReader(io.LimitReader(z, int64(l.fileSize())*12+1<<20))
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if !filepath.IsLocal(h.Name) {
			return nil, fmt.Errorf("holds %q, a path outside the folder: do not use this archive", h.Name)
		}
		folder, name := path.Split(path.Clean(h.Name))
		if folder != cifarFolder+"/" || !slices.Contains(wanted, name) {
			continue
		}
		if h.Typeflag != tar.TypeReg || files[name] != nil {
			return nil, fmt.Errorf("holds %q twice or not as a plain file: do not use this archive", h.Name)
		}
		if files[name], err = l.appendRecords(nil, t, h.Name); err != nil {
			return nil, err
		}
	}
	for _, name := range wanted {
		if files[name] == nil {
			return nil, fmt.Errorf("holds no %s/%s: run `drolab data fetch cifar10`", cifarFolder, name)
		}
	}
	return files, nil
}
