package runner

import (
	"fmt"
	"maps"
	"strconv"
	"strings"

	"drolab/dro"
)

// A fork is a new run that goes on from a checkpoint of another one, with
// settings of its own where those leave the checkpoint's tensors and place in
// the data what they are.

// ParseParent splits RUN@STEP.
func ParseParent(s string) (id string, step int64, err error) {
	at := strings.LastIndexByte(s, '@')
	step, err = strconv.ParseInt(s[at+1:], 10, 64)
	if at <= 0 || err != nil || step < 0 {
		return "", 0, fmt.Errorf("%q: want RUN@STEP, with the step of a checkpoint", s)
	}
	return s[:at], step, nil
}

// Fork returns the settings that a run going on from p has: the parent's, its
// knobs as they stood, and z at the checkpoint as the start.
func (p *Past) Fork() (Spec, error) {
	s, err := p.turned()
	if err == nil && p.From != nil && p.From.Method != nil {
		err = s.startFrom(p)
	}
	return s, err
}

// turned returns the settings with the knobs as they stood.
func (p *Past) turned() (Spec, error) {
	s := p.Meta.Spec
	for _, k := range Turned(p.Log) {
		if p.From != nil && k.Step <= p.From.Step {
			if err := s.Replay(&k); err != nil {
				return s, fmt.Errorf("step %d: turning a knob as before: %w", k.Step, err)
			}
		}
	}
	return s, nil
}

// startFrom makes the settings that say where the method's state starts what the
// state is: z, for methods that have one.
func (s *Spec) startFrom(p *Past) error {
	trainer, problem, err := NewTrainer(s, &p.Meta.Parts)
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

// fork makes j, prepared as a new run, one that goes on from parent.
func (j *job) fork(parent *Past) error {
	m, from := j.meta, *parent.From
	spec, err := parent.turned()
	if err != nil {
		return err
	}
	was, is := spec.Algorithm(), m.Spec.Algorithm()
	for _, t := range AllSettings() {
		if was, is := t.Text(&spec), t.Text(&m.Spec); t.fixed && was != is {
			return &KeyError{t.Key, is, was + ", as in the parent: only a new run can have another"}
		}
	}
	if Other(was) == is {
		return &KeyError{"algorithms", is, string(was) + ", as in the parent: only a new run can have the other"}
	}
	switch {
	case m.Checksum != parent.Meta.Checksum:
		return otherData(parent.Meta, m.Checksum)
	case m.Coordinates != parent.Meta.Coordinates:
		return &KeyError{"coordinates", m.Coordinates,
			parent.Meta.Coordinates + ", as in the parent, since z goes on"}
	case from.Step >= m.Steps:
		return &KeyError{"epochs", m.Spec.Epochs, fmt.Sprintf("more than the %.4g done at step %d",
			float64(from.Step)/float64(m.StepsPerEpoch), from.Step)}
	}
	from.inherit(m, was)
	j.from = &from
	return nil
}

// inherit makes s the checkpoint that the fork m begins with: the method's state
// is the parent's where the method is, but for the settings that say where it
// starts.
func (s *State) inherit(m *Meta, parent dro.Algorithm) {
	s.Last, s.Output = nil, nil
	s.Selected = nil // the fork has no checkpoint of it
	if m.Spec.Algorithm() != parent || s.Method == nil {
		s.Window, s.Method, s.Picked = Window{}, nil, nil
		return
	}
	method := *s.Method
	method.Numbers = maps.Clone(method.Numbers)
	for key := range method.Numbers {
		if t, ok := FindSetting(key); ok {
			if v, ok := t.Number(&m.Spec); ok {
				method.Numbers[key] = v.Or(method.Numbers[key])
			}
		}
	}
	s.Method = &method
}

// pin keeps the checkpoint in the parent, too. Where that fails the forks have
// all they need, and say so.
func (q *Queue) pin(parent *Past, forks []*job) error {
	err := q.settings.Store.Pin(parent.Meta.ID, parent.From.Step)
	if err == nil {
		return nil
	}
	for _, j := range forks {
		w := &WarningEvent{Head: j.Head(), Message: "the parent may lose the checkpoint: " + err.Error()}
		if err := j.record.Append(w); err != nil {
			return err
		}
	}
	return nil
}
