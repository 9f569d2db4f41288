package compare

import (
	"cmp"
	"math"
	"slices"

	"drolab/runner"
)

// Common returns the evaluations of each run at the epochs that all runs have evaluated. At the
// last of these epochs runs of different speed are compared, in every sentence and table.
func Common(runs [][]*runner.EvalEvent) (common [][]*runner.EvalEvent) {
	among := func(evals, others []*runner.EvalEvent) []*runner.EvalEvent {
		lacks := func(e *runner.EvalEvent) bool { return At(others, e.Epoch) == nil }
		return slices.DeleteFunc(slices.Clone(evals), lacks)
	}
	all := slices.Concat(runs[:min(1, len(runs))]...)
	for _, evals := range runs {
		all = among(all, evals)
	}
	for _, evals := range runs {
		common = append(common, among(evals, all))
	}
	return common
}

// At returns the evaluation at an epoch, or nil without one. Epochs are equal up to rounding: each
// is a number of steps divided by the run's own number of steps per epoch.
func At(evals []*runner.EvalEvent, epoch float64) *runner.EvalEvent {
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
