package disk

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"drolab/runner/internal/atomicfile"
)

// MirrorName is the name of the file that marks a mirror: a folder, with all that is in it, whose
// files are copies of another machine's. Only the process that mirrors writes there, through
// OpenMirror: what anybody else wrote would be lost, or would begin a copied run anew.
const MirrorName = "mirror.json"

// MirrorMark is the content of that file.
type MirrorMark struct {
	Box string `json:"box"` // the name of the other machine, as the user calls it
}

// MirrorError is the error of whoever writes into a mirror.
type MirrorError struct{ Path, Box string }

func (e *MirrorError) Error() string {
	if e.Box == "" { // its mark cannot be read
		return fmt.Sprintf("%s mirrors another machine: give --box and its name", e.Path)
	}
	return fmt.Sprintf("%s mirrors box %s: give --box %[2]s", e.Path, e.Box)
}

// OpenMirror is OpenFolder for the process that mirrors, which alone may write there.
func OpenMirror(open atomicfile.Opener, path string) (*Folder, error) {
	if open == nil {
		open = atomicfile.Open
	}
	d, err := open(path)
	if err != nil {
		return nil, err
	}
	return &Folder{Disk: d, Path: path}, nil
}

// MirrorOf returns a *MirrorError where the folder at path, or one above it, is marked as a mirror.
// A mark that cannot be read marks, too.
func MirrorOf(path string) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	for {
		mark := filepath.Join(path, MirrorName)
		if info, err := os.Lstat(mark); err == nil && info.Mode().IsRegular() {
			var m MirrorMark
			if err := (Files{}).Read(mark, &m); err != nil {
				m.Box = ""
			}
			return &MirrorError{Path: path, Box: m.Box}
		}
		above := filepath.Dir(path)
		if above == path {
			return nil
		}
		path = above
	}
}

// guardedDisk is an open folder that refuses every change while it is part of a mirror. It looks
// for the mark once, at the first change.
type guardedDisk struct {
	atomicfile.Disk
	writable func() error
}

// guard returns the open folder d, which is at path, as a guardedDisk.
func guard(d atomicfile.Disk, path string) guardedDisk {
	return guardedDisk{d, sync.OnceValue(func() error { return MirrorOf(path) })}
}

// Folder implements atomicfile.Disk.
func (d guardedDisk) Folder(name string) (atomicfile.Disk, error) {
	in, err := d.Disk.Folder(name)
	if err != nil {
		return nil, err
	}
	return guardedDisk{in, d.writable}, nil
}

// OpenFile implements atomicfile.Disk. A file that is opened for reading is never refused.
func (d guardedDisk) OpenFile(name string, flag int, mode fs.FileMode) (atomicfile.File, error) {
	const changes = os.O_WRONLY | os.O_RDWR | os.O_CREATE | os.O_TRUNC | os.O_APPEND
	if flag&changes != 0 {
		if err := d.writable(); err != nil {
			return nil, err
		}
	}
	return d.Disk.OpenFile(name, flag, mode)
}

// Mkdir implements atomicfile.Disk.
func (d guardedDisk) Mkdir(name string, mode fs.FileMode) error {
	if err := d.writable(); err != nil {
		return err
	}
	return d.Disk.Mkdir(name, mode)
}

// Link implements atomicfile.Disk.
func (d guardedDisk) Link(from, to string) error {
	if err := d.writable(); err != nil {
		return err
	}
	return d.Disk.Link(from, to)
}

// Rename implements atomicfile.Disk.
func (d guardedDisk) Rename(from, to string) error {
	if err := d.writable(); err != nil {
		return err
	}
	return d.Disk.Rename(from, to)
}

// Exchange implements atomicfile.Disk.
func (d guardedDisk) Exchange(a, b string) error {
	if err := d.writable(); err != nil {
		return err
	}
	return d.Disk.Exchange(a, b)
}

// Remove implements atomicfile.Disk.
func (d guardedDisk) Remove(name string) error {
	if err := d.writable(); err != nil {
		return err
	}
	return d.Disk.Remove(name)
}
