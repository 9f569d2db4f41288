package certificate

import (
	"cmp"
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

// Rates fits the measures that the theory speaks of and that the evaluations have; evals is in the
// order of the log. A value of 0 or below has no logarithm and is left out, as is the network
// before its first step. The error of a slope takes the points for independent, which evaluations
// of one run are not, and so is on the small side.
func Rates(m *runner.Meta, evals []*runner.EvalEvent) (list []Rate) {
	each := samplesPerStep(m)
	// Each of these goes to 0 at a solution, and only then does a slope tell how fast.
	for _, name := range []string{"dual_gap", "full_grad_norm", "output_dual_gap",
		"output_grad_norm", "excess_risk"} {
		r := Rate{Measure: name}
		var x, y []float64
		for _, e := range evals {
			if v := e.Named(name).Float(); v > 0 && e.Step > 0 {
				x, y = append(x, float64(e.Step)*each), append(y, v)
				r.Points = append(r.Points, ratePoint{e.Step, x[len(x)-1], v})
			}
		}
		r.Slope, r.SlopeError = Slope(x, y)
		if len(r.Points) > 0 {
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
	method, _, err := runner.NewTrainer(&m.Spec, &m.Parts, nil)
	if err != nil || !method.Fresh() {
		return n
	}
	return n + float64(cmp.Or(m.Spec.BatchZ, m.Spec.Batch))
}

// Slope returns the slope of a line through log y against log x by least squares, and its standard
// error √(Σ residuals² / (n − 2) / Σ (x − mean)²). They do not apply to fewer than three points.
func Slope(x, y []float64) (slope, err measure.Number) {
	n := float64(len(x))
	var mx, my, xx, xy, yy float64
	for i := range x {
		mx, my = mx+math.Log(x[i])/n, my+math.Log(y[i])/n
	}
	for i := range x {
		dx, dy := math.Log(x[i])-mx, math.Log(y[i])-my
		xx, xy, yy = xx+dx*dx, xy+dx*dy, yy+dy*dy
	}
	if n < 3 || !(xx > 0) {
		return slope, err
	}
	return measure.Num(xy / xx), measure.Num(math.Sqrt(max(0, yy-xy/xx*xy) / (n - 2) / xx))
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
