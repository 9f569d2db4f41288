package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// MaxClasses is the maximum number of values of a label or a group.
const MaxClasses = 1000

// missingName is the name of a missing value that is a category of its own.
const missingName = "(missing)"

// Factor is a categorical property of every sample: its label, a group or its split.
type Factor struct {
	name   string
	Values []string // in numeric order if all are integers, else in byte order
	Codes  []uint16 // one a sample: its place in Values
}

// Marks are the labels and groups of samples.
type Marks struct{ Labels, Groups []uint16 }

func (m *Marks) Len() int        { return len(m.Labels) }
func (m *Marks) Label(i int) int { return int(m.Labels[i]) }
func (m *Marks) Group(i int) int { return int(m.Groups[i]) }

// Own has the columns of a user's own files that are not features.
type Own struct {
	Label  Factor
	Groups []Factor // crossed with one another
	Cells  bool     // and with the label

	ByGroup bool // see Dataset
	Fitted  bool // fitted to other data: there may be one class only
}

// Dataset returns a Dataset without sources, and the marks of all samples.
func (o Own) Dataset() (*Dataset, Marks, error) {
	if len(o.Label.Values) < 2 && !o.Fitted {
		return nil, Marks{}, fmt.Errorf("%q has one value only: a label needs two", o.Label.name)
	}
	if o.Label.continuous() && !o.Fitted {
		return nil, Marks{}, fmt.Errorf("%q has %d values, all numbers, as %s: %s", o.Label.name,
			len(o.Label.Values), o.Label.Values[len(o.Label.Values)/2], NoRegression)
	}
	d, m := &Dataset{Classes: o.Label.Values}, Marks{o.Label.Codes, o.Label.Codes}
	if len(o.Groups) == 0 {
		if o.Cells {
			return nil, Marks{}, errors.New("cells=yes is label × group: name the group too")
		}
		return d, m, nil
	}
	all, err := crossed(o.Groups)
	if err == nil && o.Cells {
		given := all
		if all, err = crossed([]Factor{o.Label, given}); err == nil {
			d.Cells = newCells(all, o.Label, given)
		}
	}
	d.Groups, d.ByGroup, m.Groups = all.Values, o.ByGroup, all.Codes
	return d, m, err
}

// NoRegression says why a label cannot be continuous, and the remedy.
const NoRegression = "a continuous label needs regression, but only classes are predicted: " +
	"make classes of it, such as above and below a number"

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
		whole, low, high = whole && v == math.Trunc(v), min(low, v), max(high, v)
	}
	n := len(f.Values)
	return n > few && !whole ||
		n > many && len(f.Codes) < often*n && high-low >= 2*float64(n)
}

// newCells returns the label and the given group of each value of label × given.
func newCells(all, label, given Factor) *Cells {
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
func crossed(list []Factor) (Factor, error) {
	all := list[0]
	for _, f := range list[1:] {
		pair := func(i int) int { return int(all.Codes[i])*len(f.Values) + int(f.Codes[i]) }
		place := make([]uint16, len(all.Values)*len(f.Values)) // 1 where it occurs, then the code
		for i := range all.Codes {
			place[pair(i)] = 1
		}
		out := Factor{name: all.name + " × " + f.name, Codes: make([]uint16, len(all.Codes))}
		for k, occurs := range place {
			if occurs == 0 {
				continue
			}
			if len(out.Values) == MaxClasses {
				return out, fmt.Errorf(
					"%s has more than %d combinations: take fewer groups", out.name, MaxClasses)
			}
			place[k] = uint16(len(out.Values))
			first, second := all.shown(k/len(f.Values)), f.shown(k%len(f.Values))
			out.Values = append(out.Values, first+" × "+second)
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
// order in which they came.
func NewFactor(name string, dict map[string]uint16, codes []uint16) Factor {
	f := Factor{
		name:   name,
		Values: slices.Sorted(maps.Keys(dict)),
		Codes:  make([]uint16, len(codes)),
	}
	SortNumeric(f.Values)
	place := make([]uint16, len(f.Values))
	for i, v := range f.Values {
		place[dict[v]] = uint16(i)
	}
	for i, code := range codes {
		f.Codes[i] = place[code]
	}
	if i := slices.Index(f.Values, ""); i >= 0 {
		f.Values[i] = missingName
	}
	return f
}

// SortNumeric sorts names by their values if all are integers; a missing one comes first.
func SortNumeric(names []string) {
	value := map[string]int{"": math.MinInt}
	for _, s := range names {
		v, err := strconv.Atoi(s)
		if err != nil && s != "" {
			return
		}
		if s != "" {
			value[s] = v
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(value[a], value[b]) })
}

// Splits are the samples of the three splits, each in the order of the files.
type Splits struct {
	Train, val, Test []uint32
	notes            []string // of how they were drawn
}

// SplitOf returns the split that a word or a number stands for: train, val or test. It is empty for
// any other word.
func SplitOf(word string) string {
	switch strings.ToLower(word) {
	case "0", "train", "training":
		return "train"
	case "1", "val", "valid", "validation", "dev":
		return "val"
	case "2", "test", "testing":
		return "test"
	}
	return ""
}

// SplitBy reads the splits from a column or an array of their names or numbers.
func SplitBy(f Factor) (s Splits, err error) {
	to := make([]*[]uint32, len(f.Values))
	for i, v := range f.Values {
		switch SplitOf(v) {
		case "train":
			to[i] = &s.Train
		case "val":
			to[i] = &s.val
		case "test":
			to[i] = &s.Test
		default:
			return s, fmt.Errorf(
				"%q has %q for a sample: a split is train, val or test, or 0, 1 or 2", f.name, v)
		}
	}
	for i, c := range f.Codes {
		*to[c] = append(*to[c], uint32(i))
	}
	switch {
	case len(s.Train) == 0:
		return s, fmt.Errorf("%q has no training samples (train or 0)", f.name)
	case len(s.Test) == 0:
		return s, fmt.Errorf(
			"%q has no test samples (test or 2): without it, test_fraction= draws some", f.name)
	}
	return s, nil
}

// Splits draws the test split of a dataset that is not complete yet.
func (d Draw) Splits(src Marked, set *Dataset) (s Splits, err error) {
	if d.Whole {
		s.Test = Indices(0, src.Len())
		return s, nil
	}
	return set.holdOut(src, Indices(0, src.Len()), "test_fraction", d.Fraction, d.Seed)
}

func Indices(from, to int) []uint32 {
	out := make([]uint32, 0, to-from)
	for i := from; i < to; i++ {
		out = append(out, uint32(i))
	}
	return out
}
