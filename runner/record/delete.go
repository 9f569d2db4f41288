package record

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"drolab/runner/disk"
	"drolab/runner/eventlog"
	"drolab/runner/internal/atomicfile"
)

// sweepAge is the age up to which sweep leaves a directory alone: from its creation until its lock
// is held, nothing else protects it.
const sweepAge = time.Minute

// sweep removes directories that a crash left half-made or half-removed. A directory that it cannot
// remove does no harm.
func (s *Store) sweep() {
	root, err := s.root()
	if err != nil {
		return
	}
	defer root.Close()
	recoverReplaced(root) // a later opening tries again
	for _, e := range leftovers(root) {
		// The clock may have been set back since.
		if info, err := e.Info(); err == nil && s.now().Sub(info.ModTime()).Abs() > sweepAge {
			root.RemoveAll(e.Name())
		}
	}
}

// leftovers lists the directories that are half made or half removed, and that nobody is working
// on.
func leftovers(f *disk.Folder) (list []fs.DirEntry) {
	entries, _ := f.List()
	for _, e := range entries {
		ours := strings.HasPrefix(e.Name(), atomicfile.Prefix) ||
			strings.HasPrefix(e.Name(), deletedPrefix)
		if !e.IsDir() || !ours {
			continue
		}
		in, err := f.Within(e.Name())
		if err != nil {
			continue
		}
		if !in.Held(eventlog.LockName) {
			list = append(list, e)
		}
		in.Close()
	}
	return list
}

// Delete removes a run from the folder dir for good. id is the run's exact name. Delete holds the
// run's lock meanwhile; the error is ErrHeld where somebody records the run.
func Delete(dir, id string) error { return (&Store{dir: dir}).Delete(id) }

// Delete implements runner.Store.
func (s *Store) Delete(id string) error {
	l, err := s.lockNamed(id)
	if err != nil {
		return err
	}
	return runError(id, s.trash(l, id))
}

// lockNamed takes the lock of the run with the exact name id.
func (s *Store) lockNamed(id string) (*disk.Lock, error) {
	in, _, err := s.named(id)
	if err != nil {
		return nil, runError(id, err)
	}
	defer in.Close()
	l, err := lockRun(in)
	if errors.Is(err, disk.ErrHeld) {
		return nil, fmt.Errorf("run %s is being recorded (%w): stop it first", id, err)
	}
	return l, runError(id, err)
}

func (s *Store) trash(l *disk.Lock, id string) error {
	root, err := s.root()
	if err != nil {
		return errors.Join(err, l.Release())
	}
	defer root.Close()
	return trash(root, l, id)
}

// trash removes the directory of a run, whose lock is l. It renames the directory first, so that no
// reader meets a half-removed run.
func trash(f *disk.Folder, l *disk.Lock, name string) error {
	gone := deletedPrefix + name
	// What a crash left, of a run that was copied back since then or that was replaced.
	err := errors.Join(f.RemoveAll(gone), removeUnneeded(f, name))
	if err == nil {
		l, err = f.RenameLocked(l, eventlog.LockName, name, gone)
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
