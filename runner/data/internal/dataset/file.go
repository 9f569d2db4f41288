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

// InMemory is the size in bytes up to which a file is read whole; a larger one is mapped where the
// system can. Cutting a mapped file short under a live mapping faults where it is read (SIGBUS),
// which ends the run that does; a file that was read does not risk that. The named datasets are all
// below it. Tests of large files lower it.
var InMemory int64 = 256 << 20

// OpenPresent opens a file of a dataset. A *MissingError with the remedy says that it is not there.
func OpenPresent(dataset, path, remedy string) (*Input, error) {
	f, err := OpenInput(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &MissingError{dataset, path, remedy}
	}
	return f, err
}

// Input is a file that data are read from: every one is opened by openInput. Reading it ends at the
// size that it had then, so that what it costs is known before.
type Input struct {
	*os.File
	Size int64
	left io.LimitedReader
}

// OpenInput opens a regular file and nothing else: a pipe would be waited for without end, a device
// has none, and who may open a terminal or a disk should not do so by a dataset's name.
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

// Contents gives the bytes of a file, and a function that releases them or nil.
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

// Inflate gives the uncompressed bytes of a gzip stream, at most limit of them.
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

// MaxRecord is the most bytes of one line of a table, or of a cell of many lines: a reader keeps it
// whole.
const MaxRecord = 16 << 20

// Allowance is a reader that gives so many bytes and then an error, until it is given more.
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

// Exists says whether path is there. Anything but its absence counts as there: opening it will tell
// more.
func Exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// Fault is what a goroutine panicked with, for the one that waits for it: mostly that a mapped file
// was cut.
type Fault struct{ Of any }

// Guard calls f, and gives what it panics with or nil.
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
