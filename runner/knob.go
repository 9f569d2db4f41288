package runner

import (
	"cmp"
	"fmt"
	"slices"

	"drolab/dro"
)

// A knob is a setting that may change while its run goes on. A change counts
// from the next step on and stands in the log as a KnobEvent; a resume turns
// the knobs of the lost part again at the same steps, so that it comes to the
// same numbers.

// Knobs returns the keys of the settings that can be changed while the run of s
// goes on.
func (s *Spec) Knobs() (keys []string) {
	for _, t := range AllSettings() {
		if t.LiveIn(s) {
			keys = append(keys, t.Key)
		}
	}
	return keys
}

// Turn changes the knob key to a number or "auto" and returns the value before
// and after. The error is a *KeyError, and s is as it was. Where z has left
// the changed box, the run projects it.
func (s *Spec) Turn(key, value string) (before, after Number, err error) {
	var a Auto
	if err := a.UnmarshalText([]byte(value)); err != nil {
		return before, after, &KeyError{key, value, "a number or auto"}
	}
	after = NumIf(!a.IsAuto(), a.Or(0))
	before, err = s.change(key, after)
	return before, after, err
}

// Replay turns a knob as a log says that it was turned. Old ones may have turned c
// between a number and auto: the method is another one from there on.
func (s *Spec) Replay(k *KnobEvent) error {
	_, err := s.turn(k.Key, k.New)
	return err
}

// change is turn for somebody who asks: a run keeps its method.
func (s *Spec) change(key string, value Number) (before Number, err error) {
	if t, ok := FindSetting(key); !ok || !t.LiveIn(s) {
		return before, &KeyError{"knob", key, "one of " + join(s.Knobs()) + ", which a run like this can turn"}
	}
	next := *s
	if before, err = next.turn(key, value); err != nil {
		return before, err
	}
	if is, was := next.Algorithm(), s.Algorithm(); is != was {
		return before, &KeyError{key, next.Text(key), fmt.Sprintf("a new run: this one is of %s and keeps "+
			"its method, and that is %s", was, is)}
	}
	*s = next
	return before, nil
}

// turn changes a setting to a value as KnobEvent has it.
func (s *Spec) turn(key string, value Number) (before Number, err error) {
	next := *s
	if before, err = next.set(key, value); err != nil {
		return before, err
	}
	if err := next.checkValues(); err != nil {
		return before, err
	}
	if _, err := next.Problem(); err != nil {
		return before, err
	}
	*s = next
	return before, nil
}

func (s *Spec) set(key string, value Number) (before Number, err error) {
	t, ok := FindSetting(key)
	if ok && t.own != nil && t.own.AutoIs == s.Algorithm() {
		s.SetOwn(key, Auto{}) // as the method was written when a log could turn this
	} else if !ok || !t.LiveIn(s) {
		return before, fmt.Errorf("%.40q is no knob of %s", key, s.Algorithm())
	}
	now, _ := t.Number(s)
	text := []byte(`"auto"`)
	if value.Applies() {
		text = value.AppendJSON(nil)
	}
	return numberOf(now), s.Assign(key, text)
}

func numberOf(a Auto) Number { return NumIf(!a.IsAuto(), a.Or(0)) }

// Turned returns the changes that hold in the end, in the order of their steps,
// of those in a log. Where a run was resumed and a knob turned before the step
// of a change that was lost, the lost one no longer holds.
func Turned(log []KnobEvent) []KnobEvent {
	var list []KnobEvent
	for _, k := range log {
		list = slices.DeleteFunc(list, func(old KnobEvent) bool { return old.Key == k.Key && old.Step > k.Step })
		list = append(list, k)
	}
	slices.SortStableFunc(list, func(a, b KnobEvent) int { return cmp.Compare(a.Step, b.Step) })
	return list
}

// turned turns k, which somebody asked for, and returns what the log shall say.
// The error is a refused.
func (s *Spec) turned(k KnobEvent, at Head) (*KnobEvent, error) {
	before, err := s.change(k.Key, k.New)
	if err != nil {
		return nil, refused{err}
	}
	return &KnobEvent{Head: at, Key: k.Key, Old: before, New: k.New}, nil
}

// turn changes a setting on request.
func (r *Run) Turn(k KnobEvent) error {
	spec := r.spec
	e, err := spec.turned(k, r.Head())
	if err != nil {
		return err
	}
	if err := r.append(e); err != nil {
		return err
	}
	r.knobs = slices.DeleteFunc(r.knobs, func(lost KnobEvent) bool {
		return lost.Key == k.Key && lost.Step > r.step
	})
	return r.use(spec)
}

// replay turns the knobs that were turned before, at the steps up to this one.
func (r *Run) replay(step int64) error {
	for len(r.knobs) > 0 && r.knobs[0].Step <= step {
		k := r.knobs[0]
		r.knobs = r.knobs[1:]
		spec := r.spec
		if err := spec.Replay(&k); err != nil {
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
func (r *Run) use(spec Spec) error {
	state := r.method.State()
	if err := r.setMethod(&spec); err != nil {
		return err
	}
	if err := r.method.Restore(state); err != nil {
		return err
	}
	if d, ok := r.method.(dro.Dual); ok && !r.problem.Box.Contains(d.Z()) {
		d.Confine()
	}
	r.spec = spec
	return nil
}
