package dro

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// Auto is a setting that is a number or the word "auto": then whoever reads it
// derives the value. The zero Auto is "auto".
type Auto struct {
	value float64
	set   bool
}

// Fixed returns the setting x.
func Fixed(x float64) Auto { return Auto{x, true} }

// IsAuto tells whether the value is to be derived.
func (a Auto) IsAuto() bool { return !a.set }

// Or returns the number, or derived where the setting is "auto".
func (a Auto) Or(derived float64) float64 {
	if a.set {
		return a.value
	}
	return derived
}

func (a Auto) String() string {
	if !a.set {
		return "auto"
	}
	return strconv.FormatFloat(a.value, 'g', -1, 64)
}

// MarshalText writes "auto" or the number; it serves YAML.
func (a Auto) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText reads "auto" or a number.
func (a *Auto) UnmarshalText(b []byte) error {
	if string(b) == "auto" {
		*a = Auto{}
		return nil
	}
	x, err := strconv.ParseFloat(string(b), 64)
	if err != nil {
		return fmt.Errorf("%.40q: want a number or auto", b)
	}
	*a = Fixed(x)
	return nil
}

// MarshalJSON writes "auto" or a number.
func (a Auto) MarshalJSON() ([]byte, error) {
	if !a.set {
		return []byte(`"auto"`), nil
	}
	return json.Marshal(a.value)
}

// UnmarshalJSON reads "auto" or a number.
func (a *Auto) UnmarshalJSON(b []byte) error {
	if string(b) == `"auto"` {
		*a = Auto{}
		return nil
	}
	return a.UnmarshalText(b)
}
