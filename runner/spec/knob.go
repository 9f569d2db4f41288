package spec

import (
	"fmt"

	"drolab/dro"
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
func (s *Spec) Turn(key, value string) (before, after Auto, err error) {
	if err := after.UnmarshalText([]byte(value)); err != nil {
		return before, after, &KeyError{key, value, "a number or auto"}
	}
	before, err = s.Change(key, after)
	return before, after, err
}

// Change is Turn with a parsed value.
func (s *Spec) Change(key string, value Auto) (before Auto, err error) {
	if t, ok := FindSetting(key); !ok || !t.liveIn(s) {
		want := "one of " + join(s.Knobs()) + ", which this run can change"
		return before, &KeyError{"knob", key, want}
	}
	if most, ok := s.most(key); ok && value.Or(0) > most {
		return before, &KeyError{key, value.Or(0), s.KnobWant(key)}
	}
	return s.Replay(key, value)
}

// most returns the greatest value that a knob may take while its run trains. Only lambda0 has one:
// the box of a run keeps its upper end, even if that end is derived and would follow lambda0.
func (s *Spec) most(key string) (most float64, ok bool) {
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
	if most, ok := s.most(key); ok {
		return fmt.Sprintf("%s and at most lambda_max, %.4g", t.Want, most)
	}
	if key == "lambda_max" {
		return fmt.Sprintf("auto or a number ≥ lambda0, %.4g", s.Lambda0)
	}
	return t.Want
}

// Replay turns a knob as a log records it, and returns the value before.
func (s *Spec) Replay(key string, value Auto) (before Auto, err error) {
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

// set assigns a knob in a Spec that the caller discards if a later check fails. It goes through
// Assign and so through JSON, so that all values are set in one way.
func (s *Spec) set(key string, value Auto) (before Auto, err error) {
	t, ok := FindSetting(key)
	if !ok || !t.liveIn(s) {
		return before, fmt.Errorf("%.40q is not a knob of %s", key, s.Algorithm())
	}
	before, _ = t.Number(s)
	text, err := value.MarshalJSON()
	if err != nil { // it is not finite
		return before, &KeyError{key, value.Or(0), t.Want}
	}
	return before, s.Assign(key, text)
}

// Auto is a setting that is a number or the word "auto": then the program
// derives it (the Spec field's comment says how). The zero Auto is "auto".
type Auto = dro.Auto

// Fixed returns the setting x.
func Fixed(x float64) Auto { return dro.Fixed(x) }
