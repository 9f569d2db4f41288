package record

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"drolab/runner/record/internal/checkpoint"
	"drolab/runner/record/internal/disk"
)

// Pin keeps the checkpoint of a step until it is unpinned. Where there is no such checkpoint, the
// error is an fs.ErrNotExist that lists the steps that have one.
func (r *Run) Pin(step int64) error { return r.atPins(step, true, checkpoint.Pin) }

// Unpin removes the pin of a checkpoint. The checkpoint goes at once, unless it is one of the
// newest or the selected one, which a run keeps anyway.
func (r *Run) Unpin(step int64) error {
	return r.atPins(step, false, func(f *disk.Folder, step int64) error {
		return checkpoint.Unpin(f, step, r.Meta.Spec.CheckpointKeep)
	})
}

// Pinned lists the steps whose checkpoints are pinned, ascending.
func (r *Run) Pinned() (steps []int64, err error) {
	err = r.inCheckpoints(func(f *disk.Folder) error {
		steps, err = checkpoint.Steps(f)
		steps = slices.DeleteFunc(steps, func(step int64) bool {
			return !checkpoint.Pinned(f, step)
		})
		return err
	})
	return steps, err
}

// inCheckpoints calls do with the folder of the checkpoints. It does nothing where there is no such
// folder.
func (r *Run) inCheckpoints(do func(*disk.Folder) error) error {
	if r.packed != nil {
		return nil
	}
	run, err := r.folder()
	if err != nil {
		return err
	}
	defer run.Close()
	f, err := run.Within(checkpointsName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	return do(f)
}

// Hold keeps all existing checkpoints until it is released, or this process ends, so that a
// checkpoint that was found is still there when it is read. Where a disk has no locks, or the
// folder can only be read, it does nothing.
func (r *Run) Hold() (release func()) {
	var l *Lock
	_ = r.inCheckpoints(func(f *disk.Folder) error {
		l = f.Share(checkpoint.LockName, true)
		return nil
	})
	return func() { l.Release() }
}

// atPins calls do with an existing checkpoint that nobody can remove meanwhile. It waits for
// processes that prune and, unless the lock is shared, for those that pin or read.
func (r *Run) atPins(
	step int64, shared bool, do func(f *disk.Folder, step int64) error,
) error {
	if err := r.has(step); err != nil { // also where there is no folder to lock
		return err
	}
	return r.inCheckpoints(func(f *disk.Folder) error {
		l, err := f.Await(checkpoint.LockName, shared)
		if err != nil {
			return err
		}
		defer l.Release()
		if err := r.has(step); err != nil { // pruned meanwhile
			return err
		}
		return do(f, step)
	})
}

// has returns an error where the run has no checkpoint of this step.
func (r *Run) has(step int64) error {
	steps, err := r.Checkpoints()
	if err == nil && !slices.Contains(steps, step) {
		err = fmt.Errorf("run %s has %w of step %d: it has %v",
			r.Meta.ID, errNoCheckpoint, step, steps)
	}
	return err
}

// errNoCheckpoint is worded as part of a sentence.
var errNoCheckpoint error = noCheckpoint{}

type noCheckpoint struct{}

func (noCheckpoint) Error() string        { return "no checkpoint" }
func (noCheckpoint) Is(target error) bool { return target == fs.ErrNotExist }
