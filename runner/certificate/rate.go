package certificate

import (
	"math"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/measure"
)

// Rate is how a measure fell with the samples that a run had seen: a line through
// log value against log samples, over its evaluations.
type Rate struct {
	Measure string      `json:"measure"`
	Points  []ratePoint `json:"points"`
	// Slope is the slope of the line by least squares, and SlopeError its standard error. They do
	// not apply to fewer than three points.
	Slope      measure.Number `json:"slope"`
	SlopeError measure.Number `json:"slope_error"`
}

// ratePoint is an evaluation at which the measure is above 0.
type ratePoint struct {
	Step    int64   `json:"step"`
	Samples float64 `json:"samples"` // seen by then, in x-batches and the method's own batches
	Value   float64 `json:"value"`
}

// rated lists the measures that the theory speaks of. Each goes to 0 at a solution, and only then
// does a slope tell how fast.
func rated() []string {
	return []string{"dual_gap", "full_grad_norm", "output_dual_gap", "output_grad_norm",
		"excess_risk"}
}

// Rates fits the rated measures that the evaluations have; evals is in the order of the log. A
// value of 0 or below has no logarithm and is left out, as is the network before its first step.
func Rates(m *runner.Meta, evals []*runner.EvalEvent) (list []Rate) {
	each := samplesPerStep(m)
	for _, name := range rated() {
		r := Rate{Measure: name}
		for _, e := range evals {
			if v := e.Of(name).Float(); v > 0 && e.Step > 0 {
				r.Points = append(r.Points, ratePoint{e.Step, float64(e.Step) * each, v})
			}
		}
		if len(r.Points) > 0 {
			r.fit()
			list = append(list, r)
		}
	}
	return list
}

// samplesPerStep returns the number of samples that a step draws: the x-batch and, if the method
// draws one, a batch of its own. The theory counts samples drawn, and methods differ in how many a
// step takes.
func samplesPerStep(m *runner.Meta) float64 {
	n := float64(m.Spec.Batch)
	method, _, err := runner.NewTrainer(&m.Spec, &m.Parts)
	if err != nil || !method.Fresh() {
		return n
	}
	if m.Spec.BatchZ > 0 {
		return n + float64(m.Spec.BatchZ)
	}
	return 2 * n
}

// fit puts a line through log value against log samples by least squares. The standard
// error is the usual one, √(Σ residuals² / (n − 2) / Σ (x − mean)²); it takes the points
// for independent, which evaluations of one run are not, and so is on the small side.
func (r *Rate) fit() {
	n := float64(len(r.Points))
	var mx, my, xx, xy, yy float64
	for _, p := range r.Points {
		mx, my = mx+math.Log(p.Samples)/n, my+math.Log(p.Value)/n
	}
	for _, p := range r.Points {
		x, y := math.Log(p.Samples)-mx, math.Log(p.Value)-my
		xx, xy, yy = xx+x*x, xy+x*y, yy+y*y
	}
	if n < 3 || !(xx > 0) {
		return
	}
	slope := xy / xx
	r.Slope = measure.Num(slope)
	r.SlopeError = measure.Num(math.Sqrt(max(0, yy-slope*xy) / (n - 2) / xx))
}

// PaperSlope returns the slope that the paper's Theorem 1 promises for dual gap and gradient norm
// against the samples drawn: to reach ε it takes T (n_x + n_z) samples, of the order of ε^−(3k*+5).
// It does not apply to sets other than Cressie-Read.
func PaperSlope(set dro.Set) measure.Number {
	cr, ok := set.(dro.CressieRead)
	if !ok {
		return measure.Number{}
	}
	return measure.Num(-1 / (3*cr.K/(cr.K-1) + 5))
}
