package dro

import (
	"errors"
	"fmt"
	"math"
)

var errNoProblem = errors.New("no problem given: expected an uncertainty set and a box")

// dualBase is the part that the methods with dual variables share: z, and the weights φ*′((ℓ_i −
// η)/λ) that z gives the samples.
type dualBase struct {
	Base
	problem Problem
	z       Z
	last    Eval // of the last batch that was weighed
}

// dualReads returns the keys of the settings of z that every method with dual variables reads, and
// the further ones.
func dualReads(further ...string) []string {
	z := []string{"coordinates", "lambda", "eta", "lambda0", "lambda_max", "eta_min", "eta_max"}
	return append(z, further...)
}

// newDualBase checks the task and places z at the start, projected onto the box.
func newDualBase(t Task) (dualBase, error) {
	start := Z{Lambda: t.Number("lambda"), Eta: t.Number("eta")}
	switch {
	case t.Problem == nil:
		return dualBase{}, errNoProblem
	case checkLambda(start.Lambda) != nil:
		return dualBase{}, checkLambda(start.Lambda)
	case math.IsNaN(start.Eta) || math.IsInf(start.Eta, 0):
		return dualBase{}, fmt.Errorf("eta %v: expected a finite value", start.Eta)
	}
	if err := t.Problem.Validate(); err != nil {
		return dualBase{}, err
	}
	return dualBase{problem: *t.Problem, z: t.Problem.Box.Project(start)}, nil
}

// checkLambda returns an error for a λ at which nothing can start.
func checkLambda(lambda float64) error {
	if !(lambda > 0) || math.IsInf(lambda, 1) {
		return fmt.Errorf("lambda %v: expected a positive finite value", lambda)
	}
	return nil
}

// Z implements Dual.
func (d *dualBase) Z() Z { return d.z }

// Confine implements Dual.
func (d *dualBase) Confine() { d.z = d.problem.Box.Project(d.z) }

// Weights implements Trainer.
func (d *dualBase) Weights(w []float64, b Batch) { d.last = d.problem.Evaluate(w, b.Losses, d.z) }

// Samplewise implements Trainer.
func (d *dualBase) Samplewise() func(w, losses []float64) { return d.weigh }

func (d *dualBase) weigh(w, losses []float64) { d.problem.Evaluate(w, losses, d.z) }

// Report implements Trainer. A set without a radius has no λ.
func (d *dualBase) Report(record func(string, float64)) {
	record("objective", d.last.Value)
	if d.problem.Set.HasRadius() {
		record("lambda", d.z.Lambda)
	}
	record("eta", d.z.Eta)
	record("mean_ratio", d.last.MeanRatio)
	record("divergence", d.last.Divergence)
}

// State implements Trainer.
func (d *dualBase) State() State {
	return State{Numbers: map[string]float64{"lambda": d.z.Lambda, "eta": d.z.Eta}}
}

// Restore implements Trainer.
func (d *dualBase) Restore(s State) error {
	z, err := s.numbers("lambda", "eta")
	if err == nil {
		d.z = Z{Lambda: z[0], Eta: z[1]}
	}
	return err
}

// Warning implements Warner.
func (d *dualBase) Warning() string {
	if d.last.MeanRatio == 0 {
		return "every likelihood ratio of a batch is 0, so the network got no gradient: lower " +
			"eta, or take smaller steps on z (sfk: raise c or take sfk-auto; the others: lower " +
			"lr_z)"
	}
	return ""
}

// gradient returns ∂F/∂z of a batch at the present z.
func (d *dualBase) gradient(losses []float64) Z { return d.problem.Evaluate(nil, losses, d.z).Grad }

// Form implements Trainer. A set of another package has no form.
func (d *dualBase) Form(into []float64) Form {
	u := d.problem.Unshift(d.z)
	f := Form{Numbers: append(into, u.Lambda, u.Eta)}
	switch set := d.problem.Set.(type) {
	case CressieRead:
		f.Kind = FormChi2
		if set.K != 2 {
			f.Kind, f.Numbers = FormCressieRead, append(f.Numbers, set.K)
		}
	case KL:
		f.Kind = FormKL
	case SmoothedCVaR:
		f.Kind, f.Numbers = FormSmoothedCVaR, append(f.Numbers, set.Mu)
	case CVaR:
		f.Kind, f.Numbers = FormCVaR, append(f.Numbers, set.Mu)
	}
	return f
}

// dualMeasures returns the measures of methods with dual variables. They are taken on a step's own
// batch at the z that the step started from; λ and η are those after the step.
func dualMeasures() []Measure {
	return []Measure{
		{Name: "objective", Title: "dual objective",
			Unit: "nats", Scale: Log, Better: Lower, Noisy: true, Asks: OfProblem,
			Doc: "F(x; λ, η) of the x-batch at the z before the step: an upper bound of its " +
				"worst-case risk"},
		{Name: "lambda", Title: "λ", Symbol: "λ", Unit: "nats", Radius: true,
			Doc: "multiplier of the constraint D_φ(Q‖P) ≤ ρ, after the step: a small λ lets the " +
				"adversary reweight freely, a large one holds it near the data; it stays in its " +
				"box"},
		{Name: "eta", Title: "η", Symbol: "η", Unit: "nats",
			Doc: "multiplier of the constraint that the weights average 1, after the step: the " +
				"loss level around which the adversary reweights; where the coordinates of the " +
				"run are the paper's, shifted by −λ/(k−1)"},
		{Name: "mean_ratio", Title: "mean ratio", Noisy: true, Asks: OfProblem,
			Doc: "mean likelihood ratio r of the x-batch; 1 where F is least in η"},
		{Name: "divergence", Title: "batch divergence", Noisy: true, Asks: OfProblem,
			Doc: "mean φ(r) of the x-batch; ρ where F is least in λ"},
	}
}
