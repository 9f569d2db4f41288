package look

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"drolab/runner/certificate"
	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/runner/record"
	"drolab/tui/cli/console"
)

// atStep holds the constants at one checkpoint of a run.
type atStep struct {
	Step int64 `json:"step"`
	certificate.Constants
}

// allSteps is the suffix of a run's name that stands for all of its checkpoints.
const allSteps = "@all"

// findSteps is Console.FindStep for names that may also be RUN@all.
func findSteps(
	con *console.Console, name string,
) (r *record.Run, step int64, all bool, err error) {
	id, all := strings.CutSuffix(name, allSteps)
	if r, step, err = con.FindStep(id); err == nil && all && step >= 0 {
		err = fmt.Errorf("%s: give a step or all, not both", name)
	}
	return r, step, all, err
}

// constantsAlong measures the constants at the checkpoint of a step, or at all that the run has
// kept: the newest (checkpoint_keep), the selected and the pinned ones.
func constantsAlong(
	ctx context.Context, con *console.Console, r *record.Run, step int64, all bool, samples int,
) (list []atStep, err error) {
	steps := []int64{step}
	if all {
		steps, err = r.Checkpoints()
		if err == nil && len(steps) == 0 {
			err = fmt.Errorf("run %s has no checkpoint yet", r.Meta.ID)
		}
	}
	for i, step := range steps {
		var one atStep
		e := onTraining(ctx, con, r, step, func(at *certificate.Frozen, train *measure.Pass) error {
			c, err := at.Constants(train, samples)
			one = atStep{at.Step, c}
			return err
		})
		if all && errors.Is(e, fs.ErrNotExist) && i < len(steps)-1 {
			continue // a live run has deleted it meanwhile
		}
		if e != nil {
			return nil, e
		}
		list = append(list, one)
	}
	return list, err
}

// largestConstants returns the largest value of each constant. Checkpoints can say no more about
// the bounds that Theorem 1 assumes everywhere.
func largestConstants(list []atStep) certificate.Constants {
	all := list[0].Constants
	above := func(a, b measure.Number) measure.Number {
		if b.Applies() && !(a.Applies() && a.Float() > b.Float()) {
			return b
		}
		return a
	}
	for _, c := range list[1:] {
		all.Bound, all.Lipschitz = max(all.Bound, c.Bound), max(all.Lipschitz, c.Lipschitz)
		all.Smoothness = max(all.Smoothness, c.Smoothness)
		all.Lz, all.LzBound = above(all.Lz, c.Lz), above(all.LzBound, c.LzBound)
	}
	return all
}

// printAlong prints the table of the constants along a run.
func printAlong(con *console.Console, list []atStep) {
	t := page.New("step", "B", "G ≥", "L ≥", "L_z ≥", "L_z, theory")
	add := func(step string, c certificate.Constants) {
		t.Add(step, fmt.Sprintf("%.4g", c.Bound), fmt.Sprintf("%.4g", c.Lipschitz),
			fmt.Sprintf("%.4g", c.Smoothness), console.Short(c.Lz), console.Short(c.LzBound))
	}
	for _, at := range list {
		add(fmt.Sprint(at.Step), at.Constants)
	}
	if len(list) > 1 {
		add("largest", largestConstants(list))
	}
	fmt.Fprintf(con.Stdout, "\nConstants along the run, from %d training samples each:\n",
		list[0].Samples)
	console.Blocks(con.Stdout, t)
}
