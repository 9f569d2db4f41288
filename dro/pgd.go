package dro

import "math"

// pgd takes projected gradient steps on (x, λ, η) as a whole: on one batch, and with the same step
// size for x and z where lr_z is not set (math.md §5).
func pgd() Method {
	return Method{
		Name: PGD, Doc: "projected gradient on (x, λ, η) as a whole",
		Source:   "Zhang et al. 2024 (arXiv 2404.01200), the baseline of §5",
		Reads:    dualReads("lr_z"),
		Live:     []string{"lambda0", "lambda_max", "lr_z"},
		Measures: dualMeasures(),
		New: func(t Task) (Trainer, error) {
			d, err := newDual(t)
			return &projected{d, newPace(t)}, err
		},
	}
}

type projected struct {
	dual
	pace pace
}

// After implements Trainer.
func (p *projected) After(b Batch, s Step) {
	p.z = p.problem.Box.Project(p.z.along(-p.pace.rate(s), p.gradient(b.Losses)))
}

// pace is the step size of z as a multiple of the step size of x, so that a drop of lr acts on
// both.
type pace float64

// newPace reads the setting lr_z, where auto stands for lr.
func newPace(t Task) pace {
	if v := t.Settings["lr_z"]; !v.IsAuto() {
		return pace(v.Or(0) / t.Number("lr"))
	}
	return 1
}

func (p pace) rate(s Step) float64 { return float64(p) * s.Rate }

// dsgdc solves the penalised problem, in which λ is fixed, by two clipped gradient steps. The
// gradients of x and of η are each no longer than the setting clip (math.md §5). The runner clips
// the gradient of x.
func dsgdc() Method {
	const clip = 10 // where the setting is auto
	return Method{
		Name: "dsgdc", Doc: "penalised problem: clipped gradient steps on x and η",
		Source: "our reading of Zhang, Zhou, Khan, Prater-Bennette, Shen, Zou, " +
			"Revisiting Large-Scale Non-convex DRO, ICLR 2025",
		Lambda: true, Penalised: true, Live: []string{"lr_z"}, Clip: clip,
		Reads: dualReads("lr_z"), Measures: dualMeasures(),
		New: func(t Task) (Trainer, error) {
			p, err := newPenalised(t)
			return &descending{penalised: p, pace: newPace(t), clip: t.Settings["clip"].Or(clip)},
				err
		},
	}
}

// nsgdm is normalised momentum on (x, η) as one vector, λ fixed:
// m ← βm + (1−β)g with β the run's momentum, then a step of length α along m
// (math.md §5).
func nsgdm() Method {
	return Method{
		Name: "nsgdm", Doc: "penalised problem: normalised momentum on (x, η) as one vector",
		Source: "Jin, Zhang, Wang, Wang 2021 (arXiv 2110.12459), Algorithm 1",
		Lambda: true, Penalised: true, OwnStep: true, Reads: dualReads(),
		Measures: append(dualMeasures(), Measure{Name: "momentum_norm", Title: "momentum's norm",
			Scale: Log, Noisy: true,
			Doc: "‖m‖ of the averaged gradient of (x, η); a step uses only its direction"}),
		New: func(t Task) (Trainer, error) {
			p, err := newPenalised(t)
			return &normalised{penalised: p, beta: t.Number("momentum")}, err
		},
	}
}

// normalised is a penalised dual whose η shares the length of a step with x.
type normalised struct {
	penalised
	beta float64
	m    float64 // average of ∂F/∂η
	norm float64 // norm of the averaged gradient of (x, η), in the last step
}

// Advance implements Mover. ∂F/∂η is taken on the batch that was weighed last, the x-batch.
func (n *normalised) Advance(norm, alpha float64) float64 {
	n.m = n.beta*n.m + (1-n.beta)*n.last.Grad.Eta
	if n.norm = math.Hypot(norm, n.m); n.norm == 0 {
		return 0
	}
	return alpha / n.norm
}

// After implements Trainer.
func (n *normalised) After(_ Batch, s Step) {
	if n.norm > 0 {
		n.place(n.problem.Box.Project(n.z.along(-s.Rate/n.norm, Z{Eta: n.m})))
	}
}

// Report implements Trainer.
func (n *normalised) Report(record func(string, float64)) {
	n.penalised.Report(record)
	record("momentum_norm", n.norm)
}

// State implements Trainer.
func (n *normalised) State() State {
	s := n.penalised.State()
	s.Numbers["eta_momentum"] = n.m
	return s
}

// Restore implements Trainer.
func (n *normalised) Restore(s State) error {
	v, err := s.numbers("eta_momentum")
	if err != nil {
		return err
	}
	n.m = v[0]
	return n.penalised.Restore(s)
}
