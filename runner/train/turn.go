package train

import (
	"fmt"
	"slices"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/gate"
	"drolab/runner/spec"
)

// turn changes a setting on request.
func (r *Run) Turn(k runner.KnobEvent) error {
	spec := r.spec
	e, err := gate.ChangeKnob(&spec, k, r.Head())
	if err != nil {
		return err
	}
	if err := r.append(e); err != nil {
		return err
	}
	r.Knobs = slices.DeleteFunc(r.Knobs, func(lost runner.KnobEvent) bool {
		return lost.Key == k.Key && lost.Step > r.step
	})
	return r.use(spec)
}

// replay turns the knobs that were turned before, at the steps up to this one.
func (r *Run) replay(step int64) error {
	for len(r.Knobs) > 0 && r.Knobs[0].Step <= step {
		k := r.Knobs[0]
		r.Knobs = r.Knobs[1:]
		spec := r.spec
		if err := k.Apply(&spec); err != nil {
			return fmt.Errorf("step %d: turning a knob as before: %w", k.Step, err)
		}
		if err := r.use(spec); err != nil {
			return err
		}
	}
	return nil
}

// use makes spec the run's. The method's state stays; a z outside the new box is
// brought into it.
func (r *Run) use(spec spec.Spec) error {
	m, err := newMethod(&spec, &r.Meta.Parts)
	if err != nil {
		return err
	}
	if err := m.Restore(r.Method.State()); err != nil {
		return err
	}
	if d, ok := m.Trainer.(dro.Dual); ok && !m.Problem.Box.Contains(d.Z()) {
		d.Confine()
	}
	r.Method, r.spec = m, spec
	return nil
}
