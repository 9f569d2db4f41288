package run

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"drolab/runner"
	"drolab/runner/record"
	"drolab/tui/cli/console"

	"github.com/spf13/cobra"
)

func checkpointCommand(tr *Trainer) *cobra.Command {
	var pin, unpin bool
	c := &cobra.Command{
		Use: "checkpoint RUN|RUN@STEP", Short: "Save a checkpoint of a live run, or pin one",
		Long: `Save a checkpoint of a live run. Runs keep their newest checkpoints (checkpoint_keep). --pin
keeps one for good: that of STEP or, without a step, the one saved now or last. --unpin
releases it. The checkpoint that a run was forked from is pinned automatically. drolab show RUN
lists them.`,
		Example:           "drolab checkpoint latest --pin\ndrolab checkpoint latest@1200 --unpin",
		Args:              console.One("a run", "drolab checkpoint latest"),
		ValidArgsFunction: tr.CompleteRuns,
		RunE: func(_ *cobra.Command, args []string) error {
			r, step, err := tr.FindAny(args[0])
			switch {
			case err != nil:
				return err
			case pin:
				return pinAt(tr, r, step)
			case unpin:
				return unpinAt(tr, r, step)
			case step >= 0:
				return fmt.Errorf("%s: a step names a checkpoint that exists: add --pin or "+
					"--unpin, or leave the step out", args[0])
			}
			saved, err := save(tr, r)
			if err == nil {
				tr.PrintLine("run %s is saved at step %d of %d: %s", r.Meta.ID, saved,
					r.Meta.Steps, howToFork(tr, r, saved))
			}
			return err
		},
	}
	c.Flags().BoolVar(&pin, "pin", false, "keep the checkpoint for good")
	c.Flags().BoolVar(&unpin, "unpin", false, "release a pinned checkpoint")
	console.TakeAlone(c, "pin", "unpin")
	return c
}

// howToFork returns the command that starts a run from a checkpoint.
func howToFork(tr *Trainer, r *record.Run, step int64) string {
	return tr.PlaceOf(filepath.Dir(r.Dir)).Command(
		fmt.Sprintf("drolab run --from %s@%d", r.Meta.ID, step))
}

// save makes sure that the present state has a checkpoint, and returns its step. If the run is in a
// long step, save waits for the checkpoint after it.
func save(tr *Trainer, r *record.Run) (step int64, err error) {
	before, _, err := r.Saved()
	if err != nil {
		return 0, err
	}
	step, err = sendOrder(tr, r, runner.Order{Verb: runner.Checkpoint})
	if !errors.Is(err, runner.ErrSlow) {
		return step, err
	}
	now := before
	newer := func(r *record.Run) bool {
		if s, ok, err := r.Saved(); err == nil && ok {
			now = s
		}
		return now != before
	}
	if r, err = awaitRun(tr, r, newer); err == nil && now == before {
		err = fmt.Errorf("run %s is %s: it ended before it was saved", r.Meta.ID, r.Status())
	}
	return now.Step, err
}

// pinAt pins the checkpoint of a step. For step -1 it pins a checkpoint of the present state or, if
// the run has ended, its last checkpoint. A run that saves often may remove a checkpoint before it
// is pinned; then its successor is pinned.
func pinAt(tr *Trainer, r *record.Run, step int64) (err error) {
	if step >= 0 {
		err = r.Pin(step)
	} else {
		if !r.Status().Ended() {
			if _, err := save(tr, r); err != nil {
				return err
			}
		}
		step, err = pinNewest(r)
	}
	if err == nil {
		tr.PrintLine("run %s keeps the checkpoint of step %d for good: %s", r.Meta.ID, step,
			howToFork(tr, r, step))
	}
	return err
}

func pinNewest(r *record.Run) (step int64, err error) {
	const tries = 100
	for range tries {
		newest, ok, e := r.Saved()
		if e == nil && !ok {
			return 0, fmt.Errorf("run %s has no checkpoint yet", r.Meta.ID)
		}
		if e == nil {
			e = r.Pin(newest.Step)
		}
		if e == nil {
			return newest.Step, nil
		}
		if err = e; !errors.Is(err, fs.ErrNotExist) {
			return 0, err
		}
	}
	return 0, err
}

func unpinAt(tr *Trainer, r *record.Run, step int64) error {
	pinned, err := r.Pinned()
	switch {
	case err != nil:
		return err
	case len(pinned) == 0:
		return fmt.Errorf("run %s has no pinned checkpoint", r.Meta.ID)
	case step < 0:
		return fmt.Errorf("give a checkpoint, as in %s@STEP: pinned are %v", r.Meta.ID, pinned)
	}
	if err := r.Unpin(step); err != nil {
		return err
	}
	tr.PrintLine("run %s: the checkpoint of step %d is no longer pinned", r.Meta.ID, step)
	return nil
}
