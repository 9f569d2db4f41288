// Package atomicfiletest is a disk with faults. At a chosen operation of a writer, the operation
// fails, the process ends, or the machine loses its power.
package atomicfiletest

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"drolab/runner/internal/atomicfile"
)

// Faults is a disk with faults. It counts and names the operations in their order.
type Faults struct {
	At     int   // number of the operation that goes wrong, from 1; 0: none
	Cause  error // error of the operation that fails
	Killed bool  // the process ends there: no later operation happens
	Part   int   // a write at which the process ends writes Part/2 of its bytes
	Power  bool  // the machine ends, too: what was not synced is lost

	mu     sync.Mutex
	trace  []string
	name   string // of the operation that goes wrong, in place of At
	dead   bool
	undo   []undo
	synced map[string]int64 // for files that grow: bytes that are on the disk
}

// Trace returns the names of the operations so far.
func (x *Faults) Trace() []string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return slices.Clone(x.trace)
}

// Points yields the ways in which every step-th operation of a trace can go wrong: it fails with a
// cause, or the process or the machine ends there. Each comes with a description.
func Points(trace []string, step int, cause error) iter.Seq2[string, *Faults] {
	return func(yield func(string, *Faults) bool) {
		for at := 1; at <= len(trace); at += step {
			for _, x := range []*Faults{{At: at, Cause: cause}, {At: at, Killed: true},
				{At: at, Killed: true, Part: 1}, {At: at, Killed: true, Part: 2},
				{At: at, Killed: true, Power: true}} {
				if x.Part > 0 && !strings.HasPrefix(trace[at-1], "write") {
					continue
				}
				what := fmt.Sprintf("point %d of %d, %s, killed %v, %d/2 of it, power cut %v", at,
					len(trace), trace[at-1], x.Killed, x.Part, x.Power)
				if !yield(what, x) {
					return
				}
			}
		}
	}
}

// undo takes back an operation in a folder that is not on the disk yet.
type undo struct {
	folder string
	run    func()
}

// later records how to take back an operation in a folder.
func (x *Faults) later(folder string, run func()) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.undo = append(x.undo, undo{folder, run})
}

// kept drops the undos of a folder that was synced.
func (x *Faults) kept(folder string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.undo = slices.DeleteFunc(x.undo, func(u undo) bool { return u.folder == folder })
}

// cut cuts the power: it takes back what was not synced. The caller holds mu.
func (x *Faults) cut() {
	for path, size := range x.synced {
		if info, err := os.Stat(path); err == nil && info.Size() > size {
			os.Truncate(path, size)
		}
	}
	for _, u := range slices.Backward(x.undo) {
		u.run()
	}
}

// errKilled is the error of every operation after the process has ended: tests run on.
var (
	errKilled = errors.New("killed")
	errDies   = fmt.Errorf("%w at this moment", errKilled)
)

// Fail makes the next operation of that name fail, once.
func (x *Faults) Fail(name string, cause error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.name, x.Cause = name, cause
}

// attempt counts an operation, and returns the error with which it fails, if any.
func (x *Faults) attempt(what, name string) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.dead {
		return errKilled
	}
	x.trace = append(x.trace, what+" "+name)
	switch {
	case x.name == what+" "+name:
		x.name = ""
		return x.Cause
	case x.At == len(x.trace) && x.Killed:
		x.dead = true
		if x.Power {
			x.cut()
		}
		return errDies
	case x.At == len(x.trace):
		return x.Cause
	}
	return nil
}

// try does an operation, unless it fails.
func (x *Faults) try(what, name string, do func() error) error {
	if err := x.attempt(what, name); err != nil {
		return err
	}
	return do()
}

// entered returns the error with which a folder cannot be opened, if any. Opening changes nothing
// on the disk and so does not count as an operation.
func (x *Faults) entered(name string) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.name != "enter "+name {
		return nil
	}
	x.name = ""
	return x.Cause
}

// Open is an atomicfile.Opener of disks with these faults.
func (x *Faults) Open(path string) (atomicfile.Disk, error) {
	d, err := atomicfile.Open(path)
	if err != nil {
		return nil, err
	}
	return faultyDisk{d, path, x}, nil
}

