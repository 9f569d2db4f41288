package train

import (
	"drolab/dro"
	"drolab/dro/nn"
	"drolab/runner"
	"drolab/runner/data/loader"
	"drolab/runner/measure"
	"drolab/runner/spec"
)

// Method is a method at work, with everything that it adds to a run's steps and evaluations. When a
// knob is turned, the run makes a new Method and gives it the old one's state. So whatever depends
// on settings is computed once, here, and not at every step.
type Method struct {
	dro.Trainer
	Problem *dro.Problem // the problem whose risk evaluations measure
	clip    float64      // the largest norm of the x-gradient; 0: no clipping
	// sampling says which samples the training batches hold.
	sampling loader.Sampling
	Picker   dro.Picker // the method if it has an output rule, else nil
	// advance is the method's own x-step, or nil.
	advance func(velocity, lr float64) (rate float64)
	adam    *nn.AdamW // the optimizer of x; nil: SGD
	// samplewise computes the method's weights sample by sample, or is nil.
	samplewise func(w, losses []float64)
}

// newMethod starts the method of s on data with the counts p and the keys of dro.Task. The error is
// mostly a *spec.KeyError.
func newMethod(s *spec.Spec, p *measure.Parts, keys []uint32) (m Method, err error) {
	d, err := dro.Find(s.Algorithm())
	if err != nil {
		return m, err
	}
	if m.Trainer, m.Problem, err = runner.NewTrainer(s, p, keys); err != nil {
		return m, err
	}
	m.sampling = s.Sampling(d)
	m.clip, m.samplewise, m.adam = s.ClipFor(d), m.Samplewise(), s.Adam()
	m.Picker, _ = m.Trainer.(dro.Picker)
	if mover, ok := m.Trainer.(dro.Mover); ok {
		m.advance = mover.Advance
	}
	return m, nil
}

// Dual returns the method's dual variables; nil where it has none.
func (m *Method) Dual() *dro.Z {
	d, ok := m.Trainer.(dro.Dual)
	if !ok {
		return nil
	}
	z := d.Z()
	return &z
}

// resume restores the method's state from s, if s holds one. The checkpoint that a fork with
// another method begins with holds none, and the method stays at its start.
func (m *Method) resume(s *runner.State) error {
	if s.Method == nil {
		return nil
	}
	return m.Restore(*s.Method)
}

// Picked returns the iterate that the method's output rule has chosen so far; nil if it has chosen
// none yet, or the method has no rule.
func (m *Method) Picked() *runner.PaperIterate {
	if m.Picker == nil || m.Picker.Picked().Step == 0 {
		return nil
	}
	p := m.Picker.Picked()
	return &runner.PaperIterate{
		Step:     int64(p.Step),
		Lambda:   measure.Num(p.Z.Lambda),
		Eta:      measure.Num(p.Z.Eta),
		GradNorm: measure.Num(p.GradNorm),
		Gap:      measure.Num(p.Gap),
	}
}
