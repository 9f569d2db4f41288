package spec

import (
	"encoding/json"
	"strconv"
)

// Threshold is what the predicted probability of the positive class of two has to reach for a
// sample to be taken for it: a number, or ThresholdValF1. It is of the measures of decisions; the
// zero Threshold is the class of the greatest probability.
type Threshold struct {
	word   string
	number float64
}

// thresholdValF1 has each evaluation choose the threshold that is best on the validation split.
const thresholdValF1 = "val_f1"

// greatest is the number of the zero Threshold.
const greatest = .5

// IsSet tells whether samples are not simply taken for the class of the greatest probability.
func (t Threshold) IsSet() bool { return t != Threshold{} }

// ByVal tells whether the validation split chooses it.
func (t Threshold) ByVal() bool { return t.word != "" }

// Number is the number that it is, where the validation split does not choose it.
func (t Threshold) Number() float64 {
	if !t.IsSet() {
		return greatest
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
	if t.number == greatest {
		t.number = 0
	}
	return nil
}
