package data

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"drolab/runner/lists"
)

// missingName is the name of a missing value that is a category of its own.
const missingName = "(missing)"

// Factor is a categorical property of every sample: its label, a group or its split.
type Factor struct {
	name   string
	Values []string // in numeric order if all are integers, else in byte order
	Codes  []uint16 // one a sample: its place in Values
	note   string   // that two forms of a number are one value; empty: there are none
	// missing says of each value whether it, or a part of it, stands for a missing one; nil: none.
	missing []bool
}

// lacks reports whether a value, or a part of it, stands for a missing one.
func (f *Factor) lacks(code int) bool { return f.missing != nil && f.missing[code] }

// SetMissing says that some values stand for missing ones.
func (f *Factor) SetMissing(values []string) {
	for code, v := range f.Values {
		if slices.Contains(values, v) {
			f.setMissing(code)
		}
	}
}

// setMissing says that a value stands for a missing one.
func (f *Factor) setMissing(code int) {
	if f.missing == nil {
		f.missing = make([]bool, len(f.Values))
	}
	f.missing[code] = true
	f.Values[code] = missingName
}

// continuous reports whether a label is a measurement and not a class. It is one if it has more
// than few numbers, some with decimals, or many whole numbers that are rare and far apart. Numbers
// of classes lie close together.
func (f *Factor) continuous() bool {
	const few, many, often = 20, 100, 10
	whole, low, high := true, math.Inf(1), math.Inf(-1)
	for _, text := range f.Values {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return false
		}
		whole = whole && v == math.Trunc(v)
		low, high = min(low, v), max(high, v)
	}
	n := len(f.Values)
	rare := len(f.Codes) < often*n
	farApart := high-low >= 2*float64(n)
	return n > few && !whole || n > many && rare && farApart
}

// newCells returns the label and the given group of each value of label × given.
func newCells(all, label, given *Factor) *Cells {
	c := &Cells{Label: make([]int, len(all.Values)), Given: make([]int, len(all.Values))}
	for i, g := range all.Codes {
		c.Label[g], c.Given[g] = int(label.Codes[i]), int(given.Codes[i])
	}
	for k := range given.Values {
		c.Names = append(c.Names, given.shown(k))
	}
	return c
}

// crossed returns one factor whose values are the combinations of several factors that occur, such
// as "Female × Black". The values of the first factor count most in their order.
func crossed(list []*Factor) (*Factor, error) {
	all := list[0]
	for _, f := range list[1:] {
		pair := func(i int) int { return int(all.Codes[i])*len(f.Values) + int(f.Codes[i]) }
		place := make([]uint16, len(all.Values)*len(f.Values)) // 1 where it occurs, then the code
		for i := range all.Codes {
			place[pair(i)] = 1
		}
		out := &Factor{name: all.name + " × " + f.name, Codes: make([]uint16, len(all.Codes))}
		for k, occurs := range place {
			if occurs == 0 {
				continue
			}
			if len(out.Values) == MaxClasses {
				return nil, fmt.Errorf(
					"%s has more than %d combinations: take fewer groups", out.name, MaxClasses)
			}
			place[k] = uint16(len(out.Values))
			first, second := all.shown(k/len(f.Values)), f.shown(k%len(f.Values))
			out.Values = append(out.Values, first+" × "+second)
			lacks := all.lacks(k/len(f.Values)) || f.lacks(k%len(f.Values))
			out.missing = append(out.missing, lacks)
		}
		for i := range out.Codes {
			out.Codes[i] = place[pair(i)]
		}
		all = out
	}
	return all, nil
}

// shown returns a value as a part of a combination, with the factor's name before a bare number,
// which would say nothing there.
func (f *Factor) shown(code int) string {
	if _, err := strconv.Atoi(f.Values[code]); err == nil {
		return f.name + "=" + f.Values[code]
	}
	return f.Values[code]
}

// NewFactor returns a factor with its values in order. dict and codes number the values in the
// order in which they came. If a whole number occurs in two forms, as 1 and 1.0, every one is
// written without decimals: programs that keep whole numbers beside missing values write 1.0.
func NewFactor(name string, dict map[string]uint16, codes []uint16) *Factor {
	f := &Factor{
		name:   name,
		Values: slices.Sorted(maps.Keys(dict)),
		Codes:  make([]uint16, len(codes)),
	}
	for _, v := range f.Values {
		if whole := wholeName(v); whole != v && f.note == "" && slices.Contains(f.Values, whole) {
			f.note = fmt.Sprintf("%q has both %q and %q: they count as one value", name, whole, v)
		}
	}
	if f.note != "" {
		f.Values = lists.Map(f.Values, wholeName)
		slices.Sort(f.Values)
		f.Values = slices.Compact(f.Values)
	}
	SortNumeric(f.Values)
	place := make([]uint16, len(dict))
	for v, code := range dict {
		if f.note != "" {
			v = wholeName(v)
		}
		place[code] = uint16(slices.Index(f.Values, v))
	}
	for i, code := range codes {
		f.Codes[i] = place[code]
	}
	if i := slices.Index(f.Values, ""); i >= 0 {
		f.setMissing(i)
	}
	return f
}
