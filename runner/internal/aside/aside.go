// Package aside writes files so that a name never stands for less than the
// whole: under another name first, then to the disk, then renamed. Whoever makes
// a folder in that way uses its Prefix and Sync.
//
// It is for files that have one writer; what else is to be known of them is
// their owners' business.
package aside

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// Prefix begins the name of what is not whole yet. A crash may leave it.
const Prefix = ".new-"

// File is an open file, as an *os.File.
type File interface {
	io.ReadWriteCloser
	io.ReaderAt
	io.WriterAt
	Fd() uintptr
	Name() string
	Stat() (fs.FileInfo, error)
	Chmod(mode fs.FileMode) error
	Sync() error
	Truncate(size int64) error
}

// Folder is where a file is written.
type Folder interface {
	OpenFile(name string, flag int, mode fs.FileMode) (File, error)
	Rename(from, to string) error
	Remove(name string) error
	Sync() error // makes renames survive a power cut
}

// Root is an open folder, none of whose names leads out of it.
type Root struct{ *os.Root }

// OpenFile implements Folder.
func (r Root) OpenFile(name string, flag int, mode fs.FileMode) (File, error) {
	f, err := r.Root.OpenFile(name, flag, mode)
	if err != nil {
		return nil, err // not a File that holds nil
	}
	return f, nil
}

// Sync implements Folder. Some systems have no handle of a folder that could be
// flushed: they order their own metadata.
func (r Root) Sync() error {
	switch runtime.GOOS {
	case "windows", "plan9", "js", "wasip1":
		return nil
	}
	d, err := r.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// WriteIn makes or replaces a file of a folder. A leftover aside is removed
// first, and never written through: it may be a link that somebody put there.
func WriteIn(in Folder, name string, mode fs.FileMode, write func(io.Writer) error) error {
	aside := Prefix + name
	if err := in.Remove(aside); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := in.OpenFile(aside, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<18)
	err = write(w)
	if err == nil {
		err = w.Flush()
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = in.Rename(aside, name)
	}
	if err != nil {
		in.Remove(aside)
		return err
	}
	return in.Sync()
}

// Write is WriteIn of a path.
func Write(path string, write func(io.Writer) error) error {
	r, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer r.Close()
	return WriteIn(Root{r}, filepath.Base(path), 0o666, write)
}

// Sync is Root.Sync of a path.
func Sync(folder string) error {
	r, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	return errors.Join(Root{r}.Sync(), r.Close())
}
