package tuitest

import (
	"errors"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/record"
	"drolab/runner/sweep"
)

// SweepFile is the file of the sweep that NewSweep makes.
const SweepFile = `preset: csv
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
	file, errs := sweep.Parse("mine.yaml", []byte(SweepFile))
	if len(errs) > 0 {
		t.Fatal(errors.Join(errs...))
	}
	f, err := sweep.Make(dir, []byte(SweepFile), file.Expand())
	if err != nil {
		t.Fatal(err)
	}
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
	store, err := record.Open(f.Dir)
	spec, also := f.List.Spec(i)
	if err = errors.Join(err, also); err != nil {
		t.Fatal(err)
	}
	m := Archived(spec.Algorithm(), spec.Seed, "mine", Epoch0())
	m.ID, m.Spec = f.List.Runs[i].ID, spec
	r, err := store.Create(m, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() }) // a running run stays locked
	events := []runner.Event{&runner.StatusEvent{Status: runner.Running}}
	var last, best *runner.EvalEvent
	for e := 1; e <= epochs; e++ {
		head, dual := runner.Head{Step: int64(e * Steps)}, spec.Algorithm() != dro.ERM
		last = Evaluation(head, Steps, i%7, float64(e)/8, dual)
		last.Set("val_loss", measure.Num(3-2.5*float64(e)/8+.1*float64((5*i)%11)))
		last.Selected, best = true, last
		events = append(events, last)
	}
	head := runner.Head{Step: last.Step}
	events = append(events, &runner.StepEvent{Head: head, ImagesPerSecond: measure.Num(2000)})
	cause := ""
	if status == runner.Failed {
		cause = "loss is NaN at step 12: lower lr"
	}
	if status.Ended() {
		events = append(events, &runner.StatusEvent{Head: head, Status: status, Cause: cause})
	}
	for _, e := range events {
		err = errors.Join(err, r.Append(e))
	}
	if status.Ended() {
		s := runner.Summarize(m, status, last.Step, last, &runner.StepEvent{Head: head,
			ImagesPerSecond: measure.Num(2000)})
		s.Cause = cause
		s.Selects(m, best)
		err = errors.Join(err, r.Finish(s), r.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// GrowSweep adds a third seed to the sweep of NewSweep.
func GrowSweep(t testing.TB, dir string) {
	t.Helper()
	text := strings.Replace(SweepFile, "seeds: 2", "seeds: 3", 1)
	file, errs := sweep.Parse("mine.yaml", []byte(text))
	if len(errs) > 0 {
		t.Fatal(errors.Join(errs...))
	}
	if _, err := sweep.Make(dir, []byte(text), file.Expand()); err != nil {
		t.Fatal(err)
	}
}
