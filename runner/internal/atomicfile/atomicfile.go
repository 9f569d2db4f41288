// Package atomicfile writes files so that a name always stands for a complete file: it writes
// under another name, syncs, and renames. Code that makes a folder in this way uses Prefix
// and Sync.
//
// Each writer uses a temporary name of its own. Of several writers of one file, the last
// one's text stays, complete. Code that reads a file, changes it and writes it back needs a
// lock, too, which is its caller's responsibility.
package atomicfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"slices"
)

// Prefix begins the names of files and folders that are not complete yet. A crash may leave them.
const Prefix = ".new-"

// File is an open file, such as an *os.File.
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

// Disk is an open folder, as the system has it. A test's Disk fails, or ends the process, at any of
// these operations.
type Disk interface {
	Folder(name string) (Disk, error)
	OpenFile(name string, flag int, mode fs.FileMode) (File, error)
	Mkdir(name string, mode fs.FileMode) error
	Lstat(name string) (fs.FileInfo, error)
	List() ([]fs.DirEntry, error)
	Link(from, to string) error
	Rename(from, to string) error
	// Exchange gives each of two files or folders the name of the other, so that both names are
	// there at every moment. The error is an errors.ErrUnsupported where the disk cannot do it.
	Exchange(a, b string) error
	Remove(name string) error
	Sync() error // makes renames survive a power cut
	Close() error
}

// Opener opens a folder by its path.
type Opener func(path string) (Disk, error)

// Open is the Opener of the system's disk. No name leads out of the folder.
func Open(path string) (Disk, error) { return asDisk(os.OpenRoot(path)) }

func asDisk(r *os.Root, err error) (Disk, error) {
	if err != nil {
		return nil, err
	}
	return Root{r}, nil
}

// Root is an open folder, none of whose names leads out of it.
type Root struct{ *os.Root }

// OpenFile implements Disk.
func (r Root) OpenFile(name string, flag int, mode fs.FileMode) (File, error) {
	f, err := r.Root.OpenFile(name, flag, mode)
	if err != nil {
		return nil, err // nil, not a File that holds a nil *os.File
	}
	return f, nil
}

// Folder implements Disk.
func (r Root) Folder(name string) (Disk, error) { return asDisk(r.OpenRoot(name)) }

// List implements Disk. The entries are sorted by name.
func (r Root) List() ([]fs.DirEntry, error) { return fs.ReadDir(r.FS(), ".") }

// Sync implements Disk. Some systems have no handle of a folder that could be synced: they order
// their own metadata.
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

// WriteIn makes or replaces a file of a folder. The temporary file is always a new one. So nothing
// is written through a leftover, which may be a link that somebody put there, and no writer renames
// the unfinished file of another.
func WriteIn(in Disk, name string, mode fs.FileMode, write func(io.Writer) error) error {
	aside, err := writeAside(in, name, mode, write)
	if err != nil {
		return err
	}
	if err := in.Rename(aside, name); err != nil {
		in.Remove(aside)
		return err
	}
	return in.Sync()
}

// writeAside writes the content of the file name under a temporary name that no other writer has.
func writeAside(
	in Disk, name string, mode fs.FileMode, write func(io.Writer) error,
) (aside string, err error) {
	return firstFree(numbered(Prefix+name), func(name string) error {
		return fill(in, name, mode, write)
	})
}

// numbered yields the name, then the name with a number behind it. The number of names is bounded,
// for a folder from which nobody has removed the leftovers of crashes.
func numbered(name string) iter.Seq[string] {
	const most = 1000
	return func(yield func(string) bool) {
		if !yield(name) {
			return
		}
		for n := 1; n < most; n++ {
			if !yield(fmt.Sprintf("%s.%d", name, n)) {
				return
			}
		}
	}
}

// NewIn makes a file under the first of some names that is free, and returns that name. Others may
// do so at the same moment: nothing is replaced.
func NewIn(
	in Disk, names iter.Seq[string], mode fs.FileMode, write func(io.Writer) error,
) (name string, err error) {
	for name = range names {
		break
	}
	aside, err := writeAside(in, name, mode, write)
	if err != nil {
		return "", err
	}
	name, err = firstFree(names, func(name string) error { return giveName(in, aside, name) })
	in.Remove(aside) // after a rename it is gone already; a leftover costs only space
	if err != nil {
		return "", err
	}
	return name, in.Sync()
}

// firstFree returns the first name with which try succeeds, or fails for another reason than that
// the name is taken.
func firstFree(names iter.Seq[string], try func(name string) error) (name string, err error) {
	err = fs.ErrInvalid // no name
	for name = range names {
		if err = try(name); !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return name, err
}

// giveName gives a file a name that no file has, by a hard link. On file systems without hard links
// it takes two steps, between which somebody may take the name.
func giveName(in Disk, from, to string) error {
	err := in.Link(from, to)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	if _, err := in.Lstat(to); err == nil {
		return fs.ErrExist
	}
	return in.Rename(from, to)
}

// fill writes a new file to the disk, whole or not at all.
func fill(in Disk, name string, mode fs.FileMode, write func(io.Writer) error) error {
	f, err := in.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<16)
	err = write(w)
	if err == nil {
		err = w.Flush()
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		in.Remove(name)
	}
	return err
}

// Write is WriteIn for a path.
func Write(path string, write func(io.Writer) error) error {
	return inFolder(filepath.Dir(path), func(in Root) error {
		return WriteIn(in, filepath.Base(path), 0o666, write)
	})
}

// AddIn is NewIn for one name. The error is an fs.ErrExist where the name is taken.
func AddIn(in Disk, name string, mode fs.FileMode, write func(io.Writer) error) error {
	_, err := NewIn(in, slices.Values([]string{name}), mode, write)
	return err
}

// Add is AddIn for a path.
func Add(path string, mode fs.FileMode, write func(io.Writer) error) error {
	return inFolder(filepath.Dir(path), func(in Root) error {
		return AddIn(in, filepath.Base(path), mode, write)
	})
}

// Copying returns a function that writes all of from, once.
func Copying(from io.Reader) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.Copy(w, from)
		return err
	}
}

// Sync is Root.Sync for a path.
func Sync(folder string) error { return inFolder(folder, Root.Sync) }

func inFolder(folder string, do func(Root) error) error {
	r, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	return errors.Join(do(Root{r}), r.Close())
}
