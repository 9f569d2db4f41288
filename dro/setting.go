package dro

import "math"

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
	if v.IsAuto() {
		return false
	}
	x := v.Or(0)
	switch {
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
