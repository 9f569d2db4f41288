package runner

import (
	"fmt"
	"strconv"
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

// startFrom sets the settings with which the method's state starts, such as λ and η, to the numbers
// of the same names in the state at the checkpoint.
func startFrom(s *spec.Spec, p *Past) error {
	trainer, problem, err := NewTrainer(s, &p.Meta.Parts, nil)
	if err != nil {
		return err
	}
	if err := trainer.Restore(*p.From.Method); err != nil {
		return err
	}
	d, ok := trainer.(dro.Dual)
	if ok && !problem.Box.Contains(d.Z()) { // a knob was turned right after the checkpoint
		d.Confine()
	}
	for key, v := range trainer.State().Numbers {
		if _, ok := spec.FindSetting(key); !ok {
			continue
		}
		if err := s.Assign(key, strconv.AppendFloat(nil, v, 'g', -1, 64)); err != nil {
			return err
		}
	}
	return nil
}
