package sweep

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"drolab/runner/disk"
	"drolab/runner/record"
)

// Examine checks the sweep's own files in a folder, without its runs, for changes since they were
// written. With mend it repairs them and loses nothing: it moves a damaged file to .set-aside, and
// the next start makes the file anew.
func Examine(dir string, mend bool) ([]*record.Finding, error) {
	f := &Folder{Dir: dir}
	if !mend {
		return f.examine(false)
	}
	var list []*record.Finding
	err := f.WithLock(func() (err error) {
		list, err = f.examine(true)
		return err
	})
	return list, err
}

func (f *Folder) examine(mend bool) ([]*record.Finding, error) {
	names, err := f.ownFiles()
	if err != nil {
		return nil, err
	}
	there, damage := Open(f.Dir)
	if there != nil {
		f.files = there.files
	}
	list, err := record.ExamineFiles(f.Dir, names, mend, func(name string) (what, remedy string) {
		if name == fileName {
			return f.textFault(there, mend)
		}
		return f.fault(name, damage)
	})
	for _, found := range list {
		if found.File == fileName && found.Mended && there != nil {
			err = errors.Join(err, f.files.WriteText(filepath.Join(f.Dir, fileName),
				there.List.File))
		}
	}
	return list, err
}

// ownFiles returns the names of the sweep's own files, relative to its folder.
func (f *Folder) ownFiles() (names []string, err error) {
	names = []string{listName, fileName}
	err = fs.WalkDir(os.DirFS(f.Dir), ownName, func(name string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			names = append(names, filepath.FromSlash(name))
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return names, err
}

// isSealed reports whether the file is one that a program writes and reads again.
func isSealed(base string) bool {
	return base == listName || base == hereName || refersToList(base) ||
		strings.HasPrefix(base, limitsPrefix) || strings.HasPrefix(base, refusedPrefix)
}

// refersToList reports whether the file refers to runs by their places in the list.
func refersToList(base string) bool {
	return base == jobsName || strings.HasPrefix(base, rungPrefix)
}

// fault says what is wrong with one of the sweep's own files, and the remedy; damage is the error
// of the list.
func (f *Folder) fault(name string, damage error) (what, remedy string) {
	base := filepath.Base(name)
	if !isSealed(base) {
		return "", ""
	}
	var content any
	path := filepath.Join(f.Dir, name)
	err := f.files.Read(path, &content)
	switch {
	case base == listName && damage != nil:
		err, remedy = damage, "restore it from a copy; --mend moves it and the files that "+
			"depend on it to .set-aside, and drolab sweep start makes it again: the runs stay"
	case err == nil && damage != nil && refersToList(base):
		return "goes by " + listName + ", which is damaged", "--mend moves both to .set-aside"
	case err == nil, errors.Is(err, fs.ErrNotExist):
		return "", ""
	default:
		remedy = "restore it from a copy; --mend moves it to .set-aside, and drolab sweep " +
			"start makes it again"
	}
	if errors.Is(err, disk.ErrSum) {
		err = disk.ErrSum
	}
	return strings.TrimPrefix(err.Error(), path+": "), remedy
}

// textFault checks the copy of the sweep file. Unless the caller is alone in the folder, a start
// may be writing the copy: it has the lock then, or has written the list before the copy.
func (f *Folder) textFault(there *Folder, alone bool) (what, remedy string) {
	if there == nil || f.asListed(there) {
		return "", ""
	}
	if !alone {
		busy := disk.Held(f.ownPath(lockName))
		now, err := Open(f.Dir)
		if busy || err != nil || f.asListed(now) {
			return "", ""
		}
		if then, err := Open(f.Dir); err != nil || !then.List.equal(now.List) {
			return "", ""
		}
	}
	return "differs from the file that the sweep was started with and that it follows",
		"for another sweep, start it in another folder (drolab sweep start FILE --dir DIR); " +
			"--mend moves it to .set-aside and puts the first one back"
}

func (f *Folder) asListed(there *Folder) bool {
	text, err := f.files.Text(filepath.Join(f.Dir, fileName))
	return err == nil && bytes.Equal(text, there.List.File)
}
