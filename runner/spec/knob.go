package spec

import (
	"fmt"

	"drolab/dro"
)

// A knob is a setting that may change while its run goes on. A change counts
// from the next step on and stands in the log as a KnobEvent; a resume turns
// the knobs of the lost part again at the same steps, so that it comes to the
// same numbers.

// Knobs returns the keys of the settings that can be changed while the run of s
// goes on, in the order of AllSettings. They depend on the method and the set: a CVaR
// set has no λ whose bounds could be changed.
func (s *Spec) Knobs() (keys []string) {
	for _, t := range allSettings() {
		if t.liveIn(s) {
			keys = append(keys, t.Key)
		}
	}
	return keys
}

// Turn changes the knob key to a number or "auto" and returns the value before
// and after. The error is a *KeyError, and s is as it was. Where z has left
// the changed box, the run projects it.
func (s *Spec) Turn(key, value string) (before, after Auto, err error) {
	if err := after.UnmarshalText([]byte(value)); err != nil {
		return before, after, &KeyError{key, value, "a number or auto"}
	}
	before, err = s.Change(key, after)
	return before, after, err
}

// Change is Turn to a value. A run keeps its method: the knob is refused that would
// change it.
func (s *Spec) Change(key string, value Auto) (before Auto, err error) {
	if t, ok := FindSetting(key); !ok || !t.liveIn(s) {
		want := "one of " + join(s.Knobs()) + ", which this run can change"
		return before, &KeyError{"knob", key, want}
	}
	if most, ok := s.most(key); ok && value.Or(0) > most {
		return before, &KeyError{key, value.Or(0), s.KnobWant(key)}
	}
	next := *s
	if before, err = next.Replay(key, value); err != nil {
		return before, err
	}
	if is, was := next.Algorithm(), s.Algorithm(); is != was {
		want := fmt.Sprintf("a new run: this one keeps its method, %s, and would become one "+
			"of %s",
			was, is)
		return before, &KeyError{key, next.Text(key), want}
	}
	*s = next
	return before, nil
}

// most is what a knob is at most while its run goes on: the box of a run keeps its upper end, also
// where that is derived and would follow the lower one.
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

// KnobWant says what a knob takes, with its bounds as they are now.
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

// Replay turns a knob as a log says that it was turned, and returns the value before.
// Old logs may have turned c between a number and auto: the method is another one from
// there on.
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

// set assigns a knob in a Spec that the caller throws away if more is wrong with it. It
// goes through Assign and so through JSON, to have one road for all values.
func (s *Spec) set(key string, value Auto) (before Auto, err error) {
	t, ok := FindSetting(key)
	if ok && t.own != nil && t.own.AutoIs == s.Algorithm() {
		s.SetOwn(key, Auto{}) // as the method was written when a log could turn this
	} else if !ok || !t.liveIn(s) {
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
