package dro

import "slices"

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
			if err != nil {
				return nil, err
			}
			rule, kappa := int(t.Number("c_rule")), t.Number("kappa")
			return &sfkAutoTrainer{frankWolfe: f, cRule: rule, kappa: kappa}, nil
		},
	}
}

type sfkAutoTrainer struct {
	frankWolfe
	kappa    float64
	cRule    int
	halvings int       // number of halvings of γ in the last step
	weighed  []float64 // in rule 3, the losses of the x-batch of this step
}

// After implements Trainer.
func (f *sfkAutoTrainer) After(b Batch, s Step) {
	before := f.z
	f.halvings = 0
	if f.cRule == 1 {
		f.batchwise(b.Losses)
	} else {
		f.recent.add(b.Losses)
		f.descend(f.recent.losses)
	}
	if f.cRule == 3 {
		f.limitWeights(f.weighed)
	}
	f.rule.Observe(s, f.gap, before)
}

const (
	// recentBatches is the number of batches for z that rule 2 looks back on. With 8 the noise of F
	// is greater; with 64 the losses are too old while x still moves fast.
	recentBatches = 16
	// maxWeightFactor is the factor by which one x-batch may exceed a mean ratio of 1 and a
	// divergence of ρ.
	maxWeightFactor = 4
	// maxLimitSteps bounds the steps on z that bring a batch within maxWeightFactor; a few are
	// usual.
	maxLimitSteps = 100
	// maxRecoverable is the divergence and mean ratio beyond which no step of the size of the
	// curvature leads back. Under KL each step moves η by λ at most, and then the divergence
	// overflows.
	maxRecoverable = 1e6
)

// Before implements Trainer. Rule 2 keeps z as small as the losses seen allow. One outlier of an
// x-batch may then get a weight that no Q within the radius gives it, 1e8 under KL, from which x
// does not recover. So z moves on such a batch before the batch is weighed. The gap and γ that are
// reported are those of After. Rule 3 judges the batch after its step, since the numbers of its
// weights must be there before its losses: it bears an outlier once.
func (f *sfkAutoTrainer) Before(b Batch) {
	switch f.cRule {
	case 2:
		f.limitWeights(b.Losses)
	case 3:
		f.weighed = append(f.weighed[:0], b.Losses...)
	}
}

// limitWeights moves z until the weights of the losses are bearable.
func (f *sfkAutoTrainer) limitWeights(losses []float64) {
	for range maxLimitSteps {
		if f.bearable(losses) {
			return
		}
		f.descend(losses)
	}
}

// bearable reports whether the weights of the losses at z are within maxWeightFactor.
func (f *sfkAutoTrainer) bearable(losses []float64) bool {
	eval := f.problem.Evaluate(nil, losses, f.z)
	within := !f.problem.Set.HasRadius() || eval.Divergence <= maxWeightFactor*f.problem.Rho
	return within && eval.MeanRatio <= maxWeightFactor
}

// Samplewise implements Trainer.
func (f *sfkAutoTrainer) Samplewise() func(w, losses []float64) {
	if f.cRule == 2 {
		return nil
	}
	return f.weigh
}

// Form implements Trainer.
func (f *sfkAutoTrainer) Form(into []float64) Form {
	if f.cRule == 2 {
		return Form{}
	}
	return f.dualBase.Form(into)
}

// descend is a step of rules 2 and 3: Frank-Wolfe on the losses of the last batches, in the part of
// the box where their optimum can be, for η and then for λ. M is the product of their two
// intervals, so each may have a corner and a step of its own (Lacoste-Julien, Jaggi, Schmidt,
// Pletscher 2013, arXiv 1207.4747). The minimiser along one does not depend on the distance to its
// corner. The old losses stand for the averaged gradient of stochastic Frank-Wolfe (Mokhtari,
// Hassani, Karbasi 2020, arXiv 1804.09554): here their gradient at the new z costs no pass of the
// network.
func (f *sfkAutoTrainer) descend(losses []float64) {
	box := f.problem.optimumBox(losses)
	f.z = box.Project(f.z)
	eval, dir := f.aim(losses, box)
	if !(eval.Divergence <= maxRecoverable && eval.MeanRatio <= maxRecoverable) {
		f.z = Z{box.Lambda[1], box.Eta[1]} // no ratio is above 1 there
		eval, dir = f.aim(losses, box)
	}
	f.gamma = f.search(losses, eval, Z{Eta: dir.Eta}, .25)
	eval = f.problem.Evaluate(nil, losses, f.z)
	dir = box.Corner(eval.Grad).sub(f.z)
	f.gamma = max(f.gamma, f.search(losses, eval, Z{Lambda: dir.Lambda}, .25))
	f.z = box.Project(f.z) // γ = 1 may be a rounding beyond the corner
}

// batchwise is rule 1: one step on both variables at once, on one batch. At the minimiser of a
// quadratic F falls by exactly γ gap/2, so rounding and third-order terms halve γ in most steps.
func (f *sfkAutoTrainer) batchwise(losses []float64) {
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
func (f *sfkAutoTrainer) search(losses []float64, eval Eval, dir Z, share float64) (gamma float64) {
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

// recentLosses holds the losses of the last batches. New losses overwrite the oldest.
type recentLosses struct {
	losses []float64 // its capacity is recentBatches times the size of the first batch
	oldest int
}

func (r *recentLosses) add(losses []float64) {
	if r.losses == nil {
		r.losses = make([]float64, 0, recentBatches*len(losses))
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
func (r *recentLosses) save(s *State) {
	if r.losses == nil {
		return
	}
	s.Lists = map[string][]float64{"recent": slices.Clone(r.losses)}
	s.Numbers["recent_oldest"] = float64(r.oldest)
	s.Numbers["recent_room"] = float64(cap(r.losses))
}

func (r *recentLosses) restore(s State) {
	*r = recentLosses{}
	if list := s.Lists["recent"]; list != nil {
		room := max(int(s.Numbers["recent_room"]), len(list))
		r.losses = append(make([]float64, 0, room), list...)
		r.oldest = int(s.Numbers["recent_oldest"])
	}
}
