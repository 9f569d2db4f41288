package compare

import (
	"slices"
	"testing"

	"drolab/dro"
	"drolab/runner"

	"github.com/google/go-cmp/cmp"
)

// TestClock: a story speaks of the last five common evaluations and of the last one of a method
// that refits. Neither a run that fails nor a fork that has just begun changes that. A run that
// lacks one of the evaluations is late, and has no figures.
func TestClock(t *testing.T) {
	dfr := pgdResult().by("dfr").at(1, 2, 3, 4, 5, 6, 7, 60)
	young := func(r *StoryRun) {
		otherRate(r)
		r.Meta.Parent = "run 0@70"
	}
	for _, c := range []struct {
		name    string
		results []result
		epochs  []float64
		runs    []string
		late    []string
		waits   bool
	}{
		{"done", []result{ermResult(), sfkResult()}, []float64{4, 5, 6, 7, 8},
			[]string{"run 0", "run 1"}, nil, false},
		{"one is slower", []result{ermResult(), sfkResult().until(3, runner.Running)},
			[]float64{1, 2, 3}, []string{"run 0", "run 1"}, nil, false},
		{"one fails", []result{ermResult(), sfkResult().until(3, runner.Failed)},
			[]float64{4, 5, 6, 7, 8}, []string{"run 0"}, []string{"run 1"}, false},
		{"one refits", []result{ermResult(), dfr}, []float64{4, 5, 6, 7, 8},
			[]string{"run 0", "run 1"}, nil, false},
		{"all refit", []result{dfr}, []float64{8}, []string{"run 0"}, nil, false},
		{"a fork begins", []result{ermResult(), sfkResult(), sfkResult().changed(young)},
			[]float64{4, 5, 6, 7, 8}, []string{"run 0", "run 1"}, []string{"run 2"}, false},
		{"the baseline is not evaluated", []result{ermResult().until(0, runner.Running),
			sfkResult(), pgdResult()}, []float64{4, 5, 6, 7, 8}, []string{"run 1", "run 2"},
			[]string{"run 0"}, true},
		{"nothing is evaluated", []result{ermResult().until(0, runner.Running)}, nil, nil,
			[]string{"run 0"}, true},
	} {
		runs := storyRuns(c.results...)
		for i := range runs {
			runs[i].Meta.ID = "run " + string(rune('0'+i))
		}
		clock := NewStory(runs, 0).Clock
		want := Clock{Epochs: c.epochs, Runs: c.runs, Late: c.late, Waits: c.waits}
		if diff := cmp.Diff(want, clock); diff != "" {
			t.Errorf("%s: the clock differs (-want +got):\n%s", c.name, diff)
		}
		for _, r := range runs {
			want := len(c.epochs)
			switch {
			case slices.Contains(c.late, r.Meta.ID):
				want = 0
			case r.Meta.Spec.Algorithm() == dro.Algorithm("dfr"):
				want = 1
			}
			if of := clock.Of(r.Meta, r.Evals); len(of) != want {
				t.Errorf("%s: a figure of %s is the mean of %d evaluations, want %d", c.name,
					r.Meta.ID, len(of), want)
			}
		}
	}
}
