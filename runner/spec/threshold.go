package spec

import (
	"encoding/json"
	"strconv"
)

// Threshold is the predicted probability of the positive class of two from which on a sample counts
// as that class: a number, or thresholdValF1. It applies to the measures of decisions. The zero
// Threshold takes the class of the greatest probability.
type Threshold struct {
	word   string
	number float64
}

// thresholdValF1 makes each evaluation choose the threshold that is best on the validation split.
const thresholdValF1 = "val_f1"

// defaultThreshold is the number of the zero Threshold.
const defaultThreshold = .5

// IsSet reports whether the threshold differs from taking the class of the greatest probability.
func (t Threshold) IsSet() bool { return t != Threshold{} }

// ByVal reports whether the validation split chooses the threshold.
func (t Threshold) ByVal() bool { return t.word != "" }

// Number returns the threshold as a number, unless the validation split chooses it.
func (t Threshold) Number() float64 {
	if !t.IsSet() {
		return defaultThreshold
	}
	return t.number
}

func (t Threshold) String() string {
	if t.ByVal() {
		return t.word
	}
	return strconv.FormatFloat(t.Number(), 'g', -1, 64)
}

// MarshalJSON writes a word or a number.
func (t Threshold) MarshalJSON() ([]byte, error) {
	if t.ByVal() {
		return json.Marshal(t.word)
	}
	return json.Marshal(t.Number())
}

// UnmarshalJSON reads what MarshalJSON writes.
func (t *Threshold) UnmarshalJSON(b []byte) error {
	*t = Threshold{}
	if json.Unmarshal(b, &t.word) == nil && t.word == thresholdValF1 {
		return nil
	}
	if err := json.Unmarshal(b, &t.number); err != nil || !(t.number > 0 && t.number < 1) {
		return &KeyError{"threshold", string(b), "a number in (0, 1), or " + thresholdValF1}
	}
	if t.number == defaultThreshold {
		t.number = 0
	}
	return nil
}
