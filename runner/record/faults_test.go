package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
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

	dead bool
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
		return errDies
	case x.at == len(x.trace):
		return x.cause
	}
	return nil
}

func (x *faults) open(path string) (disk, error) {
	d, err := openDisk(path)
	if err != nil {
		return nil, err
	}
	return faultyDisk{d, x}, nil
}

type faultyDisk struct {
	disk
	faults *faults
}

func (d faultyDisk) Folder(name string) (disk, error) {
	in, err := d.disk.Folder(name)
	if err != nil {
		return nil, err
	}
	return faultyDisk{in, d.faults}, nil
}

func (d faultyDisk) OpenFile(name string, flag int, mode fs.FileMode) (file, error) {
	if flag&os.O_CREATE != 0 {
		if err := d.faults.do("create", name); err != nil {
			return nil, err
		}
	}
	f, err := d.disk.OpenFile(name, flag, mode)
	if err != nil {
		return nil, err
	}
	return faultyFile{f, name, d.faults}, nil
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
	return d.disk.Rename(from, to)
}

func (d faultyDisk) Remove(name string) error {
	if _, err := d.disk.Lstat(name); err != nil {
		return err // nothing happens
	}
	if err := d.faults.do("remove", name); err != nil {
		return err
	}
	return d.disk.Remove(name)
}

func (d faultyDisk) Sync() error {
	if err := d.faults.do("sync", "folder"); err != nil {
		return err
	}
	return d.disk.Sync()
}

type faultyFile struct {
	file
	name   string
	faults *faults
}

func (f faultyFile) Write(b []byte) (int, error) {
	if err := f.faults.do("write", f.name); err != nil {
		if err == errDies {
			f.file.Write(b[:len(b)*f.faults.part/2])
		}
		return 0, err
	}
	return f.file.Write(b)
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
	return f.file.Sync()
}
