package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"drolab/runner"
	"drolab/runner/engine"
	"drolab/runner/record"

	"github.com/spf13/cobra"
)

func (a *app) checkpointCommand() *cobra.Command {
	var pin, unpin bool
	c := &cobra.Command{
		Use: "checkpoint RUN[@STEP]", Short: "Save a run as it is now, or pin a checkpoint",
		Long: `Save a run as it is now. Runs keep their newest checkpoints (checkpoint_keep); --pin keeps one for
good: that of STEP or, without a step, the one saved now or last. --unpin lets it go again. The
checkpoint that a run was forked from is pinned by itself; drolab show RUN lists them.`,
		Example:           "drolab checkpoint latest --pin\ndrolab checkpoint latest@1200 --unpin",
		Args:              exactlyOne("a run", "drolab checkpoint latest"),
		ValidArgsFunction: a.completeRuns,
		RunE: func(_ *cobra.Command, args []string) error {
			r, step, err := a.findStep(args[0])
			switch {
			case err != nil:
				return err
			case pin:
				return a.pin(r, step)
			case unpin:
				return a.unpin(r, step)
			case step >= 0:
				return fmt.Errorf("%s: only checkpoints that there are have a step: "+
					"give --pin or --unpin, or the run alone", args[0])
			}
			saved, err := a.save(r)
			if err == nil {
				a.say("run %s is saved at step %d of %d: drolab run --from %s@%d",
					r.Meta.ID, saved, r.Meta.Steps, r.Meta.ID, saved)
			}
			return err
		},
	}
	c.Flags().BoolVar(&pin, "pin", false, "keep the checkpoint for good")
	c.Flags().BoolVar(&unpin, "unpin", false, "keep it no longer than others")
	c.MarkFlagsMutuallyExclusive("pin", "unpin")
	return c
}

// findStep finds what RUN, RUN@STEP or RUN@selected means; step is -1 without one.
func (a *app) findStep(name string) (r *record.Run, step int64, err error) {
	step = -1
	if id, ok := strings.CutSuffix(name, "@selected"); ok {
		if r, err = a.find(id); err != nil {
			return nil, 0, err
		}
		s := r.Summary().Selected
		if s == nil {
			return nil, 0, fmt.Errorf("run %s has selected no step: set select and val_fraction", r.Meta.ID)
		}
		return r, s.Step, nil
	}
	if strings.Contains(filepath.Base(name), "@") { // a folder may have one in its name
		if name, step, err = runner.ParseParent(name); err != nil {
			return nil, 0, err
		}
	}
	r, err = a.find(name)
	return r, step, err
}

// findSaved is findStep for a step whose checkpoint is to be read.
func (a *app) findSaved(name string) (r *record.Run, step int64, err error) {
	if r, step, err = a.findStep(name); err != nil || step < 0 {
		return r, step, err
	}
	steps, err := r.Checkpoints()
	switch {
	case err != nil || slices.Contains(steps, step):
		return r, step, err
	case len(steps) == 0:
		return nil, 0, fmt.Errorf("run %s has no checkpoint", r.Meta.ID)
	}
	return nil, 0, fmt.Errorf("run %s has no checkpoint of step %d: the newest is of step %d", r.Meta.ID, step,
		slices.Max(steps))
}

// save makes sure that there is a checkpoint of now, and returns its step. One that
// comes behind a long step is waited for.
func (a *app) save(r *record.Run) (step int64, err error) {
	before, _, err := r.Saved()
	if err != nil {
		return 0, err
	}
	err = a.askRun(r, func(c *engine.Client) (err error) { step, err = c.Checkpoint(r.Meta.ID); return err })
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
	if r, err = a.awaitRun(r, newer); err == nil && now == before {
		err = fmt.Errorf("run %s is %s before it was saved", r.Meta.ID, r.Status())
	}
	return now.Step, err
}

// pin pins the checkpoint of a step or, for -1, of now; of a run that has ended
// its last. A run that saves often may remove one before it can be pinned: then
// the one that took its place will do.
func (a *app) pin(r *record.Run, step int64) (err error) {
	if step >= 0 {
		err = r.Pin(step)
	} else {
		if !r.Status().Ended() {
			if _, err := a.save(r); err != nil {
				return err
			}
		}
		step, err = pinNewest(r)
	}
	if err == nil {
		a.say("run %s keeps its checkpoint of step %d: drolab run --from %s@%d", r.Meta.ID, step, r.Meta.ID, step)
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
		if err = e; err == nil || !errors.Is(err, fs.ErrNotExist) {
			return newest.Step, err
		}
	}
	return 0, err
}

func (a *app) unpin(r *record.Run, step int64) error {
	pinned, err := r.Pinned()
	switch {
	case err != nil:
		return err
	case step < 0:
		return fmt.Errorf("say which checkpoint, as in %s@STEP: pinned are %v", r.Meta.ID, pinned)
	}
	if err := r.Unpin(step); err != nil {
		return err
	}
	a.say("run %s keeps its checkpoint of step %d no longer than others", r.Meta.ID, step)
	return nil
}

// checkpoints says where a run can be forked from, and what is pinned; nothing
// where there is no checkpoint.
func checkpoints(r *record.Run) string {
	steps, err := r.Checkpoints()
	pinned, _ := r.Pinned()
	var words []string
	for _, step := range steps {
		word := fmt.Sprint(step)
		if slices.Contains(pinned, step) {
			word += " (pinned)"
		}
		words = append(words, word)
	}
	switch {
	case err != nil:
		return err.Error()
	case len(words) == 0:
		return ""
	}
	return "at step " + strings.Join(words, ", ")
}
