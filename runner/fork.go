package runner

import (
	"fmt"
	"strings"

	"drolab/dro"
	"drolab/runner/numeral"
	"drolab/runner/spec"
)

// A fork is a new run that continues from a checkpoint of another run. It may have settings of its
// own as long as they fit the checkpoint's tensors and position in the data.

// ParseParent splits RUN@STEP into the run and the step.
func ParseParent(s string) (id string, step int64, err error) {
	at := strings.LastIndexByte(s, '@')
	step, ok := numeral.Int64(s[at+1:])
	if at <= 0 || !ok || step < 0 {
		return "", 0, fmt.Errorf("%q: expected RUN@STEP, with the step of a checkpoint", s)
	}
	return s[:at], step, nil
}

// Fork returns the settings of a run that continues from p: the parent's settings, with its knobs
// as they stood, and with z at the checkpoint as the start.
func (p *Past) Fork() (spec.Spec, error) {
	s, err := p.Settings()
	if err == nil && p.From != nil && p.From.Method != nil {
		err = startFrom(&s, p)
	}
	return s, err
}

// Settings returns the parent's settings with the knobs as they stood at the checkpoint.
func (p *Past) Settings() (spec.Spec, error) {
	s := p.Meta.Spec
	if err := p.Meta.Trained(); err != nil {
		return s, err
	}
	for _, k := range ValidKnobs(p.Log) {
		if p.From != nil && k.Step <= p.From.Step {
			if err := k.Apply(&s); err != nil {
				return s, fmt.Errorf("step %d: repeating a change of a setting: %w", k.Step, err)
			}
		}
	}
	return s, nil
}

// startFrom sets the settings for the start of the method's state to the state at the checkpoint:
// z, for methods that have one.
func startFrom(s *spec.Spec, p *Past) error {
	trainer, problem, err := NewTrainer(s, &p.Meta.Parts, nil)
	if err != nil {
		return err
	}
	d, ok := trainer.(dro.Dual)
	if !ok {
		return nil
	}
	if err := trainer.Restore(*p.From.Method); err != nil {
		return err
	}
	if !problem.Box.Contains(d.Z()) { // a knob was turned right after the checkpoint
		d.Confine()
	}
	s.Lambda, s.Eta = d.Z().Lambda, d.Z().Eta
	return nil
}
