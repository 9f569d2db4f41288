package measure

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"drolab/runner/data"
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
	return data.Map(v, func(x Value) string { return x.Name })
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
