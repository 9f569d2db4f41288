package record

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"drolab/runner/internal/aside"
)

// file is what is open of a folder: an *os.File, or a test's that fails.
type file = aside.File

// disk is one folder as the system has it: everything that a writer does to
// files is one of these, or of a file's.
type disk = aside.Disk

// opener opens a folder by its path.
type opener = aside.Opener

var openDisk opener = aside.Open // the system's

// folder is an open directory of a run, or of runs. Its files are opened by name
// in it, whatever becomes of its path, and only where the name is a regular file:
// a directory that comes from elsewhere may hold links, which a writer would
// follow to a file of somebody else, pipes, which wait forever, and devices.
type folder struct {
	disk
	path string // for people
	who  Holder
}

func openFolder(open opener, path string) (*folder, error) {
	if open == nil {
		open = openDisk
	}
	d, err := open(path)
	if err != nil {
		return nil, err
	}
	return &folder{disk: d, path: path}, nil
}

// Modes of what is made. Another user has no business in a run: a lock that he
// can read he can hold.
const (
	folderMode = 0o700
	fileMode   = 0o644 // in folders that only their owner enters, unless he opens them
	lockMode   = 0o600
)

// errNotPlain reads as a part of a sentence.
var errNotPlain = errors.New("want a regular file, not a link or a device: " +
	"drolab doctor --mend moves it aside")

// within opens a directory in f that is no link.
func (f *folder) within(name string) (*folder, error) {
	info, err := f.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s: want a folder of its own, not a link or a file", f.join(name))
	}
	d, err := f.Folder(name)
	if err != nil {
		return nil, err
	}
	return &folder{d, f.join(name), f.who}, nil
}

// join names a file for people.
func (f *folder) join(name string) string { return f.path + string(os.PathSeparator) + name }

// open opens a regular file. What is made with os.O_CREATE is new, or was a
// regular file without another name: a hard link is one more way to somebody
// else's file.
//
// Who writes a file replaces it, maybe between the look and the opening: then it is
// looked at again.
func (f *folder) open(name string, flags int, mode fs.FileMode) (o file, err error) {
	const tries = 100
	for range tries {
		if o, err = f.openOnce(name, flags, mode); !errors.Is(err, errReplaced) {
			break
		}
	}
	return o, err
}

var errReplaced = errors.New("was replaced at this moment: try again")

func (f *folder) openOnce(name string, flags int, mode fs.FileMode) (file, error) {
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
		return nil, fmt.Errorf("%s: %w", f.join(name), errNotPlain)
	}
	if flags&(os.O_WRONLY|os.O_RDWR) != 0 && linked(before) {
		return nil, fmt.Errorf("%s: has another name elsewhere (a hard link), which would change with it: "+
			"drolab doctor --mend gives the run a copy", f.join(name))
	}
	return f.same(name, flags&^os.O_CREATE, before)
}

// same opens the file that was looked at: it may have been replaced since.
func (f *folder) same(name string, flags int, before fs.FileInfo) (file, error) {
	o, err := f.OpenFile(name, flags|openPlain, 0)
	if err != nil {
		return nil, err
	}
	now, err := o.Stat()
	if err == nil && !os.SameFile(before, now) {
		err = fmt.Errorf("%s: %w", f.join(name), errReplaced)
	}
	if err != nil {
		o.Close()
		return nil, err
	}
	return o, nil
}

// read opens a file for reading.
func (f *folder) read(name string) (o file, size int64, err error) {
	if o, err = f.open(name, os.O_RDONLY, 0); err != nil {
		return nil, 0, err
	}
	info, err := o.Stat()
	if err != nil {
		o.Close()
		return nil, 0, err
	}
	return o, info.Size(), nil
}

// write makes or replaces a file, which is whole at every moment.
func (f *folder) write(name string, write func(io.Writer) error) error {
	if err := aside.WriteIn(f, name, fileMode, write); err != nil {
		return fmt.Errorf("writing %s: %w", f.join(name), explain(err))
	}
	return nil
}

// removeAll removes a file, or a folder with all that is in it. A link in it
// goes, and not what it leads to.
func (f *folder) removeAll(name string) error {
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

func (f *folder) empty(name string) error {
	in, err := f.within(name)
	if err != nil {
		return err
	}
	defer in.Close()
	entries, err := in.List()
	for _, e := range entries {
		err = errors.Join(err, in.removeAll(e.Name()))
	}
	return err
}

// openRegular is folder.read of a path.
func openRegular(path string) (o file, size int64, err error) {
	f, err := openFolder(nil, filepath.Dir(path))
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	return f.read(filepath.Base(path))
}
