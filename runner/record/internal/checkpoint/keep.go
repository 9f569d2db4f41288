package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"drolab/runner/internal/aside"
	"drolab/runner/record/internal/disk"
)

// A pinned checkpoint stays, however many newer ones there are. Any process may pin it, by an empty
// file beside it, so that a pin is either there or not, whatever crashes. A lock protects those who
// pin or read a checkpoint from the pruning of the writer: they share the lock, and whoever removes
// a checkpoint holds it alone.

// Pin keeps the checkpoint of a step, until it is unpinned or a resume goes back before the step.
func Pin(f *disk.Folder, step int64) error {
	o, err := f.Open(pinName(step), os.O_WRONLY|os.O_CREATE, disk.FileMode)
	if err == nil {
		err = o.Close()
	}
	if err == nil {
		err = f.Sync()
	}
	return disk.Explain(err)
}

// Unpin removes the pin of a checkpoint, and the checkpoint, unless it is selected or among the
// newest keep.
func Unpin(f *disk.Folder, step int64, keep int) error {
	err := f.Remove(pinName(step))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the checkpoint of step %d is not pinned", step)
	}
	if err != nil {
		return err
	}
	steps, err := Steps(f)
	if err != nil {
		return err
	}
	if !slices.Contains(spared(f, steps, keep), step) {
		// The JSON first: without it the other is no checkpoint.
		for _, name := range Names(step) {
			if err := f.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return disk.Explain(f.Sync())
}

// Pinned reports whether the checkpoint of a step is pinned.
func Pinned(f *disk.Folder, step int64) bool {
	_, err := f.Lstat(pinName(step))
	return err == nil
}

// spared returns the steps that are kept without a pin, of the steps given in ascending order.
// These are the newest steps, and the steps that their checkpoints name as selected, since a run
// may have to go on from any of them.
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

// Prune keeps the newest checkpoints up to the step written, the selected ones and the pinned ones.
// It removes all other files: older checkpoints, what a crash left incomplete, and steps above
// written. The latter go even if they are pinned: they belong to a part of the run that was
// discarded because they are damaged. What cannot be removed costs only space. While somebody pins,
// nothing is removed.
func Prune(f *disk.Folder, written int64, keep int) {
	l, err := f.TryAcquire(LockName)
	switch {
	case errors.Is(err, disk.ErrHeld):
		return // the next checkpoint does it
	case err == nil: // else nobody can pin
		defer l.Release()
	}
	steps, _ := Steps(f)
	past, _ := slices.BinarySearch(steps, written+1)
	stay := spared(f, steps[:past], keep)
	kept := map[string]bool{}
	for _, step := range steps[:past] {
		if slices.Contains(stay, step) || Pinned(f, step) {
			for _, name := range Names(step) {
				kept[name] = true
			}
		}
	}
	entries, _ := f.List() // sorted: of a checkpoint, the JSON goes first
	for _, e := range entries {
		name := e.Name()
		ours := strings.HasPrefix(name, "step-") || strings.HasPrefix(name, aside.Prefix)
		if ours && !kept[name] {
			f.Remove(name)
		}
	}
}
