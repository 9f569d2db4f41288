package dro

import (
	"encoding/json"
	"fmt"
	"math"
)

// Magnitude is the natural logarithm of a positive constant. The constants of
// the theory overflow a float64 near k = 1; their logarithms do not.
type Magnitude float64

// Float64 returns the constant itself, +Inf or 0 where that is out of range.
func (m Magnitude) Float64() float64 { return math.Exp(float64(m)) }

// MarshalJSON writes the constant, null where a float64 cannot hold it, and its decimal
// logarithm.
func (m Magnitude) MarshalJSON() ([]byte, error) {
	var value *float64
	if v := m.Float64(); v > 0 && !math.IsInf(v, 1) {
		value = &v
	}
	return json.Marshal(struct {
		Value *float64 `json:"value"`
		Log10 float64  `json:"log10"`
	}{value, m.Log10()})
}

// Log10 returns the decimal logarithm.
func (m Magnitude) Log10() float64 { return float64(m) / math.Ln10 }

// String formats three significant digits, such as 1.99e+08 or 3.17e+4012.
func (m Magnitude) String() string {
	if v := m.Float64(); v > 1e-300 && v < 1e300 {
		return fmt.Sprintf("%.3g", v)
	}
	if math.IsNaN(float64(m)) || math.IsInf(float64(m), 0) {
		return fmt.Sprint(m.Float64())
	}
	exponent := math.Floor(m.Log10())
	digits := fmt.Sprintf("%.2f", math.Pow(10, m.Log10()-exponent))
	if digits == "10.00" {
		digits, exponent = "1.00", exponent+1
	}
	return fmt.Sprintf("%se%+03d", digits, int64(exponent))
}

// power returns v^e.
func (m Magnitude) power(e float64) Magnitude { return Magnitude(e) * m }

// plus returns the Magnitude of the sum.
func (m Magnitude) plus(o Magnitude) Magnitude {
	hi, lo := max(m, o), min(m, o)
	if math.IsInf(float64(lo), -1) {
		return hi
	}
	return hi + Magnitude(math.Log1p(math.Exp(float64(lo-hi))))
}

// MagnitudeOf returns the Magnitude of v > 0.
func MagnitudeOf(v float64) Magnitude { return Magnitude(math.Log(v)) }
