package certificate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"drolab/dro"
	"drolab/dro/nn"
	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/data/loader"
	"drolab/runner/measure"
	"drolab/runner/record"
	"drolab/runner/spec"
	"drolab/runner/train"
)

// provedConstants returns constants that Theorem 1 assumes of the losses and that hold for all
// weights, or an error where there is no proof. There is one for error probabilities of a linear
// model. ε is the accuracy whose λ0 = ε/(8ρ) the run has.
//
// Let p be the softmax of the outputs o = W x̃ of a sample, x̃ = (x, 1), and e the unit vector of
// its label y. Then ℓ = 1 − p_y lies in [0, 1], so B = 1.
//
//   - G: ∇_o ℓ = p_y (p − e), and ‖p − e‖² = (1 − p_y)² + Σ_{k≠y} p_k² ≤ 2 (1 − p_y)². So
//     ‖∇_o ℓ‖ ≤ √2 p_y (1 − p_y) ≤ √2/4, and ‖∇_W ℓ‖ = ‖∇_o ℓ‖ ‖x̃‖.
//   - L: for a unit vector u let ū = Σ p_k u_k and v = Σ p_k (u_k − ū)². Then uᵀ(∇²_o ℓ)u =
//     p_y v − p_y (u_y − ū)², a difference of two numbers ≥ 0. In the second, (u_y − ū)² =
//     ⟨e − p, u⟩² ≤ 2 (1 − p_y)², and 2 p_y (1 − p_y)² ≤ 8/27. In the first, v is at most a
//     quarter of (max u − min u)² ≤ 2, and at most Σ p_k (u_k − u_y)² ≤ 2 (1 − p_y); so it is at
//     most p_y min(½, 2 (1 − p_y)) ≤ 3/8. Hence ‖∇²_o ℓ‖ ≤ 3/8 and ‖∇²_W ℓ‖ ≤ 3/8 ‖x̃‖².
//   - Δ: F(x; z) ≥ R_ρ(x) ≥ 0, and the dual value of a loss rises with the loss, so F(x_1; z_1) is
//     at most that of the loss B at z_1.
func provedConstants(
	s *spec.Spec, open func() (*data.Dataset, error),
) (a dro.Assumptions, err error) {
	if s.Loss != nn.ErrorProbability || !nn.Convex(s.Model) {
		return a, fmt.Errorf("losses with proved bounds, as loss error-probability of model "+
			"linear has (%s of %s)", s.Loss, s.Model)
	}
	d, err := open()
	if err != nil {
		return a, fmt.Errorf("losses with proved bounds (%w)", err)
	}
	defer d.Close()
	table, err := train.Table(s, d)
	if err != nil {
		return a, err
	}
	p, err := s.Problem()
	if err != nil {
		return a, err
	}
	longest := 0.0 // ‖x̃‖²
	for _, x := range table.X {
		square := 1.0
		for _, v := range x {
			square += v * v
		}
		longest = max(longest, square)
	}
	start := p.Evaluate(nil, []float64{1}, dro.Z{Lambda: s.Lambda, Eta: s.Eta})
	return dro.Assumptions{Epsilon: 8 * s.Rho * s.Lambda0, Rho: s.Rho, Bound: 1,
		Lipschitz: math.Sqrt(longest / 8), Smoothness: 3. / 8 * longest, Gap: start.Value}, nil
}

// unmetConditions lists the conditions of the theorem that a run does not meet, in words with the
// run's values, and returns what the theorem requires. a are the proved constants of its losses; if
// there are none, unproved says why, and the conditions that need them are left out.
func unmetConditions(
	past *runner.Past, a dro.Assumptions, unproved error,
) (list conditionList, plan dro.Plan) {
	s := &past.Meta.Spec
	method, err := dro.Find(s.Algorithm())
	if err != nil || !method.Theorem1 {
		steps := fmt.Sprintf("the steps of SFK-DRO (the method is %s)", s.Algorithm())
		return conditionList{steps}, plan
	}
	list = conditionList{}
	list.steps(past, method)
	if unproved != nil {
		list = append(list, unproved.Error())
		a = dro.Assumptions{Epsilon: 1, Bound: s.EtaMax, Lipschitz: 1, Smoothness: 1, Gap: 1}
	}
	own, _ := spec.FindSetting("c")
	value, _ := own.Number(s)
	c := value.Or(0)
	p, err := s.Problem()
	if err == nil {
		plan, err = p.Plan(a, c)
	}
	if err != nil {
		list.add(true, "a set as smooth as cressie-read (%s)", s.Uncertainty)
		return list, plan
	}
	least := 2*dro.MagnitudeOf(plan.Diameter) + plan.Lz
	list.add(below(c, least), "C of at least D² L_z = %v on this box (%g)", least, c)
	// An α that is off by a thousandth changes the bound by no more.
	list.add(math.Abs(s.LR*2*c-1) > 1e-3, "α = 1/(2C) = %.5g (%g)", 1/(2*c), s.LR)
	if unproved == nil {
		list.constants(past, p, &plan, c)
	}
	return list, plan
}

