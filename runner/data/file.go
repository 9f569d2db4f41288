package data

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// inMemory is the size in bytes up to which a file is read whole; a larger one is mapped where the system
// can. Cutting a mapped file short under a live mapping kills the program (SIGBUS), which reading does not
// risk; the named datasets are all below it.
const inMemory = 256 << 20

// openPresent opens a file of a dataset. A *MissingError with the remedy says that it is not there.
func openPresent(dataset, path, remedy string) (*os.File, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &MissingError{dataset, path, remedy}
	}
	return f, err
}

// contents gives the bytes of a file, and a function that releases them or nil.
func contents(path string, inMemory int64) ([]byte, func() error, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, nil, err
	case !info.Mode().IsRegular():
		return nil, nil, fmt.Errorf("%s is not a regular file", path)
	case info.Size() > inMemory:
		return mapFile(f, info.Size())
	}
	return readWhole(f, info.Size())
}

// readWhole reads a file of the given size.
func readWhole(f *os.File, size int64) ([]byte, func() error, error) {
	b := make([]byte, size)
	if _, err := io.ReadFull(f, b); err != nil {
		return nil, nil, fmt.Errorf("%s: changed while it was read: %w", f.Name(), err)
	}
	return b, nil, nil
}

// inflate gives the uncompressed bytes of a gzip stream, at most limit of them.
func inflate(r io.Reader, name string, limit int64) ([]byte, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	b, err := io.ReadAll(io.LimitReader(z, limit+1))
	if err != nil {
		return nil, fmt.Errorf("%s: byte %d of the uncompressed data: %w", name, len(b), err)
	}
	if int64(len(b)) > limit {
		return nil, fmt.Errorf(
			"%s: more than %d bytes uncompressed: unpack it with gunzip, plain files may be larger",
			name, limit)
	}
	return b, nil
}

// exists says whether path is there. Anything but its absence counts as there: opening it will tell more.
func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}
