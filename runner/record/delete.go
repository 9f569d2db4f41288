package record

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Delete removes a run from the folder dir for good. It holds the run's lock
// meanwhile, and so refuses one that somebody records: the error is
// ErrHeld then. id is the run's exact name.
func Delete(dir, id string) error {
	dir, _, err := named(dir, id)
	var l *Lock
	if err == nil {
		l, err = lockRun(dir)
	}
	if err == nil {
		err = trash(l, dir)
	}
	switch {
	case errors.Is(err, ErrHeld):
		return fmt.Errorf("run %s is being recorded (%w): stop it first", id, err)
	case err != nil:
		return fmt.Errorf("run %s: %w", id, err)
	}
	return nil
}

// Delete implements runner.Store.
func (s *Store) Delete(id string) error { return Delete(s.dir, id) }

// trash removes the directory of a run, whose lock l is. It goes out of every
// reader's sight before, so that nobody meets half of one.
func trash(l *Lock, dir string) error {
	folder, name := filepath.Split(dir)
	aside := filepath.Join(folder, deletedPrefix+name)
	err := os.RemoveAll(aside) // left by a crash, of a run that was copied back since
	if err == nil {
		l, err = moveLocked(l, dir, aside)
	}
	if err = errors.Join(err, l.Release()); err != nil {
		return fmt.Errorf("deleting it: %w", err)
	}
	if err := os.RemoveAll(aside); err != nil {
		return fmt.Errorf("deleting it, which is %s now: %w", aside, err)
	}
	return nil
}
