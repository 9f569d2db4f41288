package train

import (
	"math"
	"slices"
	"testing"

	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/spec"
)

// A value that is not a number is never better. Of equal values a run of the first rule keeps the
// first, and a run of the rule by val_loss takes the lower loss, then the later one. Neither is an
// improvement for patience. A run knows whether all its evaluations are equal.
func TestSelection(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name         string
		by           string
		ties         runner.TieRule
		values       []float64 // of the measure; NaN twice: it does not apply, and it is a NaN
		losses       []float64 // val_loss; nil: none
		selected     []bool
		waited, tied int
	}{
		{"NaN", "val_loss", runner.TiesToFirst, []float64{nan, nan, 3, nan, 3, 2, nan, 2.5}, nil,
			[]bool{false, false, true, false, false, true, false, false}, 2, 0},
		{"NaN, ties by loss", "val_loss", runner.TiesByLoss,
			[]float64{nan, nan, 3, nan, 3, 2, nan, 2.5}, nil,
			[]bool{false, false, true, false, true, true, false, false}, 2, 0},
		{"all tie, the first", "val_accuracy", runner.TiesToFirst, []float64{0, 0, 0, 0},
			[]float64{3, 1, 2, 1}, []bool{true, false, false, false}, 3, 4},
		{"all tie, by loss", "val_accuracy", runner.TiesByLoss, []float64{0, 0, 0, 0},
			[]float64{3, 1, 2, 1}, []bool{true, true, false, true}, 3, 4},
		{"all tie, without losses", "val_accuracy", runner.TiesByLoss, []float64{0, 0, 0},
			[]float64{nan, nan, nan}, []bool{true, true, true}, 2, 3},
		{"some tie", "val_accuracy", runner.TiesByLoss, []float64{.5, .7, .7, .6, .7},
			[]float64{1, 2, 3, .1, 2}, []bool{true, true, false, false, true}, 3, 0},
		{"some tie, the first", "val_accuracy", runner.TiesToFirst, []float64{.5, .7, .7, .6, .7},
			[]float64{1, 2, 3, .1, 2}, []bool{true, true, false, false, false}, 3, 0},
		{"a better one with a higher loss", "val_accuracy", runner.TiesByLoss, []float64{.5, .6},
			[]float64{1, 9}, []bool{true, true}, 0, 0},
		{"lower is better", "val_equal_opportunity", runner.TiesByLoss, []float64{.5, .4, .4, .45},
			[]float64{3, 2, 1, 0}, []bool{true, true, true, false}, 2, 0},
		{"one, then none that applies", "val_accuracy", runner.TiesByLoss, []float64{.5, nan},
			[]float64{3, 2}, []bool{true, false}, 1, 1},
	} {
		s := spec.Defaults()
		s.Select = c.by
		r := &Run{Plan: Plan{Meta: &runner.Meta{Spec: s, Ties: c.ties}}}
		var got []bool
		for i, x := range c.values {
			e := &runner.EvalEvent{}
			if c.losses != nil {
				e.Set("val_loss", measure.NumIf(!math.IsNaN(c.losses[i]), c.losses[i]))
			}
			e.Set(c.by, measure.NumIf(!math.IsNaN(x) || i%2 == 1, x))
			r.selectIfBetter(e)
			got = append(got, e.Selected)
		}
		if !slices.Equal(got, c.selected) {
			t.Errorf("%s: selected %v, want %v", c.name, got, c.selected)
		}
		if r.waited != c.waited || r.tied != c.tied {
			t.Errorf("%s: waited %d, tied %d, want %d, %d", c.name, r.waited, r.tied, c.waited,
				c.tied)
		}
	}
}
