package record

import (
	"errors"
	"fmt"

	"drolab/runner/record/internal/disk"
)

// Delete removes a run from the folder dir for good. id is the run's exact name. Delete holds the
// run's lock meanwhile; the error is ErrHeld where somebody records the run.
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
		return ofRun(id, err)
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

// trash removes the directory of a run, whose lock is l. It renames the directory first, so that no
// reader meets a half-removed run.
func trash(f *disk.Folder, l *Lock, name string) error {
	gone := deletedPrefix + name
	err := f.RemoveAll(gone) // left by a crash, of a run that was copied back since then
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
