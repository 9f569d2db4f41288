package risk

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"drolab/runner"
	"drolab/runner/certificate"
	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/runner/spec"
	"drolab/tui/cli/console"
)

// atStep holds the constants at one checkpoint of a run.
type atStep struct {
	Step int64 `json:"step"`
	certificate.Constants
}

// allSteps is the suffix of a run's name that stands for all of its checkpoints.
const allSteps = "@all"

// along measures the constants at the checkpoint that RUN[@STEP] names, or at each kept checkpoint
// of RUN@all. It also returns the run's spec.
func along(
	con *console.Console, name string, samples int,
) (list []atStep, spec *spec.Spec, err error) {
	names := []string{name}
	id, all := strings.CutSuffix(name, allSteps)
	if all {
		if names, err = kept(con, id); err != nil {
			return nil, nil, err
		}
	}
	for i, name := range names {
		one, meta, err := constantsAt(con, name, samples, nil)
		if all && errors.Is(err, fs.ErrNotExist) && i < len(names)-1 {
			continue // a live run has deleted it meanwhile
		}
		if err != nil {
			return nil, nil, err
		}
		list, spec = append(list, one), &meta.Spec
	}
	return list, spec, nil
}

// kept returns the names of the checkpoints that a run has: the newest (checkpoint_keep), the
// selected and the pinned ones.
func kept(con *console.Console, name string) (names []string, err error) {
	r, err := con.Find(name)
	if err != nil {
		return nil, err
	}
	steps, err := r.Checkpoints()
	if err == nil && len(steps) == 0 {
		err = fmt.Errorf("run %s has no checkpoint yet", r.Meta.ID)
	}
	for _, s := range steps {
		names = append(names, fmt.Sprintf("%s@%d", r.Meta.ID, s))
	}
	return names, err
}

// constantsAt measures the constants at one checkpoint. If more is not nil, it then measures more
// there, given the constants.
func constantsAt(
	con *console.Console, name string, samples int,
	more func(*certificate.Frozen, *measure.Pass, certificate.Constants) error,
) (one atStep, m *runner.Meta, err error) {
	r, _, err := con.FindStep(name)
	if err == nil {
		err = r.Meta.HasOwnNetwork()
	}
	if err != nil {
		return one, nil, err
	}
	frozen, err := freeze(con, name)
	if err != nil {
		return one, nil, err
	}
	defer func() { err = errors.Join(err, frozen.Close()) }()
	train, err := frozen.Pass(runner.SplitTrain)
	if err != nil {
		return one, nil, err
	}
	one.Step = frozen.Step
	one.Constants, err = frozen.Constants(train, samples)
	if err == nil && more != nil {
		err = more(frozen, train, one.Constants)
	}
	return one, frozen.Meta, err
}

// largest returns the largest value of each constant. Checkpoints can say no more about the bounds
// that Theorem 1 assumes everywhere.
func largest(list []atStep) certificate.Constants {
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
		t.Add(step, fmt.Sprintf("%.4g", c.Bound),
			fmt.Sprintf("%.4g", c.Lipschitz), fmt.Sprintf("%.4g", c.Smoothness),
			console.Short(c.Lz), console.Short(c.LzBound))
	}
	for _, at := range list {
		add(fmt.Sprint(at.Step), at.Constants)
	}
	if len(list) > 1 {
		add("largest", largest(list))
	}
	fmt.Fprintf(con.Stdout, "\nConstants along the run, from %d training samples each:\n",
		list[0].Samples)
	console.Blocks(con.Stdout, t)
}
