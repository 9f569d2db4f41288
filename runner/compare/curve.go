package compare

import (
	"cmp"
	"math"
	"slices"

	"drolab/runner"
	"drolab/runner/lists"
	"drolab/runner/page"
)

// commonEvals returns the evaluations of each run at the epochs that all runs have evaluated. At
// the last of these epochs runs of different speed are compared, in every sentence and table.
func commonEvals(runs [][]*runner.EvalEvent) [][]*runner.EvalEvent {
	among := func(evals, others []*runner.EvalEvent) []*runner.EvalEvent {
		lacks := func(e *runner.EvalEvent) bool { return EvalAt(others, e.Epoch) == nil }
		return slices.DeleteFunc(slices.Clone(evals), lacks)
	}
	all := slices.Concat(runs[:min(1, len(runs))]...)
	for _, evals := range runs {
		all = among(all, evals)
	}
	return lists.Map(runs, func(evals []*runner.EvalEvent) []*runner.EvalEvent {
		return among(evals, all)
	})
}

// EvalAt returns the evaluation at an epoch, or nil without one. Epochs are equal up to rounding:
// each is a number of steps divided by the run's own number of steps per epoch.
func EvalAt(evals []*runner.EvalEvent, epoch float64) *runner.EvalEvent {
	i, ok := slices.BinarySearchFunc(evals, epoch, func(e *runner.EvalEvent, at float64) int {
		if math.Abs(e.Epoch-at) <= 1e-6*max(1, math.Abs(at)) {
			return 0
		}
		return cmp.Compare(e.Epoch, at)
	})
	if !ok {
		return nil
	}
	return evals[i]
}

// MeanCurve returns the mean of a measure over runs, with half of its t interval at a level, at
// each epoch at which all runs that have the measure have been evaluated. Runs of one experiment
// are evaluated at the same epochs.
func MeanCurve(runs [][]*runner.EvalEvent, name string, level float64) (points []page.Point) {
	var epochs []float64
	values, most := map[float64][]float64{}, 0
	has := func(e *runner.EvalEvent) bool { return e.Named(name).Applies() }
	for _, evals := range runs {
		if slices.ContainsFunc(evals, has) {
			most++
		}
		for _, e := range evals {
			if v := e.Named(name); v.Finite() {
				if values[e.Epoch] == nil {
					epochs = append(epochs, e.Epoch)
				}
				values[e.Epoch] = append(values[e.Epoch], v.Float())
			}
		}
	}
	for _, x := range epochs {
		if len(values[x]) == most {
			mean, half := TInterval(values[x], level)
			points = append(points, page.Point{X: x, Y: mean, Half: half})
		}
	}
	return points
}
