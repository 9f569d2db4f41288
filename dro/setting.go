package dro

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// Setting describes a setting of a method's own. Its value is a number, which presets and --set can
// change.
type Setting struct {
	Key     string // in snake case; no other setting has the same key
	Doc     string // the meaning, in one line
	Default Auto
	// Want says in words what Check accepts, such as "a number > 0".
	Want  string
	Check func(v float64) bool
	Whole bool // a whole number
	On    bool // a switch: 0 is off, 1 is on
	Auto  bool // "auto" is a value, too
	// Choices are the words that the setting accepts in place of a number. Its value is then the
	// index of the word.
	Choices []string
	Live    bool // may be turned while a run goes on
	// Fixed says that a fork has its parent's value, or the default where the parent's method does
	// not read the setting. Another value would not fit what the parent has trained on.
	Fixed bool
	// Below is the key of a setting of all runs, whose value this setting must stay below; "" is
	// none.
	Below string
}

// Holds reports whether v is a valid value of the setting.
func (s *Setting) Holds(v Auto) bool {
	x := v.Or(math.NaN())
	switch {
	case v.IsAuto():
		return s.Auto
	case math.IsNaN(x) || math.IsInf(x, 0):
		return false
	case s.On:
		return x == 0 || x == 1
	case s.Choices != nil:
		return x == math.Trunc(x) && x >= 0 && int(x) < len(s.Choices)
	case s.Whole && x != math.Trunc(x):
		return false
	}
	return s.Check == nil || s.Check(x)
}

func above0(x float64) bool   { return x > 0 }
func atLeast1(x float64) bool { return x >= 1 }

// Auto is the value of a setting that is a number or the word "auto". The reader of the setting
// derives the value of "auto". +Inf is a bound that bounds nothing, written "none". The zero Auto
// is "auto".
type Auto struct {
	value float64
	set   bool
}

// Fixed returns the setting x.
func Fixed(x float64) Auto { return Auto{x, true} }

// None returns the setting "none", the number +Inf.
func None() Auto { return Fixed(math.Inf(1)) }

// IsAuto tells whether the value is to be derived.
func (a Auto) IsAuto() bool { return !a.set }

// IsNone tells whether the setting is "none".
func (a Auto) IsNone() bool { return a == None() }

// Or returns the number, or derived where the setting is "auto".
func (a Auto) Or(derived float64) float64 {
	if a.set {
		return a.value
	}
	return derived
}

func (a Auto) String() string {
	switch {
	case a.IsAuto():
		return "auto"
	case a.IsNone():
		return "none"
	}
	return strconv.FormatFloat(a.value, 'g', -1, 64)
}

// UnmarshalText reads "auto", "none" or a number.
func (a *Auto) UnmarshalText(b []byte) error {
	switch string(b) {
	case "auto":
		*a = Auto{}
	case "none":
		*a = None()
	default:
		x, err := strconv.ParseFloat(string(b), 64)
		if err != nil {
			return fmt.Errorf("%.40q: expected a number or auto", b)
		}
		*a = Fixed(x)
	}
	return nil
}

// MarshalJSON writes a word or a number.
func (a Auto) MarshalJSON() ([]byte, error) {
	if a.IsAuto() || a.IsNone() {
		return json.Marshal(a.String())
	}
	return json.Marshal(a.value)
}

// UnmarshalJSON reads "auto", "none" or a number.
func (a *Auto) UnmarshalJSON(b []byte) error {
	var word string
	if json.Unmarshal(b, &word) == nil && (word == "auto" || word == "none") {
		return a.UnmarshalText([]byte(word))
	}
	return a.UnmarshalText(b)
}