type faultyDisk struct {
	atomicfile.Disk
	path   string
	faults *Faults
}

func (d faultyDisk) Folder(name string) (atomicfile.Disk, error) {
	if err := d.faults.entered(name); err != nil {
		return nil, err
	}
	in, err := d.Disk.Folder(name)
	if err != nil {
		return nil, err
	}
	return faultyDisk{in, filepath.Join(d.path, name), d.faults}, nil
}

func (d faultyDisk) OpenFile(name string, flag int, mode fs.FileMode) (atomicfile.File, error) {
	if flag&os.O_CREATE != 0 {
		if err := d.faults.attempt("create", name); err != nil {
			return nil, err
		}
	}
	path := filepath.Join(d.path, name)
	_, missing := os.Lstat(path)
	f, err := d.Disk.OpenFile(name, flag, mode)
	if err != nil {
		return nil, err
	}
	if flag&os.O_CREATE != 0 && missing != nil {
		d.faults.later(d.path, func() { os.Remove(path) })
	}
	return faultyFile{f, name, path, d.faults}, nil
}

func (d faultyDisk) Mkdir(name string, mode fs.FileMode) error {
	return d.faults.try("mkdir", name, func() error { return d.Disk.Mkdir(name, mode) })
}

func (d faultyDisk) Rename(from, to string) error {
	if err := d.faults.attempt("rename", to); err != nil {
		return err
	}
	source, target := filepath.Join(d.path, from), filepath.Join(d.path, to)
	old, missing := os.ReadFile(target)
	if err := d.Disk.Rename(from, to); err != nil {
		return err
	}
	d.faults.later(d.path, func() {
		os.Rename(target, source)
		if missing == nil {
			os.WriteFile(target, old, 0o600)
		}
	})
	return nil
}

func (d faultyDisk) Exchange(a, b string) error {
	err := d.faults.try("exchange", b, func() error { return d.Disk.Exchange(a, b) })
	if err == nil {
		d.faults.later(d.path, func() { d.Disk.Exchange(a, b) })
	}
	return err
}

func (d faultyDisk) Link(from, to string) error {
	err := d.faults.try("link", to, func() error { return d.Disk.Link(from, to) })
	if err == nil {
		d.faults.later(d.path, func() { os.Remove(filepath.Join(d.path, to)) })
	}
	return err
}

func (d faultyDisk) Remove(name string) error {
	if _, err := d.Disk.Lstat(name); err != nil {
		return err // nothing happens
	}
	if err := d.faults.attempt("remove", name); err != nil {
		return err
	}
	path := filepath.Join(d.path, name)
	old, folder := os.ReadFile(path)
	if err := d.Disk.Remove(name); err != nil {
		return err
	}
	d.faults.later(d.path, func() {
		if folder == nil {
			os.WriteFile(path, old, 0o600)
		} else {
			os.Mkdir(path, 0o700)
		}
	})
	return nil
}

func (d faultyDisk) Sync() error {
	if err := d.faults.attempt("sync", "folder"); err != nil {
		return err
	}
	d.faults.kept(d.path)
	return d.Disk.Sync()
}

type faultyFile struct {
	atomicfile.File
	name   string
	path   string
	faults *Faults
}

func (f faultyFile) Write(b []byte) (int, error) {
	if err := f.faults.attempt("write", f.name); err != nil {
		if errors.Is(err, errDies) {
			f.File.Write(b[:len(b)*f.faults.Part/2])
		}
		return 0, err
	}
	f.faults.grows(f)
	return f.File.Write(b)
}

// grows records the size that a file had before the first write since its last sync.
func (x *Faults) grows(f faultyFile) {
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
	if err := f.faults.attempt("write", f.name); err != nil {
		return 0, err
	}
	return f.File.WriteAt(b, at)
}

func (f faultyFile) Truncate(size int64) error {
	return f.faults.try("truncate", f.name, func() error { return f.File.Truncate(size) })
}

func (f faultyFile) Sync() error {
	if err := f.faults.attempt("sync", f.name); err != nil {
		return err
	}
	err := f.File.Sync()
	f.faults.mu.Lock()
	defer f.faults.mu.Unlock()
	delete(f.faults.synced, f.path)
	return err
}
