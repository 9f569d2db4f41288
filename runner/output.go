package runner

import (
	"fmt"

	"drolab/dro"
)

// output measures the x that the method's output rule has chosen, with its weights
// in place of the last ones; nil where there is none. At the end of the run it
// goes over the test split, too.
func (r *Run) output() (*Output, error) {
	now := r.pickedNow()
	if now == nil {
		return nil, nil
	}
	r.net.Swap()
	defer r.net.Swap()
	o, err := r.certificateAt(r.picker.Picked().Z)
	if err != nil || r.step != r.meta.Steps {
		return o, err
	}
	r.iterate = now
	return o, r.testIterate()
}

// certificateAt measures the network as it is with the dual variables z.
func (r *Run) certificateAt(z dro.Z) (*Output, error) {
	train, err := r.pass(SplitTrain, false)
	if err != nil {
		return nil, err
	}
	worst, err := r.problem.Set.WorstCase(nil, train.Losses, r.problem.Rho)
	if err != nil {
		return nil, fmt.Errorf("step %d: the paper's iterate: training %w", r.step, err)
	}
	weights := make([]float64, len(train.Losses))
	f := r.problem.At(weights, train.Losses, z).Value
	norm, err := r.gradNorm(weights)
	return &Output{DualGap: f - worst.Risk, GradNorm: norm}, err
}

// testIterate evaluates the network as it is on the test split.
func (r *Run) testIterate() error {
	test, err := r.pass(SplitTest, false)
	if err != nil {
		return err
	}
	e := r.evaluation()
	r.iterate.TestLoss, r.iterate.TestAccuracy = Num(Mean(test.Losses)), Num(Mean(test.Hits()))
	r.iterate.WorstClassAccuracy = e.LeastAccuracy(PerClass, test)
	r.iterate.WorstGroupAccuracy = e.LeastAccuracy(PerGroup, test)
	return nil
}

// pickedNow is what the method's output rule has chosen so far; nil where there
// is nothing yet, or no rule.
func (r *Run) pickedNow() *PaperIterate {
	if r.picker == nil || r.picker.Picked().Step == 0 {
		return nil
	}
	p := r.picker.Picked()
	return &PaperIterate{Step: int64(p.Step), Lambda: Num(p.Z.Lambda), Eta: Num(p.Z.Eta),
		GradNorm: Num(p.GradNorm), Gap: Num(p.Gap)}
}
