package disk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"drolab/runner/internal/atomicfile"
)

// Folder is an open directory of a run, or of runs. Its files are opened by their names in it,
// whatever becomes of its path, and only where the name is a regular file. A directory that comes
// from elsewhere may hold links, which would lead a writer to somebody else's file, pipes, which
// wait forever, and devices.
type Folder struct {
	atomicfile.Disk
	Path  string // for messages
	Who   Holder
	Owner // of the sealed files; the zero Owner is not checked
}

// OpenFolder opens a folder by its path. Where it is part of a mirror, every change is refused.
func OpenFolder(open atomicfile.Opener, path string) (*Folder, error) {
	f, err := OpenMirror(open, path)
	if err != nil {
		return nil, err
	}
	f.Disk = guard(f.Disk, path)
	return f, nil
}

// Modes of new folders and files. Another user has no business in a run: whoever can read a lock
// can hold it.
const (
	FolderMode = 0o700
	FileMode   = 0o644 // their folders admit only the owner, unless he opens them
	lockMode   = 0o600
)

// errNotPlain is worded as part of a sentence.
var errNotPlain = errors.New("expected a regular file, not a link or a device: " +
	"drolab doctor --mend moves it aside")

// Within opens a directory in f. A link is an error.
func (f *Folder) Within(name string) (*Folder, error) {
	info, err := f.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s: expected a folder of its own, not a link or a file",
			f.Join(name))
	}
	d, err := f.Folder(name)
	if err != nil {
		return nil, err
	}
	return &Folder{d, f.Join(name), f.Who, f.Owner}, nil
}

// Join returns the path of a file in f, for messages.
func (f *Folder) Join(name string) string { return f.Path + string(os.PathSeparator) + name }

// Open opens a regular file. With os.O_CREATE, it makes the file where there is none. A file that
// is opened for writing must have one name only: a hard link is one more way to somebody else's
// file.
//
// A writer may replace the file between the check and the opening: then Open tries again.
func (f *Folder) Open(name string, flags int, mode fs.FileMode) (o atomicfile.File, err error) {
	const tries = 100
	for range tries {
		if o, err = f.openOnce(name, flags, mode); !errors.Is(err, errReplaced) {
			break
		}
	}
	return o, err
}

var errReplaced = errors.New("was replaced at this moment: try again")

func (f *Folder) openOnce(name string, flags int, mode fs.FileMode) (atomicfile.File, error) {
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

// Same opens the file that before describes. It is an error where the file was replaced since.
func (f *Folder) Same(name string, flags int, before fs.FileInfo) (atomicfile.File, error) {
	o, err := f.OpenFile(name, flags|regularFlags, 0)
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

// Read opens a file for reading, and returns its size in bytes.
func (f *Folder) Read(name string) (o atomicfile.File, size int64, err error) {
	return f.OpenSized(name, os.O_RDONLY, 0)
}

// OpenSized is Open, and returns the file's size in bytes.
func (f *Folder) OpenSized(
	name string, flags int, mode fs.FileMode,
) (o atomicfile.File, size int64, err error) {
	if o, err = f.Open(name, flags, mode); err != nil {
		return nil, 0, err
	}
	info, err := o.Stat()
	if err != nil {
		o.Close()
		return nil, 0, err
	}
	return o, info.Size(), nil
}

// Write makes or replaces a file, which is complete at every moment.
func (f *Folder) Write(name string, write func(io.Writer) error) error {
	if err := atomicfile.WriteIn(f, name, FileMode, write); err != nil {
		return fmt.Errorf("writing %s: %w", f.Join(name), Explain(err, f.Path))
	}
	return nil
}

// RemoveAll removes a file, or a folder with its contents. It removes a link, but not its target.
func (f *Folder) RemoveAll(name string) error {
	info, err := f.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.IsDir():
		return f.Remove(name)
	}
	// A process that opened the folder under an earlier name may try its lock, which makes the
	// file, and only then see that it is late.
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

// OpenRegular is Folder.Read for a path.
func OpenRegular(path string) (o atomicfile.File, size int64, err error) {
	err = InFolderOf(nil, path, func(in *Folder, name string) error {
		o, size, err = in.Read(name)
		return err
	})
	return o, size, err
}

// InFolderOf calls do with the open folder that holds path, and the name in it.
func InFolderOf(open atomicfile.Opener, path string, do func(in *Folder, name string) error) error {
	in, err := OpenFolder(open, filepath.Dir(path))
	if err != nil {
		return err
	}
	defer in.Close()
	return do(in, filepath.Base(path))
}

// OwnFolder returns an error unless a folder belongs to this user alone: nobody else can then have
// put a file there.
func OwnFolder(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if !info.IsDir() || Foreign(info) || info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("%s: expected a folder of yours that nobody else may enter (chmod 700)",
			path)
	}
	return nil
}

// MakeOwnFolder makes a folder for this user alone, or checks that an existing one is. Another user
// could have made it in /tmp before.
func MakeOwnFolder(path string) error {
	if err := os.Mkdir(path, FolderMode); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return OwnFolder(path)
}
