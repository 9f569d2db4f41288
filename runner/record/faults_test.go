package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// faults is a disk that fails, or at which the process ends, at any of the things
// that a writer does to it. What is done is counted and named, in the order.
type faults struct {
	mu    sync.Mutex
	trace []string

	at     int    // the thing that goes wrong, counted from 1; 0: none
	name   string // or the next of this name
	cause  error
	killed bool // from then on nothing happens any more
	part   int  // a write that is killed leaves part/2 of its bytes
	power  bool // the machine ends: what was not brought to the disk is not there

	dead   bool
	undo   []undo
	synced map[string]int64 // of files that grow: bytes that are on the disk
}

// undo takes back what was done in a folder and is not on the disk yet.
type undo struct {
	folder string
	do     func()
}

// later notes how what was done in a folder is taken back.
func (x *faults) later(folder string, do func()) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.undo = append(x.undo, undo{folder, do})
}

// kept forgets that: the folder was synced.
func (x *faults) kept(folder string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.undo = slices.DeleteFunc(x.undo, func(u undo) bool { return u.folder == folder })
}

// cut takes the power away. The caller holds mu.
func (x *faults) cut() {
	for path, size := range x.synced {
		if info, err := os.Stat(path); err == nil && info.Size() > size {
			os.Truncate(path, size)
		}
	}
	for _, u := range slices.Backward(x.undo) {
		u.do()
	}
}

// errKilled is what a process sees that has ended: nothing, but tests run on.
var (
	errKilled = errors.New("killed")
	errDies   = fmt.Errorf("%w at this moment", errKilled)
)

// fail makes the next thing of that name fail, once.
func (x *faults) fail(name string, cause error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.name, x.cause = name, cause
}

// do counts a thing, and returns why it cannot be done.
func (x *faults) do(what, name string) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.dead {
		return errKilled
	}
	x.trace = append(x.trace, what+" "+name)
	switch {
	case x.name == what+" "+name:
		x.name = ""
		return x.cause
	case x.at == len(x.trace) && x.killed:
		x.dead = true
		if x.power {
			x.cut()
		}
		return errDies
	case x.at == len(x.trace):
		return x.cause
	}
	return nil
}

// entered returns why a folder cannot be opened, which changes nothing on the
// disk and so does not count.
func (x *faults) entered(name string) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.name != "enter "+name {
		return nil
	}
	x.name = ""
	return x.cause
}

func (x *faults) open(path string) (disk, error) {
	d, err := openDisk(path)
	if err != nil {
		return nil, err
	}
	return faultyDisk{d, path, x}, nil
}

type faultyDisk struct {
	disk
	path   string
	faults *faults
}

func (d faultyDisk) Folder(name string) (disk, error) {
	if err := d.faults.entered(name); err != nil {
		return nil, err
	}
	in, err := d.disk.Folder(name)
	if err != nil {
		return nil, err
	}
	return faultyDisk{in, filepath.Join(d.path, name), d.faults}, nil
}

func (d faultyDisk) OpenFile(name string, flag int, mode fs.FileMode) (file, error) {
	if flag&os.O_CREATE != 0 {
		if err := d.faults.do("create", name); err != nil {
			return nil, err
		}
	}
	path := filepath.Join(d.path, name)
	_, missing := os.Lstat(path)
	f, err := d.disk.OpenFile(name, flag, mode)
	if err != nil {
		return nil, err
	}
	if flag&os.O_CREATE != 0 && missing != nil {
		d.faults.later(d.path, func() { os.Remove(path) })
	}
	return faultyFile{f, name, path, d.faults}, nil
}

func (d faultyDisk) Mkdir(name string, mode fs.FileMode) error {
	if err := d.faults.do("mkdir", name); err != nil {
		return err
	}
	return d.disk.Mkdir(name, mode)
}

func (d faultyDisk) Rename(from, to string) error {
	if err := d.faults.do("rename", to); err != nil {
		return err
	}
	source, target := filepath.Join(d.path, from), filepath.Join(d.path, to)
	old, missing := os.ReadFile(target)
	if err := d.disk.Rename(from, to); err != nil {
		return err
	}
	d.faults.later(d.path, func() {
		os.Rename(target, source)
		if missing == nil {
			os.WriteFile(target, old, fileMode)
		}
	})
	return nil
}

func (d faultyDisk) Link(from, to string) error {
	if err := d.faults.do("link", to); err != nil {
		return err
	}
	if err := d.disk.Link(from, to); err != nil {
		return err
	}
	d.faults.later(d.path, func() { os.Remove(filepath.Join(d.path, to)) })
	return nil
}

func (d faultyDisk) Remove(name string) error {
	if _, err := d.disk.Lstat(name); err != nil {
		return err // nothing happens
	}
	if err := d.faults.do("remove", name); err != nil {
		return err
	}
	path := filepath.Join(d.path, name)
	old, folder := os.ReadFile(path)
	if err := d.disk.Remove(name); err != nil {
		return err
	}
	d.faults.later(d.path, func() {
		if folder == nil {
			os.WriteFile(path, old, fileMode)
		} else {
			os.Mkdir(path, folderMode)
		}
	})
	return nil
}

func (d faultyDisk) Sync() error {
	if err := d.faults.do("sync", "folder"); err != nil {
		return err
	}
	d.faults.kept(d.path)
	return d.disk.Sync()
}

type faultyFile struct {
	file
	name   string
	path   string
	faults *faults
}

func (f faultyFile) Write(b []byte) (int, error) {
	if err := f.faults.do("write", f.name); err != nil {
		if err == errDies {
			f.file.Write(b[:len(b)*f.faults.part/2])
		}
		return 0, err
	}
	f.faults.grows(f)
	return f.file.Write(b)
}

// grows notes how much of a file that is written to was there before.
func (x *faults) grows(f faultyFile) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.synced == nil {
		x.synced = map[string]int64{}
	}
	if _, ok := x.synced[f.path]; ok {
		return
	}
	if info, err := f.Stat(); err == nil {
		x.synced[f.path] = info.Size()
	}
}

func (f faultyFile) WriteAt(b []byte, at int64) (int, error) {
	if err := f.faults.do("write", f.name); err != nil {
		return 0, err
	}
	return f.file.WriteAt(b, at)
}

func (f faultyFile) Truncate(size int64) error {
	if err := f.faults.do("truncate", f.name); err != nil {
		return err
	}
	return f.file.Truncate(size)
}

func (f faultyFile) Sync() error {
	if err := f.faults.do("sync", f.name); err != nil {
		return err
	}
	err := f.file.Sync()
	f.faults.mu.Lock()
	defer f.faults.mu.Unlock()
	delete(f.faults.synced, f.path)
	return err
}
