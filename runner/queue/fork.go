package queue

import (
	"fmt"
	"maps"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/spec"
)

// fork turns j, prepared as a new run, into a run that continues from parent. A setting on which
// the checkpoint's tensors or positions in the data depend must have the parent's value, knobs
// included; the error is a *spec.KeyError for the first that has not. Nothing is written yet, so a
// refused fork leaves no trace.
func (j *job) fork(parent *runner.Past) error {
	m, from := j.meta, *parent.From
	old, err := parent.Settings()
	if err != nil {
		return err
	}
	was, is := old.Algorithm(), m.Spec.Algorithm()
	for _, t := range spec.AllSettings() {
		if !t.Inherited() {
			continue
		}
		if was, ok := t.Inherits(&m.Spec, &old); !ok {
			return &spec.KeyError{Key: t.Key, Value: t.Text(&m.Spec), Want: was +
				", as in the parent: only a new run can have another"}
		}
	}
	if err := parent.Meta.CheckData(m.Checksum); err != nil {
		return err
	}
	switch {
	case m.Coordinates != parent.Meta.Coordinates:
		return &spec.KeyError{Key: "coordinates", Value: m.Coordinates,
			Want: parent.Meta.Coordinates + ", as in the parent, since z goes on"}
	case from.Step > m.Steps || from.Step == m.Steps && (refits(was) || !refits(is)):
		return &spec.KeyError{Key: "epochs", Value: m.Spec.Epochs,
			Want: fmt.Sprintf("more than the %.4g done at step %d",
				float64(from.Step)/float64(m.StepsPerEpoch), from.Step)}
	}
	// This comes last, since nothing below can fail: j.from says that the job is a fork.
	inherit(&from, m, was)
	j.from = &from
	return nil
}

// refits reports whether a method fits the last layer again. A fork of a run that has ended can do
// that without a further step.
func refits(a dro.Algorithm) bool {
	m, err := dro.Find(a)
	return err == nil && m.Refits
}

// inherit makes s the checkpoint that the fork m begins with. If the method is the parent's, its
// state is the parent's, too, except for the settings that say where the state starts. They may
// have been changed on purpose, and take precedence over the numbers of the state. s is a copy of
// the parent's checkpoint and shares its maps and tensors, so it is cloned where it changes.
func inherit(s *runner.State, m *runner.Meta, parent dro.Algorithm) {
	s.Last, s.Output = nil, nil              // they are in the parent's log, not in the fork's
	s.Selected, s.Waited, s.Tied = nil, 0, 0 // the fork has no checkpoint of the selection
	if m.Spec.Algorithm() != parent || s.Method == nil {
		s.Window, s.Method, s.Picked = runner.Window{}, nil, nil
		return
	}
	// The fork starts at the settings that the method keeps as numbers, such as λ.
	method := *s.Method
	method.Numbers = maps.Clone(method.Numbers)
	for key := range method.Numbers {
		if t, ok := spec.FindSetting(key); ok {
			if v, ok := t.Number(&m.Spec); ok {
				method.Numbers[key] = v.Or(method.Numbers[key])
			}
		}
	}
	s.Method = &method
}

// pin keeps the checkpoint in the parent, too, so that comparisons find where the forks began. If
// that fails, the forks still have everything they need, and their logs get a warning. The error is
// about writing that warning.
func (q *Queue) pin(parent *runner.Past, forks []*job) error {
	err := q.settings.Store.Pin(parent.Meta.ID, parent.From.Step)
	if err == nil {
		return nil
	}
	for _, j := range forks {
		if err := j.warn("the parent may lose the checkpoint: " + err.Error()); err != nil {
			return err
		}
	}
	return nil
}

// parent reads the run that RUN@STEP names, as it was at a checkpoint that was kept. A live run
// does not remove the checkpoint until it is released: preparing the data of a fork may take
// longer than the run takes to save newer ones.
func (q *Queue) parent(name string) (past *runner.Past, release func(), err error) {
	id, step, err := runner.ParseParent(name)
	if err != nil {
		return nil, nil, err
	}
	release = q.settings.Store.Hold(id)
	if past, err = q.settings.Store.Load(id, step); err != nil {
		release()
		return nil, nil, err
	}
	return past, release, nil
}
