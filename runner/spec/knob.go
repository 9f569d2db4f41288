package spec

import (
	"fmt"
	"strings"

	"drolab/dro"
	"drolab/runner/numeral"
)

// A knob is a setting that may change while its run trains. A change counts from the next step on
// and is logged as a KnobEvent. A resume repeats the changes of the lost part at the same steps, so
// that it computes the same numbers.

// Knobs returns the keys of the settings that can change while a run of s trains, in the order of
// AllSettings. They depend on the method and the set: a CVaR set has no λ whose bounds could be
// changed.
func (s *Spec) Knobs() (keys []string) {
	for _, t := range allSettings() {
		if t.liveIn(s) {
			keys = append(keys, t.Key)
		}
	}
	return keys
}

// Turn changes the knob key to a number or "auto" and returns the values before and after. The
// error is a *KeyError, and s is unchanged then. If the changed box excludes z, the run projects z
// into it.
func (s *Spec) Turn(key, value string) (before, after dro.Auto, err error) {
	after, readable := readKnob(value)
	if !readable {
		want := "a number or auto" + numeral.Remedy(value)
		return before, after, &KeyError{key, value, want}
	}
	if t, ok := FindSetting(key); !ok || !t.liveIn(s) {
		want := "one of " + join(s.Knobs()) + ", which this run can change"
		return before, after, &KeyError{"knob", key, want}
	}
	if most, ok := s.knobLimit(key); ok && after.Or(0) > most {
		return before, after, &KeyError{key, after.Or(0), s.KnobWant(key)}
	}
	before, err = s.Replay(key, after)
	return before, after, err
}

// readKnob reads the value of a knob as people write it.
func readKnob(text string) (value dro.Auto, ok bool) {
	switch strings.TrimSpace(text) {
	case "auto":
		return dro.Auto{}, true
	case "none":
		return dro.None(), true
	}
	x, ok := numeral.Float(text)
	return dro.Fixed(x), ok
}

// knobLimit returns the greatest value that a knob may take while its run trains. Only lambda0 has
// one: the box of a run keeps its upper end, even if that end is derived and would follow lambda0.
func (s *Spec) knobLimit(key string) (most float64, ok bool) {
	if key != "lambda0" {
		return 0, false
	}
	p, err := s.Problem()
	if err != nil {
		return 0, false
	}
	return p.Box.Lambda[1], true
}

// KnobWant returns in words the values that a knob takes, with its present bounds.
func (s *Spec) KnobWant(key string) string {
	t, ok := FindSetting(key)
	if !ok {
		return ""
	}
	if most, ok := s.knobLimit(key); ok {
		return fmt.Sprintf("%s and at most lambda_max, %.4g", t.Want, most)
	}
	if key == "lambda_max" {
		return fmt.Sprintf("auto or a number ≥ lambda0, %.4g", s.Lambda0)
	}
	return t.Want
}

// Replay turns a knob as a log records it, and returns the value before.
func (s *Spec) Replay(key string, value dro.Auto) (before dro.Auto, err error) {
	t, ok := FindSetting(key)
	if !ok || !t.liveIn(s) {
		return before, fmt.Errorf("%.40q is not a knob of %s", key, s.Algorithm())
	}
	before, _ = t.Number(s)
	text, err := value.MarshalJSON()
	if err != nil { // it is not finite
		return before, &KeyError{key, value.Or(0), t.Want}
	}
	next := *s
	if err := next.Assign(key, text); err != nil { // through JSON, as all values are set
		return before, err
	}
	if wrong := next.WrongValues(); len(wrong) > 0 {
		return before, wrong[0]
	}
	if _, err := next.Problem(); err != nil {
		return before, err
	}
	*s = next
	return before, nil
}
