package data

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

// maxClasses is the most values of a label or a group.
const maxClasses = 1000

// missingName shows a missing value that is a category of its own.
const missingName = "(missing)"

// factor is a quality that every sample has: its label, a group, its split.
type factor struct {
	name   string
	values []string // in numeric order if all are integers, else in byte order
	codes  []uint16 // of the samples: places in values
}

// marks are the labels and groups of samples.
type marks struct{ labels, groups []uint16 }

func (m *marks) Len() int        { return len(m.labels) }
func (m *marks) Label(i int) int { return int(m.labels[i]) }
func (m *marks) Group(i int) int { return int(m.groups[i]) }

// own is what one's own files tell of their samples beside the features.
type own struct {
	label  factor
	groups []factor // crossed with one another
	cells  bool     // and with the label

	byGroup bool // see Dataset
	fitted  bool // to other data: these may have one class only
}

// dataset gives a Dataset without sources, and the marks of all samples.
func (o own) dataset() (*Dataset, marks, error) {
	if len(o.label.values) < 2 && !o.fitted {
		return nil, marks{}, fmt.Errorf("%q has one value only: a label needs two", o.label.name)
	}
	d, m := &Dataset{Classes: o.label.values}, marks{o.label.codes, o.label.codes}
	if len(o.groups) == 0 {
		if o.cells {
			return nil, marks{}, errors.New("cells=yes is label × group: name the group too")
		}
		return d, m, nil
	}
	all, err := crossed(o.groups)
	if err == nil && o.cells {
		given := all
		if all, err = crossed([]factor{o.label, given}); err == nil {
			d.cells = newCells(all, o.label, given)
		}
	}
	d.Groups, d.ByGroup, m.groups = all.values, o.byGroup, all.codes
	return d, m, err
}

// newCells splits the values of label × given.
func newCells(all, label, given factor) *cells {
	c := &cells{label: make([]int, len(all.values)), given: make([]int, len(all.values))}
	for i, g := range all.codes {
		c.label[g], c.given[g] = int(label.codes[i]), int(given.codes[i])
	}
	for k := range given.values {
		c.names = append(c.names, given.shown(k))
	}
	return c
}

// crossed gives one factor whose values are the combinations of several that occur, in the order of their
// values, the first counting most: "Female × Black".
func crossed(list []factor) (factor, error) {
	all := list[0]
	for _, f := range list[1:] {
		pair := func(i int) int { return int(all.codes[i])*len(f.values) + int(f.codes[i]) }
		place := make([]uint16, len(all.values)*len(f.values)) // 1 where it occurs, then the code
		for i := range all.codes {
			place[pair(i)] = 1
		}
		out := factor{name: all.name + " × " + f.name, codes: make([]uint16, len(all.codes))}
		for k, occurs := range place {
			if occurs == 0 {
				continue
			}
			if len(out.values) == maxClasses {
				return out, fmt.Errorf("%s has more than %d combinations: take fewer groups", out.name, maxClasses)
			}
			place[k] = uint16(len(out.values))
			out.values = append(out.values, all.shown(k/len(f.values))+" × "+f.shown(k%len(f.values)))
		}
		for i := range out.codes {
			out.codes[i] = place[pair(i)]
		}
		all = out
	}
	return all, nil
}

// shown is a value as a part of several: a bare number says nothing there.
func (f *factor) shown(code int) string {
	if _, err := strconv.Atoi(f.values[code]); err == nil {
		return f.name + "=" + f.values[code]
	}
	return f.values[code]
}

// newFactor orders the values of a factor, which dict numbers as they came.
func newFactor(name string, dict map[string]uint16, codes []uint16) factor {
	f := factor{name: name, values: slices.Sorted(maps.Keys(dict)), codes: make([]uint16, len(codes))}
	sortNumeric(f.values)
	place := make([]uint16, len(f.values))
	for i, v := range f.values {
		place[dict[v]] = uint16(i)
	}
	for i, code := range codes {
		f.codes[i] = place[code]
	}
	if i := slices.Index(f.values, ""); i >= 0 {
		f.values[i] = missingName
	}
	return f
}

// sortNumeric sorts names by their values if all are integers; a missing one comes first.
func sortNumeric(names []string) {
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

// splits are the samples of the three splits, each in the order of the files.
type splits struct{ train, val, test []uint32 }

// splitBy reads the splits from a column or an array of their names or numbers.
func splitBy(f factor) (s splits, err error) {
	to := make([]*[]uint32, len(f.values))
	for i, v := range f.values {
		switch strings.ToLower(v) {
		case "0", "train", "training":
			to[i] = &s.train
		case "1", "val", "valid", "validation", "dev":
			to[i] = &s.val
		case "2", "test", "testing":
			to[i] = &s.test
		default:
			return s, fmt.Errorf("%q says %q of a sample: a split is train, val or test, or 0, 1 or 2", f.name, v)
		}
	}
	for i, c := range f.codes {
		*to[c] = append(*to[c], uint32(i))
	}
	switch {
	case len(s.train) == 0:
		return s, fmt.Errorf("%q has no training samples (train or 0)", f.name)
	case len(s.test) == 0:
		return s, fmt.Errorf("%q has no test samples (test or 2): without it, test_fraction= draws some", f.name)
	}
	return s, nil
}

// splits draws a test split of what will be a dataset.
func (d draw) splits(src marked, set *Dataset) (s splits, err error) {
	if d.whole {
		s.test = indices(0, src.Len())
		return s, nil
	}
	s.train, s.test = holdOut(src, set.strata(), indices(0, src.Len()), d.fraction, d.seed)
	switch {
	case len(s.train) == 0:
		return s, fmt.Errorf("%d samples are too few to split: test_fraction=%v leaves none to train on: "+
			"lower it", src.Len(), d.fraction)
	case len(s.test) == 0:
		return s, fmt.Errorf("%d samples are too few to split: test_fraction=%v is less than one of each "+
			"class and group: raise it", src.Len(), d.fraction)
	}
	return s, nil
}

func indices(from, to int) []uint32 {
	out := make([]uint32, 0, to-from)
	for i := from; i < to; i++ {
		out = append(out, uint32(i))
	}
	return out
}
