package tuitest

import (
	"errors"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/record/recordtest/eventtest"
	"drolab/runner/sweep"
)

// sweepFile is the file of the sweep that NewSweep makes.
const sweepFile = `preset: csv
grid: {rho: [.05, .2, 1], algo: [sfk, pgd, erm]}
random: {draws: 2, seed: 3, lr: {log: [.001, .1]}}
seeds: 2
set: {epochs: 8, val_fraction: .2}
select: val_loss
`

// NewSweep makes the folder of a sweep. Most of its runs are done; one has failed, two are running,
// and the last have not begun.
func NewSweep(t testing.TB, dir string) *sweep.Folder {
	t.Helper()
	f := makeSweep(t, dir, sweepFile)
	for i := range f.List.Runs {
		status, epochs := runner.Done, 8
		switch {
		case i == 5:
			status, epochs = runner.Failed, 3
		case i >= 28:
			continue
		case i >= 26:
			status, epochs = runner.Running, 5
		}
		AddSwept(t, f, i, status, epochs)
	}
	return f
}

// AddSwept records run i of a sweep up to the given number of epochs.
func AddSwept(t testing.TB, f *sweep.Folder, i int, status runner.Status, epochs int) {
	t.Helper()
	spec, err := f.List.Spec(i)
	eventtest.Must(t, err)
	m := Archived(spec.Algorithm(), spec.Seed, "mine", Epoch0())
	m.ID, m.Spec = f.List.Runs[i].ID, spec
	end := ending{status: status}
	var evals []*runner.EvalEvent
	for e := 1; e <= epochs; e++ {
		head, dual := runner.Head{Step: int64(e * Steps)}, spec.Algorithm() != dro.ERM
		eval := Evaluation(head, Steps, i%7, float64(e)/8, dual)
		eval.Set("val_loss", measure.Num(3-2.5*float64(e)/8+.1*float64((5*i)%11)))
		eval.Selected, end.selected = true, eval
		evals = append(evals, eval)
	}
	if status == runner.Failed {
		end.cause = "loss is NaN at step 12: lower lr"
	}
	write(t, f.Dir, m, evals, &runner.StepEvent{Head: runner.Head{Step: int64(epochs * Steps)},
		ImagesPerSecond: measure.Num(2000)}, end)
}

// GrowSweep adds a third seed to the sweep of NewSweep.
func GrowSweep(t testing.TB, dir string) {
	t.Helper()
	makeSweep(t, dir, strings.Replace(sweepFile, "seeds: 2", "seeds: 3", 1))
}

func makeSweep(t testing.TB, dir, text string) *sweep.Folder {
	t.Helper()
	file, errs := sweep.Parse("mine.yaml", []byte(text))
	eventtest.Must(t, errors.Join(errs...))
	f, err := sweep.Make(dir, []byte(text), file.Expand())
	eventtest.Must(t, err)
	return f
}