// conditionList is a list of conditions that a run does not meet.
type conditionList []string

// add adds a condition if it is lacking.
func (l *conditionList) add(lacking bool, format string, args ...any) {
	if lacking {
		*l = append(*l, fmt.Sprintf(format, args...))
	}
}

// below reports whether v is less than a constant, by more than the rounding of its logarithm.
func below(v float64, least dro.Magnitude) bool { return dro.MagnitudeOf(v) < least-1e-9 }

// steps adds the conditions on the steps that hold for any losses.
func (l *conditionList) steps(past *runner.Past, method *dro.Method) {
	s := &past.Meta.Spec
	l.add(s.Adam() == nil && s.Momentum != 0, "no momentum (%g)", s.Momentum)
	l.add(s.Text("momentum_z") != "0", "no momentum on z (%s)", s.Text("momentum_z"))
	l.add(s.WeightDecay != 0, "no weight decay (%g)", s.WeightDecay)
	l.add(s.ClipFor(method) != 0, "no clipping of gradients (%g)", s.ClipFor(method))
	l.add(s.Adam() != nil, "SGD steps (%s)", s.Optimizer)
	noisy := s.Dropout > 0 && s.Unread([]string{"dropout"}) == nil
	l.add(noisy, "losses without noise (dropout %g)", s.Dropout)
	l.add(nn.Normalises(s.Model), "losses of one sample each (batch normalisation in %s)", s.Model)
	l.add(s.Augment, "the training samples themselves (augment)")
	l.add(s.Sampling(method) != loader.Replacement, "independent draws of samples (sampler %s)",
		s.Sampler)
	l.add(s.Text("share_batch") == "true", "separate draws for z (share_batch)")
	l.add(s.Text("output") != "random", "a random step's output (output %s)", s.Text("output"))
	l.add(s.Patience > 0, "a number of steps fixed in advance (patience %d)", s.Patience)
	moves := s.Warmup > 0 || s.Schedule == "cosine" || s.Schedule == "linear"
	l.add(moves, "one step size (schedule %s, warmup %d)", s.Schedule, s.Warmup)
	drops := s.Drops() && s.LRDropEpoch < s.Epochs && s.LRDrop != 1
	l.add(drops, "one step size (%g times it from epoch %d on)", s.LRDrop, s.LRDropEpoch+1)
	l.add(past.Meta.Parent != "", "a start at x_1 and z_1 (a fork of %s)", past.Meta.Parent)
	l.add(len(past.Log) > 0, "settings that stay (%d changes)", len(past.Log))
}

