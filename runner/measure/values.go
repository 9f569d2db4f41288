package measure

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync"

	"drolab/runner/spec"
)

// Value is one measure of a step or an evaluation. The string of the name is shared with the table,
// so that a long log in memory holds it once.
type Value struct {
	Name string // as in JSON, see Measure
	Number
}

// Values are measures by name, in the order of the log. A missing name does not apply. It is a
// slice and not a map, since the order is the order of the file, and a search among so few names is
// faster than in a map.
type Values []Value

// Named returns the measure of that name.
func (v Values) Named(name string) Number {
	for i := range v {
		if v[i].Name == name {
			return v[i].Number
		}
	}
	return Number{}
}

// Has reports whether the measure is in v, whether or not it applies.
func (v Values) Has(name string) bool {
	return slices.ContainsFunc(v, func(x Value) bool { return x.Name == name })
}

// Set replaces a measure or adds it at the end.
func (v *Values) Set(name string, n Number) {
	if i := slices.IndexFunc(*v, func(x Value) bool { return x.Name == name }); i >= 0 {
		(*v)[i].Number = n
		return
	}
	*v = append(*v, Value{name, n})
}

// Names lists the measures, whether or not they apply.
func (v Values) Names() []string {
	return spec.Map(v, func(x Value) string { return x.Name })
}

// AppendFields appends the fields `"name":value,...`, with a comma before each.
func (v Values) AppendFields(b []byte) []byte {
	for _, x := range v {
		b = append(b, ',', '"')
		b = append(b, x.Name...)
		b = append(b, '"', ':')
		b = x.Number.AppendJSON(b)
	}
	return b
}

// MarshalJSON writes an object.
func (v Values) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil), nil }

// AppendJSON appends an object.
func (v Values) AppendJSON(b []byte) []byte {
	if len(v) == 0 {
		return append(b, "{}"...)
	}
	start := len(b)
	b = v.AppendFields(b)
	b[start] = '{' // in place of the first comma
	return append(b, '}')
}

// UnmarshalJSON reads an object of numbers.
func (v *Values) UnmarshalJSON(b []byte) error {
	*v = (*v)[:0:0]
	return EachField(b, func(key, value []byte) error { return v.read(key, value) })
}

// read adds one field of an event. A name that occurs twice is kept twice, and Of finds the first.
func (v *Values) read(key, value []byte) error {
	if bytes.HasPrefix(key, []byte(userPrefix)) && !IsUser(string(key)) {
		return nil // no version of drolab wrote it
	}
	var n Number
	if err := n.UnmarshalJSON(value); err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	if *v == nil {
		*v = make(Values, 0, 12)
	}
	*v = append(*v, Value{knownName(key), n})
	return nil
}

// List is a measure that has more than one number: see Axis.
type List struct {
	Name    string
	Numbers []Number
}

// Lists are measures with several numbers by name, in the order of the log. The place of a number
// in its list says which part it describes: see Measure.Axis.
type Lists []List

// Named returns the values of that name; nil where there are none.
func (l Lists) Named(name string) []Number {
	for i := range l {
		if l[i].Name == name {
			return l[i].Numbers
		}
	}
	return nil
}

// Set replaces a list or adds it at the end.
func (l *Lists) Set(name string, values []Number) {
	if i := slices.IndexFunc(*l, func(x List) bool { return x.Name == name }); i >= 0 {
		(*l)[i].Numbers = values
		return
	}
	*l = append(*l, List{name, values})
}

// AppendFields appends the fields `"name":[...]`, with a comma before each.
func (l Lists) AppendFields(b []byte) []byte {
	for _, x := range l {
		b = append(b, ',', '"')
		b = append(b, x.Name...)
		b = append(b, '"', ':', '[')
		for i, n := range x.Numbers {
			if i > 0 {
				b = append(b, ',')
			}
			b = n.AppendJSON(b)
		}
		b = append(b, ']')
	}
	return b
}

// read adds one field of an event.
func (l *Lists) read(key, value []byte) error {
	var list []Number
	if err := json.Unmarshal(value, &list); err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	*l = append(*l, List{knownName(key), list})
	return nil
}

// EachField calls f with every field of a JSON object, in order. The text must be valid JSON, as
// the argument of an UnmarshalJSON is. A key with escapes is passed unchanged, so that it matches
// no name.
func EachField(b []byte, f func(key, value []byte) error) error {
	b = bytes.TrimSpace(b)
	if len(b) < 2 || b[0] != '{' {
		return fmt.Errorf("%.40q: want an object", b)
	}
	for b = space(b[1:]); b[0] != '}'; b = space(b) {
		if b[0] == ',' {
			b = space(b[1:])
		}
		end := valueEnd(b)
		key := b[1 : end-1]
		b = space(space(b[end:])[1:]) // the colon
		end = valueEnd(b)
		if err := f(key, b[:end]); err != nil {
			return err
		}
		b = b[end:]
	}
	return nil
}

func space(b []byte) []byte { return bytes.TrimLeft(b, " \t\r\n") }

// valueEnd returns the index at which the JSON value at the start of b ends. It relies on b being
// valid JSON, so it only has to count brackets outside of strings.
func valueEnd(b []byte) int {
	depth, quoted := 0, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			if quoted = !quoted; !quoted && depth == 0 {
				return i + 1
			}
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth == 0 { // after a number or a word
				return i
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case depth == 0 && (c == ',' || c == ' ' || c == '\n' || c == '\t' || c == '\r'):
			return i
		}
	}
	return len(b)
}

// ReadField reads a measure, into l if it is a list, else into v. A field that is neither, under a
// name that this program does not know, is skipped.
func ReadField(key, value []byte, v *Values, l *Lists) (err error) {
	if value[0] == '[' && l != nil {
		err = l.read(key, value)
	} else {
		err = v.read(key, value)
	}
	if _, known := names()[string(key)]; !known {
		return nil
	}
	return err
}

// names returns the measures' names, so that a decoded line shares their strings.
var names = sync.OnceValue(func() map[string]string {
	known := map[string]string{}
	for _, m := range append(StepMeasures(), EvalMeasures()...) {
		known[m.Name] = m.Name
	}
	return known
})

// knownName returns the name for a key of JSON, without an allocation if it is a measure of the
// table.
func knownName(key []byte) string {
	if name, ok := names()[string(key)]; ok {
		return name
	}
	return string(key)
}

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

// Known returns x, or a Number that does not apply if x is NaN.
func Known(x float64) Number { return NumIf(!math.IsNaN(x), x) }

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
			"number %.40q: want a JSON number, null, \"NaN\", \"+Inf\" or \"-Inf\"", b)
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

// Leads returns the index of the best of some values. It returns -1 without one, and if the best is
// written like another value: a mark on one of two equal figures would be a riddle.
func Leads(values []Number, higherIsBetter bool, write func(Number) string) int {
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

// Interval is a confidence interval, from its lower to its upper end. The zero Interval is no
// interval: its ends do not apply.
type Interval [2]Number

// z95 is the 97.5 % quantile of the standard normal distribution.
const z95 = 1.959963984540054

// Wilson returns the 95 % score interval of a proportion that is estimated by a share in [0, 1] of
// n samples (Wilson 1927; Brown, Cai, DasGupta 2001, eq. 4). Unlike the share ± its standard error,
// it stays in [0, 1] and is informative where the share is 0 or 1. Without samples there is no
// interval.
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

// Wilsons returns the intervals of accuracies, given the number of samples of each. An accuracy
// whose count is not known, as in old files, has no interval.
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
