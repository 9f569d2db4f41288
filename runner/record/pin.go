package record

import (
	"drolab/runner/record/internal/disk"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
)

// A pinned checkpoint stays however many newer ones there are. What pins it is
// an empty file beside it, so that a pin is there or not, whatever crashes; it
// is made by any process. A lock keeps the writer's pruning apart from it, and from
// whoever reads a checkpoint: they share the lock, and who removes has it alone.

const pinLockName = "lock" // in the checkpoints' folder

func pinName(step int64) string { return fmt.Sprintf("step-%010d.pin", step) }

// Pin keeps the checkpoint of a step until it is unpinned. The error is an
// fs.ErrNotExist where there is none, and says which there are.
func (r *Run) Pin(step int64) error { return r.atPins(step, true, pin) }

// Unpin lets a pinned checkpoint go. It is removed at once, unless it is one of
// the newest or the selected one, which a run keeps anyway.
func (r *Run) Unpin(step int64) error {
	return r.atPins(step, false, func(f *disk.Folder, step int64) error {
		return unpin(f, step, r.Meta.Spec.CheckpointKeep)
	})
}

// Pinned lists the steps whose checkpoints are pinned, ascending.
func (r *Run) Pinned() (steps []int64, err error) {
	err = r.inCheckpoints(func(f *disk.Folder) error {
		steps, err = checkpointSteps(f)
		steps = slices.DeleteFunc(steps, func(step int64) bool { return !pinned(f, step) })
		return err
	})
	return steps, err
}

// inCheckpoints calls do with the folder of the checkpoints; not where there is
// none.
func (r *Run) inCheckpoints(do func(*disk.Folder) error) error {
	if r.packed != nil {
		return nil
	}
	run, err := disk.OpenFolder(r.open, r.Dir)
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

// Hold keeps all checkpoints that there are until it is released, or this process
// ends; one that was found is still there when it is read. Where a disk has no locks,
// or the folder is only shown, it does nothing.
func (r *Run) Hold() (release func()) {
	var l *Lock
	_ = r.inCheckpoints(func(f *disk.Folder) error {
		l = f.Share(pinLockName, true)
		return nil
	})
	return func() { l.Release() }
}

// atPins does something to the pin of an existing checkpoint while it cannot go: it waits
// for who prunes and, unless the lock is shared, for who pins or reads.
func (r *Run) atPins(
	step int64, shared bool, do func(f *disk.Folder, step int64) error,
) error {
	if err := r.has(step); err != nil { // also where there is no folder to lock
		return err
	}
	return r.inCheckpoints(func(f *disk.Folder) error {
		l, err := f.Await(pinLockName, shared)
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

// has returns an error where the run has no checkpoint of a step.
func (r *Run) has(step int64) error {
	steps, err := r.Checkpoints()
	if err == nil && !slices.Contains(steps, step) {
		err = fmt.Errorf("run %s has %w of step %d: it has %v",
			r.Meta.ID, errNoCheckpoint, step, steps)
	}
	return err
}

// errNoCheckpoint reads as a part of a sentence.
var errNoCheckpoint error = noCheckpoint{}

type noCheckpoint struct{}

func (noCheckpoint) Error() string        { return "no checkpoint" }
func (noCheckpoint) Is(target error) bool { return target == fs.ErrNotExist }

func pin(f *disk.Folder, step int64) error {
	o, err := f.Open(pinName(step), os.O_WRONLY|os.O_CREATE, disk.FileMode)
	if err == nil {
		err = o.Close()
	}
	if err == nil {
		err = f.Sync()
	}
	return disk.Explain(err)
}

func unpin(f *disk.Folder, step int64, keep int) error {
	err := f.Remove(pinName(step))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the checkpoint of step %d is not pinned", step)
	}
	if err != nil {
		return err
	}
	steps, err := checkpointSteps(f)
	if err != nil {
		return err
	}
	if !slices.Contains(spared(f, steps, keep), step) {
		// The JSON first: without it the other is no checkpoint.
		for _, name := range checkpointNames(step) {
			if err := f.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return disk.Explain(f.Sync())
}

func pinned(f *disk.Folder, step int64) bool {
	_, err := f.Lstat(pinName(step))
	return err == nil
}

// spared returns those of the ascending steps that are kept without a pin: the
// newest, and what each of these says is selected, since a run may have to go on
// from any of them.
func spared(in *disk.Folder, steps []int64, keep int) []int64 {
	list := slices.Clone(newest(steps, keep))
	for _, step := range newest(steps, keep) {
		var f stateFile
		if in.ReadJSON(stateName(step), &f) == nil && f.Selected != nil {
			list = append(list, f.Selected.Step)
		}
	}
	return list
}

// newest returns the last keep of the ascending steps.
func newest(steps []int64, keep int) []int64 { return steps[max(0, len(steps)-max(1, keep)):] }
