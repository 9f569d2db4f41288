package dro

import (
	"math"
	"math/rand/v2"
	"slices"
)

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
			{Key: "output", Doc: "step that Algorithm 1 outputs: least, by ‖∇_x f‖² + gap² on " +
				"its batches; random, as the proof of Theorem 1 needs",
				Default: Fixed(0), Want: "least or random", Choices: []string{"least", "random"}},
			{Key: "momentum_z", Default: Fixed(0), Want: "a number in [0, 1)",
				Doc:   "share that a step on z keeps of the averaged gradient; 0: no average",
				Check: func(v float64) bool { return v >= 0 && v < 1 }},
		},
		Reads: dualReads("batch_z"), Live: []string{"lambda0", "lambda_max"},
		Measures: frankWolfeMeasures(), Cost: frankWolfeCost,
		New: func(t Task) (Trainer, error) {
			f, err := newFrankWolfe(t)
			f.beta = t.Number("momentum_z")
			return &printed{f, t.Number("c"), t.Number("output") == 1, t.Seed}, err
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
				"best corner: an upper bound of the dual objective's error on that batch; no " +
				"bound with momentum_z"},
		Measure{Name: "gamma", Title: "γ", Symbol: "γ", Noisy: true,
			Doc: "step size of the Frank-Wolfe step on z: min(gap/C, 1), or what sfk-auto " +
				"searches for"})
}

// printed takes the step on z as printed in the paper, lines 6 to 10 of Algorithm 1.
type printed struct {
	frankWolfe
	c      float64
	random bool // the output is that of a random step
	seed   uint64
}

// After implements Trainer.
func (p *printed) After(b Batch, s Step) {
	before := p.z
	_, dir := p.aim(b.Losses, p.problem.Box)
	p.gamma = math.Min(p.gap/p.c, 1)
	p.z = p.z.along(p.gamma, dir)
	p.Confine() // γ = 1 may be a rounding beyond the corner
	if !p.random {
		p.rule.Observe(s, p.gap, before)
	} else if drawn(p.seed, uint64(s.T)) {
		p.rule = PaperIterate{Step: int(s.T), GradNorm: s.GradNorm, Gap: p.gap, Z: before}
	}
}

// drawn chooses step t of a run with probability 1/t. The last of the steps chosen up to any T is
// then uniform over the T steps.
func drawn(seed, t uint64) bool {
	var pcg rand.PCG
	pcg.Seed(seed, t)
	return float64(pcg.Uint64()>>11)*float64(t) < 1<<53
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
	recent     recent // of sfk-auto alone: empty in sfk

	// Momentum, of sfk alone: the averaged gradient of stochastic Frank-Wolfe (Mokhtari, Hassani,
	// Karbasi 2020, arXiv 1804.09554), from 0 on as there.
	beta float64
	mean Z
}

