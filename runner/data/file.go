package data

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// InMemory is the size in bytes up to which a file is read whole; a larger file is mapped where the
// system can. If a mapped file is cut short, reading it faults (SIGBUS), which ends the run that
// reads it; a file that was read whole has no such risk. All named datasets are smaller. Tests of
// large files lower it.
var InMemory int64 = 256 << 20

// OpenOwn opens a file of the user's own. If the file is not there, it returns the error of NoFile,
// and if it is a folder, that of ForeignFolder.
func OpenOwn(dataset, path string) (*Input, error) {
	f, err := OpenInput(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, NoFile(dataset, path)
	}
	if folder := ForeignFolder(path); err != nil && folder != nil {
		return nil, fmt.Errorf("%s %w", path, folder)
	}
	return f, err
}

// OpenPresent opens a file of a dataset. If the file is not there, it returns a *MissingError with
// the remedy.
func OpenPresent(dataset, path, remedy string) (*Input, error) {
	f, err := OpenInput(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &MissingError{dataset, path, remedy}
	}
	return f, err
}

// Input is an open file of data; OpenInput opens every one. Reading ends at the size that the file
// had when it was opened, so that the cost of reading is known in advance.
type Input struct {
	*os.File
	Size int64
	left io.LimitedReader
}

// OpenInput opens a regular file and nothing else. Opening a pipe might wait forever, a device has
// no end, and the name of a dataset should not open a terminal or a disk.
func OpenInput(path string) (*Input, error) {
	// Without blocking, a pipe that has no writer opens at once.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", path)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return &Input{f, info.Size(), io.LimitedReader{R: f, N: info.Size()}}, nil
}

// Read implements io.Reader.
func (f *Input) Read(p []byte) (int, error) { return f.left.Read(p) }

// ReadWhole reads all of a file.
func ReadWhole(f *Input) ([]byte, error) {
	b := make([]byte, f.Size)
	if _, err := io.ReadFull(f, b); err != nil {
		return nil, fmt.Errorf("%s: changed while it was read: %w", f.Name(), err)
	}
	return b, nil
}

// Inflate returns the uncompressed bytes of a gzip stream. More than limit bytes are an error.
func Inflate(r io.Reader, name string, limit int64) ([]byte, error) {
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

// Exists reports whether path is there. Any error but its absence counts as present: opening it
// will tell more.
func Exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// Named refuses a name that JSON would change.
func Named(name string) error {
	if at := invalid(name); at < len(name) {
		return fmt.Errorf("the name %q is not UTF-8 at byte %d: give another", name, at)
	}
	return nil
}
