package runner

import (
	"encoding/json"
	"fmt"
	"reflect"
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
	if at > 0 {
		id = s[:at]
		step, err = strconv.ParseInt(s[at+1:], 10, 64)
	}
	if at <= 0 || err != nil || step < 0 {
		return "", 0, fmt.Errorf("%q: want RUN@STEP, with the step of a checkpoint", s)
	}
	return id, step, nil
}

// Fork returns the settings that a run going on from p has: the parent's, its
// knobs as they stood, and z at the checkpoint as the start.
func (p *Past) Fork() (Spec, error) {
	s := p.Meta.Spec
	for _, k := range Turned(p.Log) {
		if p.From != nil && k.Step <= p.From.Step {
			if _, err := s.turn(k.Key, k.New); err != nil {
				return s, fmt.Errorf("step %d: turning a knob as before: %w", k.Step, err)
			}
		}
	}
	problem, err := s.Problem()
	if err != nil || p.From == nil || s.Algorithm() == dro.ERM {
		return s, err
	}
	z := p.From.Z
	if !problem.Box.Contains(z) && s.Algorithm() != dro.PAN { // a knob was turned right after the checkpoint
		z = problem.Box.Project(z)
	}
	s.Lambda, s.Eta = z.Lambda, z.Eta
	return s, nil
}

// fixed are the settings that a fork has from its parent.
func fixed() []string {
	return []string{"dataset", "samples", "difficulty", "imbalance", "mean", "std", "val_fraction", "augment",
		"model",
		"batch", "batch_z", "seed"}
}

// fork makes j, prepared as a new run, one that goes on from parent.
func (j *job) fork(parent *Past) error {
	m, from := j.meta, *parent.From
	was, err := settings(&parent.Meta.Spec)
	if err != nil {
		return err
	}
	is, err := settings(&m.Spec)
	if err != nil {
		return err
	}
	for _, key := range fixed() {
		if !reflect.DeepEqual(was[key], is[key]) {
			return &KeyError{key, is[key],
				fmt.Sprintf("%v, as in the parent: only a new run can have another", was[key])}
		}
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
	from.Z = dro.Z{Lambda: m.Spec.Lambda, Eta: m.Spec.Eta}
	if a := m.Spec.Algorithm(); a != parent.Meta.Spec.Algorithm() {
		from.Window, from.Iterate, from.IterateParameters = Window{}, nil, nil
		if a == dro.SFK {
			from.IterateParameters = from.Parameters // until the first step finds a first iterate
		}
	}
	j.from = &from
	return nil
}

// settings returns s by key.
func settings(s *Spec) (map[string]any, error) {
	b, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	var byKey map[string]any
	return byKey, json.Unmarshal(b, &byKey)
}

// pin keeps the checkpoint in the parent, too. Where that fails the forks have
// all they need, and say so.
func (q *Queue) pin(parent *Past, forks []*job) error {
	err := q.settings.Store.Pin(parent.Meta.ID, parent.From.Step)
	if err == nil {
		return nil
	}
	for _, j := range forks {
		w := &WarningEvent{Head: j.head(), Message: "the parent may lose the checkpoint: " + err.Error()}
		if err := j.record.Append(w); err != nil {
			return err
		}
	}
	return nil
}
