package train

import (
	"fmt"
	"slices"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/gate"
	"drolab/runner/spec"
)

// Turn implements gate.Waiting: it changes a setting on request. The event is in the
// log before the run uses the setting, so that no step is taken with one that a resume
// would not know of.
func (r *Run) Turn(k runner.KnobEvent) error {
	next := r.spec
	e, err := gate.ChangeKnob(&next, k, r.Head())
	if err != nil {
		return err
	}
	if err := r.append(e); err != nil {
		return err
	}
	r.Knobs = slices.DeleteFunc(r.Knobs, func(lost runner.KnobEvent) bool {
		return lost.Key == k.Key && lost.Step > r.step
	})
	return r.use(next)
}

// replay turns the knobs that were turned before, at the steps up to this one. It writes
// no event: the log has those of the lost part, and they count again.
func (r *Run) replay(step int64) error {
	for len(r.Knobs) > 0 && r.Knobs[0].Step <= step {
		k := r.Knobs[0]
		r.Knobs = r.Knobs[1:]
		next := r.spec
		if err := k.Apply(&next); err != nil {
			return fmt.Errorf("step %d: repeating a change of a setting: %w", k.Step, err)
		}
		if err := r.use(next); err != nil {
			return err
		}
	}
	return nil
}

// use makes s the run's. The method's state stays; a z outside the new box is
// brought into it. With an error the run is as it was.
func (r *Run) use(s spec.Spec) error {
	m, err := newMethod(&s, &r.Meta.Parts)
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
