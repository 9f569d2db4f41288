package dataset

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

// InMemory is the size in bytes up to which a file is read whole; a larger file is mapped where the
// system can. If a mapped file is cut short, reading it faults (SIGBUS), which ends the run that
// reads it; a file that was read whole has no such risk. All named datasets are smaller. Tests of
// large files lower it.
var InMemory int64 = 256 << 20

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

// Contents returns the bytes of a file, mapped if it is larger than inMemory, and a function that
// releases them, or nil.
func Contents(path string, inMemory int64) ([]byte, func() error, error) {
	f, err := OpenInput(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	if f.Size > inMemory {
		return MapFile(f)
	}
	return ReadWhole(f)
}

// ReadWhole reads all of a file.
func ReadWhole(f *Input) ([]byte, func() error, error) {
	b := make([]byte, f.Size)
	if _, err := io.ReadFull(f, b); err != nil {
		return nil, nil, fmt.Errorf("%s: changed while it was read: %w", f.Name(), err)
	}
	return b, nil, nil
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

// MaxRecord is the maximum length in bytes of one line of a table, or of a cell with many lines,
// since a reader keeps it whole.
const MaxRecord = 16 << 20

// Allowance is a reader that returns an error after Left more bytes, unless Left is raised
// meanwhile.
type Allowance struct {
	io.Reader
	Left int
}

func (a *Allowance) Read(p []byte) (int, error) {
	if a.Left <= 0 {
		return 0, fmt.Errorf("a line of more than %d bytes", MaxRecord)
	}
	n, err := a.Reader.Read(p[:min(len(p), a.Left)])
	a.Left -= n
	return n, err
}

// Exists reports whether path is there. Any error but its absence counts as present: opening it
// will tell more.
func Exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// Fault is the value with which a goroutine panicked, for the goroutine that waits for it. The
// cause is mostly a mapped file that was cut.
type Fault struct{ Of any }

// Guard calls f and returns the Fault if f panics, else nil.
func Guard(f func()) (caught *Fault) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			caught = &Fault{p}
		}
	}()
	f()
	return nil
}
