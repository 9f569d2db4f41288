package dro

// frankWolfe is the part that sfk and sfk-auto share: the gap, the output rule of the paper's
// Algorithm 1, and the state.
type frankWolfe struct {
	dualBase
	share bool

	gap, gamma float64 // of the last step
	rule       PaperIterate
	recent     recentLosses // of sfk-auto alone: empty in sfk

	// Momentum, of sfk alone: the averaged gradient of stochastic Frank-Wolfe (Mokhtari, Hassani,
	// Karbasi 2020, arXiv 1804.09554), from 0 on as there.
	beta float64
	mean Z
}

func newFrankWolfe(t Task) (frankWolfe, error) {
	d, err := newDualBase(t)
	if err != nil {
		return frankWolfe{}, err
	}
	return frankWolfe{dualBase: d, share: t.Number("share_batch") == 1}, nil
}

// Fresh implements Trainer.
func (f *frankWolfe) Fresh() bool { return !f.share }

// aim evaluates F on the losses, returns the direction to the best corner of the box and sets the
// gap.
func (f *frankWolfe) aim(losses []float64, box Box) (eval Eval, dir Z) {
	eval = f.problem.Evaluate(nil, losses, f.z)
	grad := eval.Grad
	if f.beta > 0 { // without momentum, an infinite gradient acts on one step alone
		f.mean = grad.along(f.beta, f.mean.sub(grad))
		grad = f.mean
	}
	dir = box.Corner(grad).sub(f.z)
	f.gap = -dir.dot(grad)
	return eval, dir
}

// Picked implements Picker.
func (f *frankWolfe) Picked() PaperIterate { return f.rule }

// Report implements Trainer.
func (f *frankWolfe) Report(record func(string, float64)) {
	f.dualBase.Report(record)
	record("gap", f.gap)
	record("gamma", f.gamma)
}

// State implements Trainer.
func (f *frankWolfe) State() State {
	s := f.dualBase.State()
	if r := &f.rule; r.Step > 0 {
		s.Numbers["picked_step"] = float64(r.Step)
		s.Numbers["picked_grad_norm"] = r.GradNorm
		s.Numbers["picked_gap"] = r.Gap
		s.Numbers["picked_lambda"] = r.Z.Lambda
		s.Numbers["picked_eta"] = r.Z.Eta
	}
	if f.beta > 0 {
		s.Numbers["momentum_lambda"], s.Numbers["momentum_eta"] = f.mean.Lambda, f.mean.Eta
	}
	f.recent.save(&s)
	return s
}

// Restore implements Trainer.
func (f *frankWolfe) Restore(s State) error {
	f.rule = PaperIterate{}
	f.mean = Z{s.Numbers["momentum_lambda"], s.Numbers["momentum_eta"]} // 0 if a fork turns it on
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
	return f.dualBase.Restore(s)
}

// PaperIterate applies the output rule of the paper's Algorithm 1: t' = argmin ‖∇_x f‖² + gap² over
// the steps. Both are mini-batch values, so this is an argmin of noise as much as of progress
// (math.md §5); report it beside the last iterate, not instead of it. With output: random, sfk puts
// a random step in its place. The zero value is ready, and the exported fields are all of its
// state.
type PaperIterate struct {
	// Step is t', counted from 1; 0 before the first Observe.
	Step int
	// GradNorm and Gap are the values of step t'.
	GradNorm, Gap float64
	// Z is z_{t'}, before the step.
	Z Z
}

// Observe makes a step t', if it is the best so far by ‖∇_x f_x(x_t; z_t)‖ and its Frank-Wolfe gap.
// The output that belongs to it is x after the step's x-update and z before its z-step. A NaN is
// never chosen.
func (p *PaperIterate) Observe(s Step, gap float64, before Z) {
	score := s.GradNorm*s.GradNorm + gap*gap
	best := p.GradNorm*p.GradNorm + p.Gap*p.Gap
	if score < best || p.Step == 0 && score == score {
		*p = PaperIterate{Step: int(s.T), GradNorm: s.GradNorm, Gap: gap, Z: before}
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
				"best corner: an upper bound of the dual objective's error on that batch; no " +
				"bound with momentum_z"},
		Measure{Name: "gamma", Title: "γ", Symbol: "γ", Noisy: true,
			Doc: "step size of the Frank-Wolfe step on z: min(gap/C, 1), or what sfk-auto " +
				"searches for"})
}
