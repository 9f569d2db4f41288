package dro

import "math"

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
			p, err := newPenalisedDual(t)
			if err != nil {
				return nil, err
			}
			return &nsgdmTrainer{penalisedDual: p, beta: t.Number("momentum")}, nil
		},
	}
}

// nsgdmTrainer is a penalised dual whose η shares the length of a step with x.
type nsgdmTrainer struct {
	penalisedDual
	beta float64
	m    float64 // average of ∂F/∂η
	norm float64 // norm of the averaged gradient of (x, η), in the last step
}

// Advance implements Mover. ∂F/∂η is taken on the batch that was weighed last, the x-batch.
func (n *nsgdmTrainer) Advance(norm, alpha float64) float64 {
	n.m = n.beta*n.m + (1-n.beta)*n.last.Grad.Eta
	n.norm = math.Hypot(norm, n.m)
	if n.norm == 0 {
		return 0
	}
	return alpha / n.norm
}

// After implements Trainer.
func (n *nsgdmTrainer) After(_ Batch, s Step) {
	if n.norm > 0 {
		n.place(n.problem.Box.Project(n.z.along(-s.Rate/n.norm, Z{Eta: n.m})))
	}
}

// Form implements Trainer: there is none, since Advance needs ∂F/∂η of the batch.
func (n *nsgdmTrainer) Form([]float64) Form { return Form{} }

// Report implements Trainer.
func (n *nsgdmTrainer) Report(record func(string, float64)) {
	n.penalisedDual.Report(record)
	record("momentum_norm", n.norm)
}

// State implements Trainer.
func (n *nsgdmTrainer) State() State {
	s := n.penalisedDual.State()
	s.Numbers["eta_momentum"] = n.m
	return s
}

// Restore implements Trainer.
func (n *nsgdmTrainer) Restore(s State) error {
	v, err := s.numbers("eta_momentum")
	if err != nil {
		return err
	}
	n.m = v[0]
	return n.penalisedDual.Restore(s)
}
