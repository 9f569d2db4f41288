package dro

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

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

// MarshalText writes a word or the number; it serves YAML.
func (a Auto) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText reads "auto", "none" or a number.
func (a *Auto) UnmarshalText(b []byte) error {
	switch string(b) {
	case "auto":
		*a = Auto{}
		return nil
	case "none":
		*a = None()
		return nil
	}
	x, err := strconv.ParseFloat(string(b), 64)
	if err != nil {
		return fmt.Errorf("%.40q: want a number or auto", b)
	}
	*a = Fixed(x)
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
