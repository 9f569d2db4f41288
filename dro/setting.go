package dro

import "math"

// Setting is a number of a method's own, which presets and --set can change.
type Setting struct {
	Key     string // snake case, unlike every other setting's
	Doc     string // what it means, one line
	Default Auto
	// Before is what runs had that were recorded before there was the setting,
	// where that is a number and not the default.
	Before Auto
	// Want says in words what Check accepts, as "a number > 0".
	Want  string
	Check func(v float64) bool
	// AutoIs is the method that the word "auto" stands for: whoever sets it asks
	// for that method in place of this one, as old files do. Empty: no such word.
	AutoIs Algorithm
	Whole  bool // a whole number
	On     bool // a switch: 0 is off, 1 is on
	// Choices are the words that it may be, where it is no number: it is the place of one.
	Choices []string
	Live    bool // may be turned while a run goes on
	// Fixed says that a fork has its parent's, or the default where the parent's method does
	// not read it, since another value would not fit what the parent has trained on.
	Fixed bool
	// Below is the key of a setting of all runs that this one has to stay
	// below; "" is none.
	Below string
}

// Holds tells whether the setting may be v.
func (s *Setting) Holds(v Auto) bool {
	if v.IsAuto() {
		return s.AutoIs != ""
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
