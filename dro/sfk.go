package dro

import "math"

// sfk is SFK-DRO, the paper's Algorithm 1: a stochastic gradient step on x,
// then a Frank-Wolfe step on z over the box, on an independent draw.
func sfk() Method {
	return Method{
		Name: SFK, Doc: "SFK-DRO: gradient on x, Frank-Wolfe on z = (λ, η)",
		Source: "Zhang, Zhou, Prater-Bennette, Shen, Zou 2024 (arXiv 2404.01200), Algorithm 1",
		Settings: []Setting{
			{Key: "c", Doc: "C in γ = min(gap/C, 1); auto takes the curvature", Default: Fixed(1000),
				Want: "auto or a number > 0", Check: above0, Auto: true, Live: true},
			{Key: "c_rule", Doc: "which rule c: auto is: 2, or 1, that of runs recorded before it",
				Default: Fixed(2), Before: Fixed(1), Want: "1 or 2", Whole: true,
				Check: func(v float64) bool { return v == 1 || v == 2 }},
			{Key: "kappa", Doc: "factor on the curvature where c is auto", Default: Fixed(1),
				Want: "a number > 0", Check: above0},
			{Key: "share_batch", Doc: "use the weights' batch for z: faster, not independent", Default: Fixed(0),
				Want: "true or false", On: true},
		},
		Reads: dualReads("batch_z"), Live: []string{"lambda0", "lambda_max"},
		Measures: append(dualMeasures(),
			Measure{Name: "gap", Title: "Frank-Wolfe gap", Unit: "nats", Better: Lower, Noisy: true,
				Asks: OfProblem,
				Doc: "−⟨d, g⟩ of the step on z, on its own batch, d being the way to the box's best corner: " +
					"an upper bound of the dual objective's error, on that batch"},
			Measure{Name: "gamma", Title: "γ", Symbol: "γ", Noisy: true,
				Doc: "step size of the Frank-Wolfe step on z, min(gap/C, 1)"}),
		Cost: 1.353, // one forward pass more (math.md §5)
		New: func(t Task) (Trainer, error) {
			d, err := newDual(t)
			if err != nil {
				return nil, err
			}
			c := t.Settings["c"]
			return &frankWolfe{dual: d, c: c.Or(1), auto: c.IsAuto(), first: t.Number("c_rule") == 1,
				kappa: t.Number("kappa"), share: t.Number("share_batch") == 1}, nil
		},
	}
}

// frankWolfe is lines 6 to 10 of the paper's Algorithm 1, and its output rule.
type frankWolfe struct {
	dual
	c, kappa    float64
	auto, share bool
	first       bool // "c_rule: 1"

	gap, gamma float64 // of the last step
	halvings   int     // of γ, in the last step; only "c: auto" has any
	rule       PaperIterate
	recent     recent // what "c: auto" looks back on
}

// Fresh implements Trainer.
func (f *frankWolfe) Fresh() bool { return !f.share }

// After implements Trainer.
func (f *frankWolfe) After(b Batch, s Step) {
	before := f.z
	f.halvings = 0
	switch {
	case !f.auto:
		f.printed(b.Losses)
	case f.first:
		f.batchwise(b.Losses)
	default:
		f.blockwise(b.Losses)
	}
	if f.rule.Observe(int(s.T), s.GradNorm, f.gap) {
		f.rule.Z = before
	}
}

// printed takes the Frank-Wolfe step as the paper has it.
func (f *frankWolfe) printed(losses []float64) {
	_, dir := f.aim(losses, f.problem.Box)
	f.gamma = math.Min(f.gap/f.c, 1)
	f.z = f.z.along(f.gamma, dir)
}

// Warning implements Warner.
func (f *frankWolfe) Warning() string {
	if !f.auto && f.gamma == 1 {
		return "a step on z went the whole way to a corner of its box (γ = 1), so c is too small for the box: " +
			"raise c, set c: auto, or narrow the box (lambda_max, eta_min, eta_max)"
	}
	return f.dual.Warning()
}

// aim evaluates F on the losses, finds the way to the best corner and sets the
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
		for name, v := range map[string]float64{"picked_step": float64(r.Step), "picked_grad_norm": r.GradNorm,
			"picked_gap": r.Gap, "picked_lambda": r.Z.Lambda, "picked_eta": r.Z.Eta} {
			s.Numbers[name] = v
		}
	}
	f.recent.save(&s)
	return s
}

// Restore implements Trainer.
func (f *frankWolfe) Restore(s State) error {
	f.rule = PaperIterate{}
	f.recent.restore(s)
	if _, ok := s.Numbers["picked_step"]; ok {
		v, err := s.numbers("picked_step", "picked_grad_norm", "picked_gap", "picked_lambda", "picked_eta")
		if err != nil {
			return err
		}
		f.rule = PaperIterate{Step: int(v[0]), GradNorm: v[1], Gap: v[2], Z: Z{Lambda: v[3], Eta: v[4]}}
	}
	return f.dual.Restore(s)
}
