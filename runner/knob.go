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

// Knobs returns the keys of the settings that can be changed live.
func Knobs() []string { return []string{"lr", "c", "lambda0", "lambda_max"} }

// Turn changes the knob key to a number or "auto" and returns the value before
// and after. The error is a *KeyError, and s is as it was. Where z has left
// the changed box, the run projects it.
func (s *Spec) Turn(key, value string) (before, after Number, err error) {
	var a Auto
	if err := a.UnmarshalText([]byte(value)); err != nil {
		return before, after, &KeyError{key, value, "a number or auto"}
	}
	after = NumIf(!a.IsAuto(), a.Or(0))
	before, err = s.turn(key, after)
	return before, after, err
}

// turn is Turn with the value as KnobEvent has it.
func (s *Spec) turn(key string, value Number) (before Number, err error) {
	next := *s
	if before, err = next.set(key, value); err != nil {
		return before, err
	}
	for _, c := range next.checks() {
		if !c.ok {
			return before, &c.KeyError
		}
	}
	if _, err := next.Problem(); err != nil {
		return before, err
	}
	*s = next
	return before, nil
}

func (s *Spec) set(key string, value Number) (before Number, err error) {
	if !slices.Contains(Knobs(), key) {
		return before, &KeyError{"knob", key, "one of " + join(Knobs())}
	}
	set, err := s.Set()
	if err != nil {
		return before, err
	}
	algorithm := s.Algorithm()
	switch {
	case key == "c" && algorithm != dro.SFK:
		return before, &KeyError{key, value, fmt.Sprintf("a run of sfk: this one is of %s, which has no c", algorithm)}
	case key != "lr" && key != "c" && (algorithm != dro.SFK && algorithm != dro.PGD || !set.HasRadius()):
		return before, &KeyError{key, value, "a run that moves λ: sfk or pgd, on a set that has a radius"}
	case (key == "lr" || key == "lambda0") && !value.Applies():
		return before, &KeyError{key, "auto", "a number > 0"}
	}
	auto := Auto{}
	if value.Applies() {
		auto = Fixed(value.Float())
	}
	switch key {
	case "lr":
		before, s.LR = Num(s.LR), value.Float()
	case "c":
		before, s.C = numberOf(s.C), auto
	case "lambda0":
		before, s.Lambda0 = Num(s.Lambda0), value.Float()
	case "lambda_max":
		before, s.LambdaMax = numberOf(s.LambdaMax), auto
	}
	return before, nil
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

// turned turns k, which somebody asked for, and returns what the log shall say:
// that it was turned, or a warning that it could not be.
func (s *Spec) turned(k KnobEvent, at Head) Event {
	before, err := s.turn(k.Key, k.New)
	if err != nil {
		return &WarningEvent{Head: at, Message: "knob not turned: " + err.Error()}
	}
	return &KnobEvent{Head: at, Key: k.Key, Old: before, New: k.New}
}

// turn changes a setting on request.
func (r *run) turn(k KnobEvent) error {
	spec := r.spec
	e := spec.turned(k, r.head())
	if err := r.append(e); err != nil {
		return err
	}
	if _, ok := e.(*KnobEvent); !ok {
		return nil
	}
	r.knobs = slices.DeleteFunc(r.knobs, func(lost KnobEvent) bool { return lost.Key == k.Key && lost.Step > r.step })
	return r.use(spec)
}

// replay turns the knobs that were turned at this step before.
func (r *run) replay() error {
	for len(r.knobs) > 0 && r.knobs[0].Step <= r.step {
		k := r.knobs[0]
		r.knobs = r.knobs[1:]
		spec := r.spec
		if _, err := spec.turn(k.Key, k.New); err != nil {
			return fmt.Errorf("step %d: turning a knob as before: %w", r.step, err)
		}
		if err := r.use(spec); err != nil {
			return err
		}
	}
	return nil
}

// turnBefore turns the knobs of the part of the run that a checkpoint of step
// has behind it; z is the checkpoint's.
func (r *run) turnBefore(step int64) error {
	if len(r.knobs) == 0 {
		return nil
	}
	for len(r.knobs) > 0 && r.knobs[0].Step < step {
		k := r.knobs[0]
		r.knobs = r.knobs[1:]
		if _, err := r.spec.turn(k.Key, k.New); err != nil {
			return fmt.Errorf("step %d: turning a knob as before: %w", k.Step, err)
		}
	}
	return r.use(r.spec)
}

// use makes spec the run's. z stays, unless it lies outside the box.
func (r *run) use(spec Spec) error {
	p, d, err := newDual(&spec)
	if err != nil {
		return err
	}
	z := r.dual.Z()
	if !p.Box.Contains(z) {
		z = p.Box.Project(z)
	}
	d.SetZ(z)
	r.spec, r.problem, r.dual = spec, p, d
	return nil
}
