package record

import (
	"errors"
	"path/filepath"

	"drolab/runner"
	"drolab/runner/internal/aside"
	"drolab/runner/record/internal/disk"
)

// Add makes a run that appears complete, once fill has written it, or not at all: it makes the run
// in a folder aside and renames it. Add sets m.ID.
func (s *Store) Add(m *runner.Meta, fill func(runner.Recorder) error) (err error) {
	s.sweep()
	root, err := s.root()
	if err != nil {
		return err
	}
	defer root.Close()
	m.ID = newID(m)
	half := aside.Prefix + m.ID
	if err := root.Mkdir(half, disk.FolderMode); err != nil {
		return disk.Explain(err)
	}
	defer func() { err = errors.Join(disk.Explain(err), root.RemoveAll(half)) }()
	in, err := root.Within(half)
	if err != nil {
		return err
	}
	defer in.Close()
	l, err := in.Acquire(lockName) // else sweep could remove it
	if err != nil {
		return err
	}
	defer l.Release()
	within := *s
	within.dir = in.Path
	r, err := within.Create(m, nil)
	if err != nil {
		return err
	}
	if err := errors.Join(fill(r), r.Close()); err != nil {
		return err
	}
	if err := root.Rename(filepath.Join(half, m.ID), m.ID); err != nil {
		return err
	}
	return root.Sync()
}
