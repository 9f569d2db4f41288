package disk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"drolab/runner/internal/aside"
)

// File is what is open of a folder: an *os.File, or a test's that fails.
type File = aside.File

// Disk is one folder as the system has it: everything that a writer does to
// files is one of these, or of a file's.
type Disk = aside.Disk

// Opener opens a folder by its path.
type Opener = aside.Opener

var OpenDisk Opener = aside.Open // the system's

// Folder is an open directory of a run, or of runs. Its files are opened by name
// in it, whatever becomes of its path, and only where the name is a regular file:
// a directory that comes from elsewhere may hold links, which a writer would
// follow to a file of somebody else, pipes, which wait forever, and devices.
type Folder struct {
	Disk
	Path string // for people
	Who  Holder
}

func OpenFolder(open Opener, path string) (*Folder, error) {
	if open == nil {
		open = OpenDisk
	}
	d, err := open(path)
	if err != nil {
		return nil, err
	}
	return &Folder{Disk: d, Path: path}, nil
}

// Modes of what is made. Another user has no business in a run: a lock that he
// can read he can hold.
const (
	FolderMode = 0o700
	FileMode   = 0o644 // in folders that only their owner enters, unless he opens them
	lockMode   = 0o600
)

// errNotPlain reads as a part of a sentence.
var errNotPlain = errors.New("want a regular file, not a link or a device: " +
	"drolab doctor --mend moves it aside")

// Within opens a directory in f that is no link.
func (f *Folder) Within(name string) (*Folder, error) {
	info, err := f.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s: want a folder of its own, not a link or a file", f.Join(name))
	}
	d, err := f.Folder(name)
	if err != nil {
		return nil, err
	}
	return &Folder{d, f.Join(name), f.Who}, nil
}

// Join names a file for people.
func (f *Folder) Join(name string) string { return f.Path + string(os.PathSeparator) + name }

// Open opens a regular file. What is made with os.O_CREATE is new, or was a
// regular file without another name: a hard link is one more way to somebody
// else's file.
//
// Who writes a file replaces it, maybe between the look and the opening: then it is
// looked at again.
func (f *Folder) Open(name string, flags int, mode fs.FileMode) (o File, err error) {
	const tries = 100
	for range tries {
		if o, err = f.openOnce(name, flags, mode); !errors.Is(err, errReplaced) {
			break
		}
	}
	return o, err
}

var errReplaced = errors.New("was replaced at this moment: try again")

func (f *Folder) openOnce(name string, flags int, mode fs.FileMode) (File, error) {
	before, err := f.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && flags&os.O_CREATE != 0:
		made, err := f.OpenFile(name, flags|os.O_EXCL, mode)
		if !errors.Is(err, fs.ErrExist) {
			return made, err
		}
		if before, err = f.Lstat(name); err != nil { // somebody was faster
			return nil, err
		}
	case err != nil:
		return nil, err
	}
	if !before.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: %w", f.Join(name), errNotPlain)
	}
	if flags&(os.O_WRONLY|os.O_RDWR) != 0 && Linked(before) {
		return nil, fmt.Errorf("%s: has another name elsewhere (a hard link), which would change "+
			"with it: drolab doctor --mend gives the run a copy", f.Join(name))
	}
	return f.Same(name, flags&^os.O_CREATE, before)
}

// Same opens the file that was looked at: it may have been replaced since.
func (f *Folder) Same(name string, flags int, before fs.FileInfo) (File, error) {
	o, err := f.OpenFile(name, flags|openPlain, 0)
	if err != nil {
		return nil, err
	}
	now, err := o.Stat()
	if err == nil && !os.SameFile(before, now) {
		err = fmt.Errorf("%s: %w", f.Join(name), errReplaced)
	}
	if err != nil {
		o.Close()
		return nil, err
	}
	return o, nil
}

// Read opens a file for reading.
func (f *Folder) Read(name string) (o File, size int64, err error) {
	if o, err = f.Open(name, os.O_RDONLY, 0); err != nil {
		return nil, 0, err
	}
	info, err := o.Stat()
	if err != nil {
		o.Close()
		return nil, 0, err
	}
	return o, info.Size(), nil
}

// Write makes or replaces a file, which is whole at every moment.
func (f *Folder) Write(name string, write func(io.Writer) error) error {
	if err := aside.WriteIn(f, name, FileMode, write); err != nil {
		return fmt.Errorf("writing %s: %w", f.Join(name), Explain(err))
	}
	return nil
}

// RemoveAll removes a file, or a folder with all that is in it. A link in it
// goes, and not what it leads to.
func (f *Folder) RemoveAll(name string) error {
	info, err := f.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return f.Remove(name)
	}
	// Somebody who opened the folder while it had another name may try its lock,
	// which makes the file, and see only then that he is late.
	const tries = 20
	for range tries {
		if err = f.empty(name); err == nil {
			err = f.Remove(name)
		}
		if !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return err
}

func (f *Folder) empty(name string) error {
	in, err := f.Within(name)
	if err != nil {
		return err
	}
	defer in.Close()
	entries, err := in.List()
	for _, e := range entries {
		err = errors.Join(err, in.RemoveAll(e.Name()))
	}
	return err
}

// OpenRegular is folder.read of a path.
func OpenRegular(path string) (o File, size int64, err error) {
	f, err := OpenFolder(nil, filepath.Dir(path))
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	return f.Read(filepath.Base(path))
}
