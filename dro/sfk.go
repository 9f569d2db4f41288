package dro

import "math"

// sfk is SFK-DRO, the paper's Algorithm 1: a stochastic gradient step on x,
// then a Frank-Wolfe step on z over the box, on an independent draw.
func sfk() Method {
	return Method{
		Name: SFK, Doc: "SFK-DRO: gradient on x, Frank-Wolfe on z = (λ, η)",
		Source:   "Zhang, Zhou, Prater-Bennette, Shen, Zou 2024 (arXiv 2404.01200), Algorithm 1",
		Theorem1: true,
		Settings: []Setting{
			{Key: "c", Doc: "C in γ = min(gap/C, 1)", Default: Fixed(1000),
				Want: "a number > 0", Check: above0, Live: true},
			{Key: "share_batch", Doc: "use the weights' batch for z as well: faster, but not " +
				"independent",
				Default: Fixed(0), Want: "true or false", On: true},
		},
		Reads: dualReads("batch_z"), Live: []string{"lambda0", "lambda_max"},
		Measures: frankWolfeMeasures(), Cost: frankWolfeCost,
		New: func(t Task) (Trainer, error) {
			f, err := newFrankWolfe(t)
			return &printed{f, t.Number("c")}, err
		},
	}
}

// frankWolfeCost is the cost of a step in steps of ERM. A step takes one more forward pass (math.md
// §5).
const frankWolfeCost = 1.353

func frankWolfeMeasures() []Measure {
	return append(dualMeasures(),
		Measure{Name: "gap", Title: "Frank-Wolfe gap", Unit: "nats", Better: Lower, Noisy: true,
			Asks: OfProblem,
			Doc: "−⟨d, g⟩ of the step on z, on its own batch, where d points to the box's " +
				"best corner: an upper bound of the dual objective's error on that batch"},
		Measure{Name: "gamma", Title: "γ", Symbol: "γ", Noisy: true,
			Doc: "step size of the Frank-Wolfe step on z: min(gap/C, 1), or what sfk-auto " +
				"searches for"})
}

// printed takes the step on z as printed in the paper, lines 6 to 10 of Algorithm 1.
type printed struct {
	frankWolfe
	c float64
}

// After implements Trainer.
func (p *printed) After(b Batch, s Step) {
	before := p.z
	_, dir := p.aim(b.Losses, p.problem.Box)
	p.gamma = math.Min(p.gap/p.c, 1)
	p.z = p.z.along(p.gamma, dir)
	p.Confine() // γ = 1 may be a rounding beyond the corner
	p.observe(s, before)
}

// Warning implements Warner.
func (p *printed) Warning() string {
	if p.gamma == 1 {
		return "a step on z went the whole way to a corner of its box (γ = 1), so c is too small " +
			"for the box: raise c, take sfk-auto, or narrow the box (lambda_max, eta_min, eta_max)"
	}
	return p.dual.Warning()
}

// frankWolfe is the part that sfk and sfk-auto share: the gap, the output rule of the paper's
// Algorithm 1, and the state.
type frankWolfe struct {
	dual
	share bool

	gap, gamma float64 // of the last step
	rule       PaperIterate
	// recent belongs to sfk-auto. It is here because old runs could turn from one method into the
	// other and back, and such a run must resume bit for bit.
	recent recent
}

func newFrankWolfe(t Task) (frankWolfe, error) {
	d, err := newDual(t)
	return frankWolfe{dual: d, share: t.Number("share_batch") == 1}, err
}

// Fresh implements Trainer.
func (f *frankWolfe) Fresh() bool { return !f.share }

// observe gives the output rule a step and the z before the step.
func (f *frankWolfe) observe(s Step, before Z) {
	if f.rule.Observe(int(s.T), s.GradNorm, f.gap) {
		f.rule.Z = before
	}
}

// aim evaluates F on the losses, returns the direction to the best corner of the box and sets the
// gap.
func (f *frankWolfe) aim(losses []float64, box Box) (eval Eval, dir Z) {
	eval = f.problem.At(nil, losses, f.z)
	dir = box.Corner(eval.Grad).sub(f.z)
	f.gap = -dir.dot(eval.Grad)
	return eval, dir
}

// Picked implements Picker.
func (f *frankWolfe) Picked() PaperIterate { return f.rule }

// Report implements Trainer.
func (f *frankWolfe) Report(put func(string, float64)) {
	f.dual.Report(put)
	put("gap", f.gap)
	put("gamma", f.gamma)
}

// State implements Trainer.
func (f *frankWolfe) State() State {
	s := f.dual.State()
	if r := &f.rule; r.Step > 0 {
		s.Numbers["picked_step"] = float64(r.Step)
		s.Numbers["picked_grad_norm"] = r.GradNorm
		s.Numbers["picked_gap"] = r.Gap
		s.Numbers["picked_lambda"] = r.Z.Lambda
		s.Numbers["picked_eta"] = r.Z.Eta
	}
	f.recent.save(&s)
	return s
}

// Restore implements Trainer.
func (f *frankWolfe) Restore(s State) error {
	f.rule = PaperIterate{}
	f.recent.restore(s)
	if _, ok := s.Numbers["picked_step"]; ok {
		v, err := s.numbers("picked_step", "picked_grad_norm", "picked_gap", "picked_lambda",
			"picked_eta")
		if err != nil {
			return err
		}
		f.rule = PaperIterate{
			Step: int(v[0]), GradNorm: v[1], Gap: v[2], Z: Z{Lambda: v[3], Eta: v[4]},
		}
	}
	return f.dual.Restore(s)
}
