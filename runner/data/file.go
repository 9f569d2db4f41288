package data

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime/debug"
	"syscall"
)

// inMemory is the size in bytes up to which a file is read whole; a larger one is mapped where the system
// can. Cutting a mapped file short under a live mapping faults where it is read (SIGBUS), which ends the run
// that does; a file that was read does not risk that. The named datasets are all below it.
const inMemory = 256 << 20

// openPresent opens a file of a dataset. A *MissingError with the remedy says that it is not there.
func openPresent(dataset, path, remedy string) (*input, error) {
	f, err := openInput(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &MissingError{dataset, path, remedy}
	}
	return f, err
}

// input is a file that data are read from: every one is opened by openInput. Reading it ends at the size
// that it had then, so that what it costs is known before.
type input struct {
	*os.File
	size int64
	left io.LimitedReader
}

// openInput opens a regular file and nothing else: a pipe would be waited for without end, a device has
// none, and who may open a terminal or a disk should not do so by a dataset's name.
func openInput(path string) (*input, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe without a writer opens at once so
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
	return &input{f, info.Size(), io.LimitedReader{R: f, N: info.Size()}}, nil
}

// Read implements io.Reader.
func (f *input) Read(p []byte) (int, error) { return f.left.Read(p) }

// contents gives the bytes of a file, and a function that releases them or nil.
func contents(path string, inMemory int64) ([]byte, func() error, error) {
	f, err := openInput(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	if f.size > inMemory {
		return mapFile(f)
	}
	return readWhole(f)
}

// readWhole reads all of a file.
func readWhole(f *input) ([]byte, func() error, error) {
	b := make([]byte, f.size)
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

// maxRecord is the most bytes of one line of a table, or of a cell of many lines: a reader keeps it whole.
const maxRecord = 16 << 20

// allowance is a reader that gives so many bytes and then an error, until it is given more.
type allowance struct {
	io.Reader
	left int
}

func (a *allowance) Read(p []byte) (int, error) {
	if a.left <= 0 {
		return 0, fmt.Errorf("a line of more than %d bytes", maxRecord)
	}
	n, err := a.Reader.Read(p[:min(len(p), a.left)])
	a.left -= n
	return n, err
}

// exists says whether path is there. Anything but its absence counts as there: opening it will tell more.
func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// fault is what a goroutine panicked with, for the one that waits for it: mostly that a mapped file was cut.
type fault struct{ of any }

// guard calls f, and gives what it panics with or nil.
func guard(f func()) (caught *fault) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			caught = &fault{p}
		}
	}()
	f()
	return nil
}
