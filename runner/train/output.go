package train

import (
	"fmt"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/measure"
)

// output measures the x that the method's output rule has chosen, by putting its weights in place
// of the last ones; it returns nil if there is none. At the end of the run it also evaluates that x
// on the test split.
func (r *Run) output() (*measure.Output, error) {
	now := r.Method.Picked()
	if now == nil {
		return nil, nil
	}
	r.Net.Swap()
	defer r.Net.Swap()
	o, err := r.Stationarity(r.Method.Picker.Picked().Z)
	if err != nil || !r.atEnd() {
		return o, err
	}
	r.iterate = now
	return o, r.testIterate()
}

// Stationarity measures the present network with the dual variables z, on the training split. It
// returns both parts of the paper's test, F(x; z) − R_ρ(x) and ‖∇_x F(x; z)‖. Both are 0 if x is
// stationary for R_ρ and z is the best one there.
func (r *Run) Stationarity(z dro.Z) (*measure.Output, error) {
	train, err := r.Pass(runner.SplitTrain, false)
	if err != nil {
		return nil, err
	}
	worst, err := dro.WorstCase(r.Method.Problem.Set, nil, train.Losses, r.Method.Problem.Rho)
	if err != nil {
		return nil, fmt.Errorf("step %d: the paper's iterate: training %w", r.step, err)
	}
	weights := make([]float64, len(train.Losses))
	f := r.Method.Problem.Evaluate(weights, train.Losses, z).Value
	norm, err := r.GradNorm(weights)
	if err != nil {
		return nil, err
	}
	return &measure.Output{DualGap: f - worst.Risk, GradNorm: norm}, nil
}

// testIterate evaluates the present network on the test split.
func (r *Run) testIterate() error {
	test, err := r.Pass(runner.SplitTest, false)
	if err != nil {
		return err
	}
	e, to := r.Evaluation(), r.iterate
	e.Test = test
	to.TestLoss, to.TestAccuracy = test.Loss(), test.Accuracy()
	to.WorstClassAccuracy = e.LeastAccuracy(measure.PerClass)
	to.WorstGroupAccuracy = e.LeastAccuracy(measure.PerGroup)
	return nil
}
