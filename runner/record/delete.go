package record

import (
	"drolab/runner/record/internal/disk"
	"errors"
	"fmt"
)

// Delete removes a run from the folder dir for good. It holds the run's lock
// meanwhile, and so refuses one that somebody records: the error is
// ErrHeld then. id is the run's exact name.
func Delete(dir, id string) error { return (&Store{dir: dir, open: disk.OpenDisk}).Delete(id) }

// Delete implements runner.Store.
func (s *Store) Delete(id string) error {
	in, _, err := s.named(id)
	var l *Lock
	if err == nil {
		l, err = lockRun(in)
		err = errors.Join(err, in.Close())
	}
	if err == nil {
		err = s.trash(l, id)
	}
	switch {
	case errors.Is(err, ErrHeld):
		return fmt.Errorf("run %s is being recorded (%w): stop it first", id, err)
	case err != nil:
		return fmt.Errorf("run %s: %w", id, err)
	}
	return nil
}

func (s *Store) trash(l *Lock, id string) error {
	root, err := s.root()
	if err != nil {
		return errors.Join(err, l.Release())
	}
	defer root.Close()
	return trash(root, l, id)
}

// trash removes the directory of a run, whose lock l is. It goes out of every
// reader's sight before, so that nobody meets half of one.
func trash(f *disk.Folder, l *Lock, name string) error {
	gone := deletedPrefix + name
	err := f.RemoveAll(gone) // left by a crash, of a run that was copied back since
	if err == nil {
		l, err = f.RenameLocked(l, lockName, name, gone)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, l.Release()); err != nil {
		return fmt.Errorf("deleting it: %w", err)
	}
	if err := f.RemoveAll(gone); err != nil {
		return fmt.Errorf("deleting it, which is %s now: %w", f.Join(gone), err)
	}
	return nil
}
