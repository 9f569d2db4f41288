package train

import (
	"drolab/dro"
	"drolab/dro/nn"
	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/measure"
	"drolab/runner/spec"
)

// Method is a method at work, with what it adds to a run's steps and evaluations. A
// run makes a new one when a knob is turned, and gives it the old one's state: what
// depends on settings is found out here, once, and not at every step.
type Method struct {
	dro.Trainer
	Problem *dro.Problem // that evaluations measure the risk of
	clip    float64      // of the x-step; 0: none
	// sampling is which samples its batches have.
	sampling data.Sampling
	Picker   dro.Picker // the method, where it has an output rule, else nil
	// advance is the method's, where it has an x-step of its own, else nil.
	advance func(velocity, lr float64) (rate float64)
	adam    *nn.AdamW // nil: x is SGD's
	// samplewise gives weights of the method sample by sample, or is nil.
	samplewise func(w, losses []float64)
}

// newMethod starts the method as s states it, on data that p counts. The error is a
// setting's, mostly a *spec.KeyError.
func newMethod(s *spec.Spec, p *measure.Parts) (m Method, err error) {
	d, err := dro.Find(s.Algorithm())
	if err != nil {
		return m, err
	}
	if m.Trainer, m.Problem, err = runner.NewTrainer(s, p); err != nil {
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

// resume makes the method what it was in s, where s has it: the checkpoint that a fork
// with another method begins with has none, and the method is at its start.
func (m *Method) resume(s *runner.State) error {
	if s.Method == nil {
		return nil
	}
	return m.Restore(*s.Method)
}

// Picked is the choice of the method's output rule so far; nil where there is
// nothing yet, or no rule.
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
