package watch

import (
	"slices"
	"strings"
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/measure"
	"drolab/tui/internal/tuitest"
	"drolab/tui/plot"
)

// TestOutcome: the table marks the best worst class and the best robust risk, and shows the
// difference of each to the baseline, even on the smallest screen.
func TestOutcome(t *testing.T) {
	for _, size := range [][2]int{{120, 40}, {40, 12}} {
		r := watching(t, size[0], size[1])
		// The best is the best at the last epoch that all runs have, unless another run is better
		// by now.
		first := r.watch.Runs.Tracks[0]
		epoch := r.watch.Runs.Epoch
		better := func(worst, risk float64, evals ...*runner.EvalEvent) string {
			for _, e := range evals {
				e.Set("worst_class_accuracy", measure.Num(worst))
				e.Set("robust_risk", measure.Num(risk))
			}
			r.watch.touch()
			return tuitest.Text(r.Shot())
		}
		common := first.Evaluations()
		at := slices.IndexFunc(common, func(e *runner.EvalEvent) bool { return e.Epoch == epoch })
		s := better(.9, .5, common[at], first.Eval)
		if n := strings.Count(s, r.Theme.Best); n != 2 {
			t.Errorf("%v: %d best values, want 2:\n%s", size, n, s)
		}
		further := r.watch.Runs.Tracks[1]
		if further.Eval.Epoch <= epoch {
			t.Fatal("no run is further")
		}
		if s := better(.95, .4, further.Eval); strings.Contains(s, r.Theme.Best) {
			t.Errorf("%v: the best is worse than another:\n%s", size, s)
		}
		r.Wait(20*time.Second, time.Second) // when all have the same result
		if s = tuitest.Text(r.Shot()); strings.Contains(s, r.Theme.Best) {
			t.Errorf("%v: one of equals is the best:\n%s", size, s)
		}
		for _, run := range r.watch.Runs.Tracks {
			base := r.watch.Runs.Tracks[r.watch.Runs.Baseline]
			d := run.Eval.Named("worst_class_accuracy").Float() -
				base.Eval.Named("worst_class_accuracy").Float()
			if want := plot.Percent(d); run.Meta.Spec.Algorithm() != dro.Baseline() &&
				!strings.Contains(s, want) {
				t.Errorf("%v: no change of %s:\n%s", size, want, s)
			}
		}
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
