package data

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// Members are groups that may overlap: a sample is in several of them, or in none. Samples are
// measured in them. Methods train on groups that do not overlap, which are Dataset.Groups.
type Members struct {
	Names []string
	Label string // if samples are measured in label × group, the label's name
}

// Measured returns the names of the groups in which samples are measured; nil: none are given.
func (d *Dataset) Measured() (names []string) {
	m := d.Members
	switch {
	case m == nil && d.Grouped:
		return d.Groups
	case m == nil:
		return nil
	case m.Label == "":
		return m.Names
	}
	label := Factor{name: d.Members.Label, Values: d.Classes}
	for c := range d.Classes {
		for _, name := range d.Members.Names {
			names = append(names, label.shown(c)+" × "+name)
		}
	}
	return names
}

// MeasuredIn returns a function that gives the groups in which a sample of a split is measured, as
// places in Measured, or its class where no groups are given. A result is valid until the next.
func (d *Dataset) MeasuredIn(src Source) func(i int) []int {
	var list []int
	return func(i int) []int {
		list = list[:0]
		if d.Members == nil {
			list = append(list, src.Group(i))
			return list
		}
		first := 0
		if d.Members.Label != "" {
			first = src.Label(i) * len(d.Members.Names)
		}
		from, at := origin(src, i)
		for k, word := range from.(interface{ members(i int) []uint32 }).members(at) {
			for ; word != 0; word &= word - 1 {
				list = append(list, first+wordBits*k+bits.TrailingZeros32(word))
			}
		}
		return list
	}
}

// MeasuredCounts counts the samples of a split in each group in which they are measured.
func (d *Dataset) MeasuredCounts(src Source) []int {
	counts, in := make([]int, len(d.Measured())), d.MeasuredIn(src)
	for i := range src.Len() {
		for _, g := range in(i) {
			counts[g]++
		}
	}
	return counts
}

// wordBits is the number of groups in a word of Marks.Members.
const wordBits = 32

// members returns the words of a sample.
func (m *Marks) members(i int) []uint32 {
	width := len(m.Members) / len(m.Labels)
	return m.Members[i*width:][:width]
}

// overlap puts the members of groups into m and d. It returns whether samples are in any of them,
// as a factor to train on.
func (o *Own) overlap(d *Dataset, m *Marks) (*Factor, error) {
	d.Members = &Members{}
	if o.Cells {
		d.Members.Label = o.Label.name
	}
	n, width := m.Len(), (len(o.Members)+wordBits-1)/wordBits
	some := &Factor{name: "groups", Values: []string{"none", "any"}, Codes: make([]uint16, n)}
	m.Members = make([]uint32, n*width)
	for g, f := range o.Members {
		if slices.Contains(d.Members.Names, f.name) {
			return nil, fmt.Errorf("two groups are called %q: give each a name of its own", f.name)
		}
		d.Members.Names = append(d.Members.Names, f.name)
		for i, code := range f.Codes {
			switch strings.ToLower(f.Values[code]) {
			default:
				return nil, fmt.Errorf("group %q has %.40q for a sample: expected 1 for a member, "+
					"else 0", f.name, f.Values[code])
			case "0", "0.0", "false":
			case "1", "1.0", "true":
				m.members(i)[g/wordBits] |= 1 << (g % wordBits)
				some.Codes[i] = 1
			}
		}
	}
	if most := len(d.Measured()); most > MaxClasses {
		return nil, fmt.Errorf("%d groups: take at most %d", most, MaxClasses)
	}
	return some, nil
}
