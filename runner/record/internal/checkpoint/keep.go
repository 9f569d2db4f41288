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

// A pinned checkpoint stays however many newer ones there are. What pins it is
// an empty file beside it, so that a pin is there or not, whatever crashes; it
// is made by any process. A lock keeps the writer's pruning apart from it, and from
// whoever reads a checkpoint: they share the lock, and who removes has it alone.

// Pin keeps the checkpoint of a step.
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

// Unpin lets a checkpoint go: it is removed, unless it is among the newest keep or selected.
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

// Pinned tells whether the checkpoint of a step is pinned.
func Pinned(f *disk.Folder, step int64) bool {
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

// Prune keeps the newest checkpoints up to the step that was just written, those
// that are selected and those that are pinned, and removes all other files: older
// checkpoints, what a crash left incomplete, and steps above the one written,
// pinned or not, which belong to a part of the run that was discarded because they
// are damaged. What cannot be removed costs only space; while somebody pins,
// nothing is.
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
	entries, _ := f.List() // sorted: a pair's JSON comes first and makes it incomplete
	for _, e := range entries {
		name := e.Name()
		ours := strings.HasPrefix(name, "step-") || strings.HasPrefix(name, aside.Prefix)
		if ours && !kept[name] {
			f.Remove(name)
		}
	}
}
