package picture

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

	"drolab/runner/data"
	"drolab/runner/internal/atomicfile"
)

// CIFARChecksum is Dataset.Checksum of the official files.
const CIFARChecksum = "sha256:013ba16d14ecc4829da62bf2af648ca30f600491ecb3e7f329c827db0dd17522"

// Fetch leaves the dataset unpacked in dir, beside its archive.
func (l CIFAR) Fetch(ctx context.Context, dir string, archive data.Remote,
	o data.FetchOptions) error {
	if train, test, err := l.loadFolder(dir); err == nil && data.Checksum(train,
		test) == l.Checksum {
		if o.Progress != nil {
			o.Progress(archive.Size, archive.Size)
		}
		return nil
	}
	if err := data.FetchFiles(ctx, dir, []data.Remote{archive}, o); err != nil {
		return err
	}
	return l.Unpack(dir)
}

// Unpack writes the files of the archive into the folder of that dataset.
func (l CIFAR) Unpack(dir string) error {
	files, err := l.readArchive(filepath.Join(dir, l.archive))
	if err != nil {
		return err
	}
	folder := filepath.Join(dir, l.folder)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	for name, b := range files {
		put := func(w io.Writer) error { _, err := w.Write(b); return err }
		if err := atomicfile.Write(filepath.Join(folder, name), put); err != nil {
			return err
		}
	}
	return atomicfile.Sync(dir)
}

// loadArchive reads the dataset out of its archive, into memory.
func (l CIFAR) loadArchive(dir string) (train, test []byte, err error) {
	files, err := l.readArchive(filepath.Join(dir, l.archive))
	if err != nil {
		return nil, nil, err
	}
	train = files[l.train[0]]
	for _, name := range l.train[1:] {
		train = append(train, files[name]...)
	}
	return train, files[l.test], nil
}

func (l CIFAR) readArchive(path string) (map[string][]byte, error) {
	f, err := l.openPart(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	files, err := l.ReadTar(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return files, nil
}

// ReadTar returns the contents of the data files, checked, by base name. The names are the
// dataset's own, so that no archive can choose where files are written; an archive that tries is
// refused. ReadTar reads at most about twice as much as the data files hold.
func (l CIFAR) ReadTar(r io.Reader) (map[string][]byte, error) {
	names := l.Files()
	most := int64(2*len(names)*l.most*l.record()) + 1<<20
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, err
	}
	files := make(map[string][]byte, len(names))
	t := tar.NewReader(io.LimitReader(z, most))
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if !filepath.IsLocal(h.Name) {
			return nil, fmt.Errorf(
				"holds %q, a path outside the folder: do not use this archive", h.Name)
		}
		in, name := path.Split(path.Clean(h.Name))
		if in != l.folder+"/" || !slices.Contains(names, name) {
			continue
		}
		if h.Typeflag != tar.TypeReg || files[name] != nil {
			return nil, fmt.Errorf(
				"holds %q twice or not as a plain file: do not use this archive", h.Name)
		}
		if files[name], err = l.AppendRecords(nil, t, h.Size, h.Name); err != nil {
			return nil, err
		}
	}
	for _, name := range names {
		if files[name] == nil {
			return nil, fmt.Errorf("holds no %s/%s: run `drolab data fetch %s`", l.folder, name,
				l.name)
		}
	}
	return files, nil
}