// constants adds the conditions on the settings that follow from the constants of the losses.
func (l *conditionList) constants(past *runner.Past, p *dro.Problem, plan *dro.Plan, c float64) {
	s := &past.Meta.Spec
	most := 1 / (2 * plan.Lx.Float64())
	l.add(below(c, dro.MagnitudeOf(2)+plan.Lx), "C of at least 2L_x = %.5g (%g)", 1/most, c)
	l.add(s.LR > most*(1+1e-9), "α of at most 1/(2L_x) = %.5g (%g)", most, s.LR)
	need := dro.DefaultBox(p.Set, s.Rho, p.Coordinates, s.Lambda0, 1) // the losses are at most 1
	corner := dro.Z{Lambda: need.Lambda[1], Eta: need.Eta[0]}
	l.add(!p.Box.Contains(corner) || p.Box.Eta[1] < need.Eta[1], "a box that reaches from λ0 to "+
		"%.3g and from η = %.3g to %.3g (lambda_max, eta_min, eta_max)", corner.Lambda,
		corner.Eta, need.Eta[1])
	l.add(plan.Vacuous(), "λ0 below λ̄ (%g)", s.Lambda0)
	l.add(plan.LongestStep() > 0, "D σ1/C of at most 1 (%v)", plan.LongestStep())
	steps := int64(0)
	if past.From != nil {
		steps = past.From.Step
	}
	for _, of := range []struct {
		name  string
		least dro.Magnitude
		is    int64
	}{
		{"n_x", plan.Nx, int64(s.Batch)},
		{"n_z", plan.Nz, int64(cmp.Or(s.BatchZ, s.Batch))},
		{"T", plan.T, steps},
	} {
		l.add(below(float64(of.is), of.least), "%s of at least %.0f (%d)", of.name,
			math.Ceil(of.least.Float64()), of.is)
	}
}

// TheoremCheck is the comparison of a run with Theorem 1. An empty list says that the theorem's
// bound holds: in expectation, the output's ‖∇F‖ and dual gap are at most ε.
type TheoremCheck struct {
	ID    string   `json:"id"`
	Unmet []string `json:"unmet"` // conditions that the run does not meet, in words
	// Theorem is nil if no bounds of the run's losses are proved.
	Theorem *Theorem `json:"theorem,omitempty"`
}

// Proved returns the constants with the proved ones in place of those that were measured.
func (h *TheoremCheck) Proved(c Constants) Constants {
	if t := h.Theorem; t != nil {
		c.Bound, c.Lipschitz, c.Smoothness = t.Bound, t.Lipschitz, t.Smoothness
	}
	return c
}

// Theorem is what Theorem 1 says of losses with the proved constants, beside what was measured.
type Theorem struct {
	dro.Assumptions
	dro.Plan `json:"plan"`
	SamplesZ dro.Magnitude `json:"samples_z"` // n_z T, as the theorem prescribes
	// GradNorm and DualGap are those of the output, on the whole training split. They do not apply
	// to a run of fewer steps than T.
	GradNorm measure.Number `json:"output_grad_norm"`
	DualGap  measure.Number `json:"output_dual_gap"`
	// Reached is the number of samples drawn until the first evaluation at which the iterate was
	// ε-stationary. It does not apply to a run that never was.
	Reached measure.Number `json:"reached"`
}

// CheckTheorem compares a run with the theorem. Its data are read from dataDir; without data
// nothing is proved.
func CheckTheorem(
	ctx context.Context, r *record.Run, dataDir string, withData bool,
) (h TheoremCheck, err error) {
	past, err := r.Past(-1)
	if err != nil {
		return h, err
	}
	evals, err := r.Evaluations()
	if err != nil {
		return h, err
	}
	a, unproved := provedConstants(&r.Meta.Spec, func() (*data.Dataset, error) {
		if !withData {
			return nil, errors.New("not looked for without the data")
		}
		return r.Meta.OpenFor(ctx, "", dataDir)
	})
	var plan dro.Plan
	h.ID = r.Meta.ID
	if h.Unmet, plan = unmetConditions(past, a, unproved); unproved != nil || plan.Diameter == 0 {
		return h, nil
	}
	h.Theorem = &Theorem{Assumptions: a, Plan: plan}
	_, h.Theorem.SamplesZ = plan.Samples()
	for _, e := range evals {
		h.Theorem.see(e, past, samplesPerStep(&r.Meta))
	}
	return h, nil
}

// see adds an evaluation, of which each step before drew so many samples.
func (t *Theorem) see(e *runner.EvalEvent, past *runner.Past, each float64) {
	if past.From != nil && !below(float64(past.From.Step), t.T) {
		t.GradNorm, t.DualGap = e.Named("output_grad_norm"), e.Named("output_dual_gap")
	}
	gap, norm := e.Named("dual_gap"), e.Named("full_grad_norm")
	if !t.Reached.Applies() && max(gap.Float(), norm.Float()) <= t.Epsilon { // not if NaN
		t.Reached = measure.Num(float64(e.Step) * each)
	}
}
