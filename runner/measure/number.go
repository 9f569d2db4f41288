package measure

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

// Number is a float64 that survives JSON: null where the quantity does not
// apply (ERM has no λ), the strings "NaN", "+Inf" and "-Inf" where it is not
// finite. The zero Number does not apply.
type Number struct {
	value   float64
	applies bool
}

// Num returns x as a Number that applies, whatever x is: a NaN is a value that was
// computed, and must be seen.
func Num(x float64) Number { return Number{x, true} }

// NumIf returns x, or a Number that does not apply; x may then be anything, as 0/0.
func NumIf(applies bool, x float64) Number {
	if !applies {
		return Number{}
	}
	return Num(x)
}

// Applies tells whether there is a value at all. What asks for Float without asking this
// first gets a NaN.
func (n Number) Applies() bool { return n.applies }

// Float returns the value; NaN where it does not apply, so that a chart breaks
// its line there.
func (n Number) Float() float64 {
	if !n.applies {
		return math.NaN()
	}
	return n.value
}

// String formats the value for people, by six digits: "–" where it does not apply.
func (n Number) String() string {
	if !n.applies {
		return "–"
	}
	return strconv.FormatFloat(n.value, 'g', 6, 64)
}

// MarshalJSON writes null, a number, or a quoted non-finite value.
func (n Number) MarshalJSON() ([]byte, error) { return n.AppendJSON(nil), nil }

// AppendJSON appends what MarshalJSON writes: the shortest decimal that is read back to
// the same bits. It is apart since a log has millions, each of which would allocate.
func (n Number) AppendJSON(b []byte) []byte {
	switch {
	case !n.applies:
		return append(b, "null"...)
	case math.IsNaN(n.value) || math.IsInf(n.value, 0):
		return strconv.AppendQuote(b, strconv.FormatFloat(n.value, 'g', -1, 64))
	}
	return strconv.AppendFloat(b, n.value, 'g', -1, 64)
}

// UnmarshalJSON reads what MarshalJSON writes. The error quotes what it read; a number
// too large for a float64 is one, too.
func (n *Number) UnmarshalJSON(b []byte) error {
	text := string(b)
	switch text {
	case "null":
		*n = Number{}
		return nil
	case `"NaN"`, `"+Inf"`, `"-Inf"`:
		text = text[1 : len(text)-1]
	}
	x, err := strconv.ParseFloat(text, 64) // of a JSON value: no other text that it reads is one
	if err != nil {
		return fmt.Errorf(
			"number %.40q: want a JSON number, null, \"NaN\", \"+Inf\" or \"-Inf\"", b)
	}
	*n = Num(x)
	return nil
}

// Worst returns the index of the worst of the finite values, the first among
// equals: the lowest or, where lower is better, the highest. It is -1 where
// there is none.
func Worst(values []Number, lowerIsBetter bool) int {
	worst := -1
	for i, v := range values {
		if !v.applies || math.IsNaN(v.value) || math.IsInf(v.value, 0) {
			continue
		}
		switch {
		case worst < 0:
			worst = i
		case v.value == values[worst].value: // the first of equals stays
		case lowerIsBetter == (v.value > values[worst].value):
			worst = i
		}
	}
	return worst
}

// Least returns the lowest of the finite values: the worst class's accuracy.
// Where there is none it is one that applies, if any does.
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

// Interval is a confidence interval, from its lower to its upper end. The zero Interval
// is none: its ends do not apply.
type Interval [2]Number

// z95 is the 97.5 % quantile of the standard normal distribution.
const z95 = 1.959963984540054

// Wilson returns the 95 % score interval of a proportion of which a share in
// [0, 1] of n samples is an estimate (Wilson 1927; Brown, Cai, DasGupta 2001,
// eq. 4): unlike the share ± its standard error it stays in [0, 1] and says
// something where the share is 0 or 1. Without samples there is none.
func Wilson(share Number, n int) Interval {
	p := share.Float()
	if n <= 0 || !(p >= 0 && p <= 1) {
		return Interval{}
	}
	z2 := z95 * z95 / float64(n)
	mid := (p + z2/2) / (1 + z2)
	half := math.Sqrt(z2*(p*(1-p)+z2/4)) / (1 + z2)
	return Interval{Num(max(0, mid-half)), Num(min(1, mid+half))}
}

// Wilsons are the intervals of accuracies, each of so many samples. An accuracy whose
// count is not known, as in old files, has none.
func Wilsons(accuracy []Number, counts []int) (list []Interval) {
	for i, a := range accuracy {
		n := 0
		if i < len(counts) {
			n = counts[i]
		}
		list = append(list, Wilson(a, n))
	}
	return list
}
