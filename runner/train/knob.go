package train

import (
	"fmt"
	"slices"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/spec"
)

// Turn implements Waiting: it changes a setting on request. The event is in the log before the
// run uses the new value, so that a resume knows the settings of every step.
func (r *Run) Turn(key, value string) error {
	next := r.spec
	e, err := ChangeKnob(&next, key, value, r.Head())
	if err != nil {
		return err
	}
	if err := r.append(e); err != nil {
		return err
	}
	r.Knobs = slices.DeleteFunc(r.Knobs, func(lost runner.KnobEvent) bool {
		return lost.Key == key && lost.Step > r.step
	})
	return r.useSpec(next)
}

// replay repeats earlier changes of knobs, at the steps up to this one. It writes no event: the log
// has the events of the lost part, and they count again.
func (r *Run) replay(step int64) error {
	for len(r.Knobs) > 0 && r.Knobs[0].Step <= step {
		k := r.Knobs[0]
		r.Knobs = r.Knobs[1:]
		next := r.spec
		if err := k.Apply(&next); err != nil {
			return fmt.Errorf("step %d: repeating a change of a setting: %w", k.Step, err)
		}
		if err := r.useSpec(next); err != nil {
			return err
		}
	}
	return nil
}

// useSpec makes s the run's spec. The method's state stays, but a z outside the new box is moved
// into it. After an error the run is unchanged.
func (r *Run) useSpec(s spec.Spec) error {
	m, err := newMethod(&s, &r.Meta.Parts, data.KeysOf(r.Data.Train))
	if err != nil {
		return err
	}
	if err := m.Restore(r.Method.State()); err != nil {
		return err
	}
	if d, ok := m.Trainer.(dro.Dual); ok && !m.Problem.Box.Contains(d.Z()) {
		d.Confine()
	}
	r.Method, r.spec = m, s
	return nil
}

// knobRefusal is the error of a knob that cannot be turned; the run continues.
type knobRefusal struct{ error }

// Unwrap returns the reason.
func (r knobRefusal) Unwrap() error { return r.error }

// ChangeKnob turns a knob of s on request, and returns the event for the log. The error is a
// knobRefusal.
func ChangeKnob(s *spec.Spec, key, value string, at runner.Head) (*runner.KnobEvent, error) {
	before, after, err := s.Turn(key, value)
	if err != nil {
		return nil, knobRefusal{err}
	}
	return runner.NewKnobEvent(at, key, before, after), nil
}