func newFrankWolfe(t Task) (frankWolfe, error) {
	d, err := newDual(t)
	return frankWolfe{dual: d, share: t.Number("share_batch") == 1}, err
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
	f.dual.Report(record)
	record("gap", f.gap)
	record("gamma", f.gamma)
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
	return f.dual.Restore(s)
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

// sfkAuto is our own method, inspired by SFK-DRO. Its step on x is the same, but on z it takes
// Frank-Wolfe steps with a line search (math.md §5). C comes from the curvature, so that γ is the
// minimiser of a quadratic model along d. γ is then halved until F has fallen by a fraction of what
// the gap promises. The paper's Theorem 1 does not cover it.
func sfkAuto() Method {
	return Method{
		Name: SFKAuto,
		Doc:  "our own, inspired by SFK: its x-step, Frank-Wolfe on z with a line search",
		Source: "our own, inspired by SFK-DRO (arXiv 2404.01200), whose Theorem 1 does not cover " +
			"it; dro/math.md §5",
		Settings: []Setting{
			{Key: "c_rule",
				Doc:     "rule of the steps on z: 2, 1 or 3 (dro/math.md §5)",
				Default: Fixed(2), Want: "1, 2 or 3", Whole: true,
				Check: func(v float64) bool { return v >= 1 && v <= 3 }},
			{Key: "kappa", Doc: "factor on the curvature by which a step on z is divided",
				Default: Fixed(1), Want: "a number > 0", Check: above0},
		},
		Reads: dualReads("batch_z", "share_batch"), Live: []string{"lambda0", "lambda_max"},
		Measures: frankWolfeMeasures(), Cost: frankWolfeCost,
		New: func(t Task) (Trainer, error) {
			f, err := newFrankWolfe(t)
			rule, kappa := int(t.Number("c_rule")), t.Number("kappa")
			return &searching{frankWolfe: f, cRule: rule, kappa: kappa}, err
		},
	}
}

type searching struct {
	frankWolfe
	kappa    float64
	cRule    int
	halvings int       // number of halvings of γ in the last step
	weighed  []float64 // in rule 3, the losses of the x-batch of this step
}

// After implements Trainer.
func (f *searching) After(b Batch, s Step) {
	before := f.z
	f.halvings = 0
	if f.cRule == 1 {
		f.batchwise(b.Losses)
	} else {
		f.recent.add(b.Losses)
		f.descend(f.recent.losses)
	}
	if f.cRule == 3 {
		f.bear(f.weighed)
	}
	f.rule.Observe(s, f.gap, before)
}

const (
	// memory is the number of batches for z that rule 2 looks back on. With 8 the noise of F is
	// greater; with 64 the losses are too old while x still moves fast.
	memory = 16
	// tolerated is the factor by which one x-batch may exceed a mean ratio of 1 and a divergence of
	// ρ.
	tolerated = 4
	// patience bounds the steps on z that bring a batch within tolerated; a few are usual.
	patience = 100
	// wild is the divergence and mean ratio beyond which no step of the size of the curvature leads
	// back. Under KL each step moves η by λ at most, and then the divergence overflows.
	wild = 1e6
)

// recent holds the losses of the last batches. New losses overwrite the oldest.
type recent struct {
	losses []float64 // its capacity is memory times the size of the first batch
	oldest int
}

func (r *recent) add(losses []float64) {
	if r.losses == nil {
		r.losses = make([]float64, 0, memory*len(losses))
	}
	for _, l := range losses {
		if len(r.losses) < cap(r.losses) {
			r.losses = append(r.losses, l)
			continue
		}
		r.losses[r.oldest] = l
		r.oldest = (r.oldest + 1) % len(r.losses)
	}
}

// save and restore keep the capacity, too, so that a list that is not full yet goes on growing.
func (r *recent) save(s *State) {
	if r.losses == nil {
		return
	}
	s.Lists = map[string][]float64{"recent": slices.Clone(r.losses)}
	s.Numbers["recent_oldest"], s.Numbers["recent_room"] = float64(r.oldest), float64(cap(r.losses))
}

func (r *recent) restore(s State) {
	*r = recent{}
	if list := s.Lists["recent"]; list != nil {
		room := max(int(s.Numbers["recent_room"]), len(list))
		r.losses = append(make([]float64, 0, room), list...)
		r.oldest = int(s.Numbers["recent_oldest"])
	}
}

// descend is a step of rules 2 and 3: Frank-Wolfe on the losses of the last batches, in the part of
// the box where their optimum can be, for η and then for λ. M is the product of their two
// intervals, so each may have a corner and a step of its own (Lacoste-Julien, Jaggi, Schmidt,
// Pletscher 2013, arXiv 1207.4747). The minimiser along one does not depend on the distance to its
// corner. The old losses stand for the averaged gradient of stochastic Frank-Wolfe (Mokhtari,
// Hassani, Karbasi 2020, arXiv 1804.09554): here their gradient at the new z costs no pass of the
// network.
func (f *searching) descend(losses []float64) {
	box := f.problem.optimumBox(losses)
	f.z = box.Project(f.z)
	eval, dir := f.aim(losses, box)
	if !(eval.Divergence <= wild && eval.MeanRatio <= wild) {
		f.z = Z{box.Lambda[1], box.Eta[1]} // no ratio is above 1 there
		eval, dir = f.aim(losses, box)
	}
	f.gamma = f.search(losses, eval, Z{Eta: dir.Eta}, .25)
	eval = f.problem.Evaluate(nil, losses, f.z)
	dir = box.Corner(eval.Grad).sub(f.z)
	f.gamma = max(f.gamma, f.search(losses, eval, Z{Lambda: dir.Lambda}, .25))
	f.z = box.Project(f.z) // γ = 1 may be a rounding beyond the corner
}

// Before implements Trainer. Rule 2 keeps z as small as the losses seen allow. One outlier of an
// x-batch may then get a weight that no Q within the radius gives it, 1e8 under KL, from which x
// does not recover. So z moves on such a batch before the batch is weighed. The gap and γ that are
// reported are those of After. Rule 3 judges the batch after its step, since the numbers of its
// weights must be there before its losses: it bears an outlier once.
func (f *searching) Before(b Batch) {
	switch f.cRule {
	case 2:
		f.bear(b.Losses)
	case 3:
		f.weighed = append(f.weighed[:0], b.Losses...)
	}
}

// bear moves z until the weights of the losses are bearable.
func (f *searching) bear(losses []float64) {
	for range patience {
		eval := f.problem.Evaluate(nil, losses, f.z)
		if eval.MeanRatio <= tolerated &&
			(!f.problem.Set.HasRadius() || eval.Divergence <= tolerated*f.problem.Rho) {
			break
		}
		f.descend(losses)
	}
}

// Samplewise implements Trainer.
func (f *searching) Samplewise() func(w, losses []float64) {
	if f.cRule == 2 {
		return nil
	}
	return f.weigh
}

// batchwise is rule 1: one step on both variables at once, on one batch. At the minimiser of a
// quadratic F falls by exactly γ gap/2, so rounding and third-order terms halve γ in most steps.
func (f *searching) batchwise(losses []float64) {
	eval, dir := f.aim(losses, f.problem.Box)
	f.gamma = f.search(losses, eval, dir, .5)
	f.Confine() // as in descend
}

// maxHalvings ends the search when γ d is lost in the rounding of z.
const maxHalvings = 60

// search moves z along d and returns γ: the minimiser of the quadratic model,
// halved while F(z + γd) > F(z) − share γ gap. The halving matters where few
// samples are active: the Hessian there is nearly zero and the model would send z
// to a corner.
func (f *searching) search(losses []float64, eval Eval, dir Z, share float64) (gamma float64) {
	gap := -dir.dot(eval.Grad)
	gamma = 1
	if c := f.kappa * f.problem.Curvature(losses, f.z, dir); c > gap {
		gamma = gap / c
	}
	for range maxHalvings {
		next := f.problem.Evaluate(nil, losses, f.z.along(gamma, dir))
		if next.Value <= eval.Value-gamma*gap*share {
			break
		}
		gamma /= 2
		f.halvings++
	}
	f.z = f.z.along(gamma, dir)
	return gamma
}
