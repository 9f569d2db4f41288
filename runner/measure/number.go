package measure

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

// Number is a float64 that survives JSON. It is null where the quantity does not apply (ERM has no
// λ), and one of the strings "NaN", "+Inf" and "-Inf" where it is not finite. The zero Number does
// not apply.
type Number struct {
	value   float64
	applies bool
}

// Num returns x as a Number that applies, whatever x is: a computed NaN must be seen.
func Num(x float64) Number { return Number{x, true} }

// NumIf returns x, or a Number that does not apply; x may be anything then, such as 0/0.
func NumIf(applies bool, x float64) Number {
	if !applies {
		return Number{}
	}
	return Num(x)
}

// NumUnlessNaN returns x, or a Number that does not apply if x is NaN.
func NumUnlessNaN(x float64) Number { return NumIf(!math.IsNaN(x), x) }

// Applies reports whether there is a value at all. A caller of Float that does not check it gets
// NaN.
func (n Number) Applies() bool { return n.applies }

// Float returns the value; NaN if it does not apply, so that a chart breaks its line there.
func (n Number) Float() float64 {
	if !n.applies {
		return math.NaN()
	}
	return n.value
}

// Finite reports whether the number applies and is neither NaN nor infinite.
func (n Number) Finite() bool { return n.applies && n.value-n.value == 0 }

// String returns the value for people, with six digits; "–" if it does not apply.
func (n Number) String() string {
	if !n.applies {
		return "–"
	}
	return strconv.FormatFloat(n.value, 'g', 6, 64)
}

// MarshalJSON writes null, a number, or a quoted non-finite value.
func (n Number) MarshalJSON() ([]byte, error) { return n.AppendJSON(nil), nil }

// AppendJSON appends the text of MarshalJSON: the shortest decimal that is read back to the same
// bits. It exists since a log has millions of numbers, and MarshalJSON would allocate for each.
func (n Number) AppendJSON(b []byte) []byte {
	switch {
	case !n.applies:
		return append(b, "null"...)
	case math.IsNaN(n.value) || math.IsInf(n.value, 0):
		return strconv.AppendQuote(b, strconv.FormatFloat(n.value, 'g', -1, 64))
	}
	return strconv.AppendFloat(b, n.value, 'g', -1, 64)
}

// UnmarshalJSON reads what MarshalJSON writes. The error quotes the text; a number too large for a
// float64 is an error, too.
func (n *Number) UnmarshalJSON(b []byte) error {
	text := string(b)
	switch text {
	case "null":
		*n = Number{}
		return nil
	case `"NaN"`, `"+Inf"`, `"-Inf"`:
		text = text[1 : len(text)-1]
	}
	x, err := strconv.ParseFloat(text, 64) // of all JSON values, it accepts only numbers
	if err != nil {
		return fmt.Errorf(
			"number %.40q: expected a JSON number, null, \"NaN\", \"+Inf\" or \"-Inf\"", b)
	}
	*n = Num(x)
	return nil
}

// Worst returns the index of the worst of the finite values, the first among equals. The worst is
// the lowest or, if lower is better, the highest. Without finite values it returns -1.
func Worst(values []Number, lowerIsBetter bool) int {
	worst := -1
	for i, v := range values {
		if !v.Finite() {
			continue
		}
		if worst < 0 || v.value != values[worst].value &&
			lowerIsBetter == (v.value > values[worst].value) {
			worst = i
		}
	}
	return worst
}

// LeaderIndex returns the index of the best of some values. It returns -1 without one, and if the
// best is written like another value: a mark on one of two equal figures would be a riddle.
func LeaderIndex(values []Number, higherIsBetter bool, write func(Number) string) int {
	written := map[string]int{}
	for _, v := range values {
		if v.Applies() {
			written[write(v)]++
		}
	}
	best := Worst(values, higherIsBetter)
	if best < 0 || len(written) < 2 || written[write(values[best])] > 1 {
		return -1
	}
	return best
}

// Least returns the lowest of the finite values, such as the worst class's accuracy. If none is
// finite, it returns a value that applies, if there is one.
func Least(values []Number) Number {
	i := Worst(values, false)
	if i < 0 {
		i = slices.IndexFunc(values, Number.Applies)
	}
	if i < 0 {
		return Number{}
	}
	return values[i]
}
