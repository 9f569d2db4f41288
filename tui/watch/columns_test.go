package watch

import (
	"strings"
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/tui/internal/tuitest"
	"drolab/tui/plot"
	"drolab/tui/watch/panel"
)

// TestOutcome: the table marks the best figure of each column that is of the network: worst class,
// robust risk, mean and test loss, as far as there is room. It shows the difference of the first
// two to the baseline, even on the smallest screen.
func TestOutcome(t *testing.T) {
	for size, bests := range map[[2]int]int{{200, 60}: 4, {40, 12}: 2} {
		r := watching(t, size[0], size[1])
		first, further := r.watch.Runs.Tracks[0], r.watch.Runs.Tracks[1]
		better := func(run *panel.Track, worst, risk float64) string {
			setMeasure(run, "worst_class_accuracy", worst)
			setMeasure(run, "robust_risk", risk)
			setMeasure(run, "test_accuracy", worst)
			setMeasure(run, "test_loss", risk)
			return strings.Join(r.watch.table(r.watch.layout().runs), "\n")
		}
		s := better(first, .9, .5)
		if n := strings.Count(s, r.Theme.Best); n != bests {
			t.Errorf("%v: %d best values, want %d:\n%s", size, n, bests, s)
		}
		if s := better(further, .9, .5); strings.Contains(s, r.Theme.Best) {
			t.Errorf("%v: one of two equals is the best:\n%s", size, s)
		}
		r.Wait(20*time.Second, time.Second)
		s = tuitest.Text(r.Shot())
		for _, run := range r.watch.Runs.Tracks {
			base := r.watch.Runs.Tracks[r.watch.Runs.Baseline]
			worst := panel.ClockFigure("worst_class_accuracy", r.watch.Runs.Clock)
			d := worst(run).Float() - worst(base).Float()
			if want := plot.Percent(d); run.Meta.Spec.Algorithm() != dro.Baseline() &&
				!strings.Contains(s, want) {
				t.Errorf("%v: no change of %s:\n%s", size, want, s)
			}
		}
	}
}

// TestETAOfDone: a row whose runs are all done says what the longest of them took.
func TestETAOfDone(t *testing.T) {
	w := watching(t, 80, 24).watch
	two := w.Runs.Tracks[:2]
	for i, run := range two {
		run.Status, run.Share, run.Seconds = runner.Done, 1, float64(60+i)
	}
	eta := w.progress()[1]
	if got, want := eta.Cell(two), "took 1m01s"; got != want {
		t.Errorf("two that are done have the ETA %q, want %q", got, want)
	}
	if two[0].Share = .5; strings.Contains(eta.Cell(two), "in ") {
		t.Errorf("with half a log the ETA is %q", eta.Cell(two))
	}
	two[0].Status, two[0].Share = runner.Running, 1
	if got := eta.Cell(two); strings.Contains(got, "in ") {
		t.Errorf("with one that goes on the ETA is %q", got)
	}
}

// TestETAOfARefit: while the last layer of a run is fitted again, its row says which fit goes on,
// and the words on the run do. Nobody trains a run that was lost.
func TestETAOfARefit(t *testing.T) {
	w := watching(t, 80, 24).watch
	run := w.Runs.Tracks[0]
	eta := func() string { return w.progress()[1].Cell([]*panel.Track{run}) }
	fits := func() string { return run.StatusText(w.Runs.Clock, panel.Brief) }
	h := runner.Head{Step: run.Meta.Steps}
	run.Behind = nil
	for _, c := range []struct {
		e         runner.Event
		eta, text string
	}{
		{&runner.RefitEvent{Head: h}, "refit", ", refit of the last layer"},
		{&runner.RefitEvent{Head: h, Fit: 3, Fits: 25}, "fit 3/25",
			", fit 3/25 of the last layer"},
		{&runner.StatusEvent{Head: h, Status: runner.Paused}, "–", ""},
		{&runner.RefitEvent{Head: h, Fit: 4, Fits: 25}, "fit 4/25", "fit 4/25 of"},
	} {
		run.Add([]runner.Event{c.e})
		if got := eta(); got != c.eta {
			t.Errorf("behind %+v the ETA is %q, want %q", c.e, got, c.eta)
		}
		if got := fits(); !strings.Contains(got, c.text) ||
			c.text == "" && strings.Contains(got, "fit") {
			t.Errorf("behind %+v the run is %q, want %q in it", c.e, got, c.text)
		}
	}
	run.Status = runner.Interrupted
	if got := eta() + fits(); strings.Contains(got, "fit") {
		t.Errorf("a lost run is %q", got)
	}
}

// TestColumnNames: the head of a column is not the name of another measure than its own.
func TestColumnNames(t *testing.T) {
	w := watching(t, 80, 24).watch
	n := 0
	for _, c := range w.columns() {
		if c.Measure != nil {
			n++
			tuitest.OneName(t, c.Head, c.Measure)
		}
	}
	if n < 8 {
		t.Errorf("%d columns of measures, want 8 or more", n)
	}
}

// TestColumnsWithoutLambda: a set without a radius has no λ, so the table has no column for it.
func TestColumnsWithoutLambda(t *testing.T) {
	r := watching(t, 80, 24)
	w := r.watch
	for set, want := range map[string]bool{"chi2": true, "cvar": false} {
		for _, run := range w.Runs.Tracks {
			run.Meta.Spec.Uncertainty = set
		}
		heads := map[string]bool{}
		for _, c := range w.columns() {
			heads[c.Head] = true
		}
		if heads["λ"] != want {
			t.Errorf("%s: there is a column of λ: %v, want %v", set, heads["λ"], want)
		}
		if !heads["η"] {
			t.Errorf("%s: there is no column of η: %v", set, heads)
		}
	}
}
