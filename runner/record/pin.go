package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"drolab/runner"
	"drolab/runner/disk"
	"drolab/runner/internal/atomicfile"
)

// pinLockName is the name of a lock in the folder of the checkpoints: for pins, labels,
// claims and pruning.
const pinLockName = "lock"

// A pinned checkpoint stays, however many newer ones there are. Any process may pin it, by an empty
// file beside it, so that a pin is either there or not, whatever crashes. A lock protects those who
// pin or read a checkpoint from the pruning of the writer: they share the lock, and whoever removes
// a checkpoint holds it alone.

// pinCheckpoint keeps the checkpoint of a step, until it is unpinned or a resume goes back before
// the step.
func pinCheckpoint(f *disk.Folder, step int64) error {
	o, err := f.Open(pinName(step), os.O_WRONLY|os.O_CREATE, disk.FileMode)
	if err == nil {
		err = o.Close()
	}
	if err == nil {
		err = f.Sync()
	}
	return disk.Explain(err, f.Path)
}

// unpinCheckpoint removes the pin of a checkpoint, and the checkpoint, unless it is selected or
// among the newest, or the end of a part.
func unpinCheckpoint(f *disk.Folder, step int64, m *runner.Meta) error {
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
	if !slices.Contains(keptSteps(f, steps, m), step) {
		// The JSON first: without it the other is no checkpoint.
		for _, name := range checkpointNames(step) {
			if err := f.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return disk.Explain(f.Sync(), f.Path)
}

// pinnedCheckpoint reports whether the checkpoint of a step is pinned.
func pinnedCheckpoint(f *disk.Folder, step int64) bool {
	_, err := f.Lstat(pinName(step))
	return err == nil
}

// keptSteps returns the steps that are kept without a pin, of the steps given in ascending order.
// These are the newest steps, and the steps that their checkpoints name as selected, since a run
// may have to go on from any of them. The ends of the run's parts are kept, too.
func keptSteps(in *disk.Folder, steps []int64, m *runner.Meta) []int64 {
	within := func(step int64) bool { return !m.EndsPart(step) }
	list := slices.DeleteFunc(slices.Clone(steps), within)
	steps = steps[max(0, len(steps)-max(1, m.Spec.CheckpointKeep)):]
	list = append(list, steps...)
	for _, step := range steps {
		var f stateFile
		if in.ReadJSON(stateName(step), &f) == nil && f.Selected != nil {
			list = append(list, f.Selected.Step)
		}
	}
	return list
}

// pruneCheckpoints keeps the newest checkpoints up to the step written, the ends of parts, the
// selected ones and the pinned ones. It removes all other files: older checkpoints, what a crash
// left incomplete, and steps above written. The latter go even if they are pinned: they belong to a
// part of the run that was discarded because they are damaged. What cannot be removed costs only
// space. While somebody pins, nothing is removed.
func pruneCheckpoints(f *disk.Folder, written int64, m *runner.Meta) {
	l, err := f.TryAcquire(pinLockName)
	switch {
	case errors.Is(err, disk.ErrHeld):
		return // the next checkpoint does it
	case err == nil: // else nobody can pin
		defer l.Release()
	}
	steps, _ := checkpointSteps(f)
	past, _ := slices.BinarySearch(steps, written+1)
	stay := keptSteps(f, steps[:past], m)
	kept := map[string]bool{}
	for _, step := range steps[:past] {
		if slices.Contains(stay, step) || pinnedCheckpoint(f, step) {
			for _, name := range checkpointNames(step) {
				kept[name] = true
			}
		}
	}
	entries, _ := f.List() // sorted: of a checkpoint, the JSON goes first
	for _, e := range entries {
		name := e.Name()
		ours := strings.HasPrefix(name, "step-") || strings.HasPrefix(name, atomicfile.Prefix)
		if ours && !kept[name] {
			f.Remove(name)
		}
	}
}

// Pin keeps the checkpoint of a step until it is unpinned. Where there is no such checkpoint, the
// error is an fs.ErrNotExist that lists the steps that have one.
func (r *Run) Pin(step int64) error { return r.atPins(step, true, pinCheckpoint) }

// Unpin removes the pin of a checkpoint. The checkpoint goes at once, unless it is one of the
// newest, the selected one or the end of a part, which a run keeps anyway.
func (r *Run) Unpin(step int64) error {
	return r.atPins(step, false, func(f *disk.Folder, step int64) error {
		return unpinCheckpoint(f, step, &r.Meta)
	})
}

// Pinned lists the steps whose checkpoints are pinned, ascending.
func (r *Run) Pinned() (steps []int64, err error) {
	if r.mirrored != nil {
		v, err := r.verdict()
		return v.Pinned, err
	}
	err = r.inCheckpoints(func(f *disk.Folder) error {
		steps, err = checkpointSteps(f)
		steps = slices.DeleteFunc(steps, func(step int64) bool {
			return !pinnedCheckpoint(f, step)
		})
		return err
	})
	return steps, err
}

// Hold keeps all existing checkpoints until it is released, or this process ends, so that a
// checkpoint that was found is still there when it is read. Where a disk has no locks, or the
// folder can only be read, it does nothing.
func (r *Run) Hold() (release func()) {
	var l *disk.Lock
	_ = r.inCheckpoints(func(f *disk.Folder) error {
		l = f.Share(pinLockName, true)
		return nil
	})
	return func() { l.Release() }
}

// atPins calls do with an existing checkpoint that nobody can remove meanwhile. It waits for
// processes that prune and, unless the lock is shared, for those that pin or read.
func (r *Run) atPins(step int64, shared bool, do func(f *disk.Folder, step int64) error) error {
	if err := disk.MirrorOf(r.Dir); err != nil {
		return err
	}
	if err := r.checkCheckpoint(step); err != nil { // also where there is no folder to lock
		return err
	}
	return r.inCheckpoints(func(f *disk.Folder) error {
		l, err := f.Await(pinLockName, shared)
		if err != nil {
			return err
		}
		defer l.Release()
		if err := r.checkCheckpoint(step); err != nil { // pruned meanwhile
			return err
		}
		return do(f, step)
	})
}

// checkCheckpoint returns an error where the run has no checkpoint of this step.
func (r *Run) checkCheckpoint(step int64) error {
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

func (noCheckpoint) Error() string { return "no checkpoint" }

func (noCheckpoint) Is(target error) bool { return target == fs.ErrNotExist }

func pinName(step int64) string { return fmt.Sprintf("step-%010d.pin", step) }
