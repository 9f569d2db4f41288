// Package card warns of data that mislead: a column that gives the label away, an
// identifier, a duplicated column, test rows that also occur in training. It changes
// nothing.
//
//	a Dataset, with the sample of rows that its reader took -> the table of checks -> [Warning]s
//
// All checks together look at no more than a sample of rows (dataset/sample.go), so they take a
// fraction of a second for any table. Start at checks, the table; to add a check is to add a row.
package card

import (
	"fmt"
	"slices"
	"strings"

	"drolab/runner/data"
	"drolab/runner/spec"
)

// Warning is one way in which data mislead.
type Warning struct {
	Check   string   `json:"check"` // the name of the check
	Columns []string `json:"columns,omitempty"`
	Text    string   `json:"text"` // a sentence with the remedy
	quiet   bool
}

// check is a row of the table.
type check struct {
	name     string
	find     func(e *evidence) []finding
	sentence string // a format for the words of a finding
	quiet    bool   // shown on the card alone: runs have counts and intervals for it
}

type finding struct {
	columns []string
	words   []any
}

// checks is the table. Each finds nothing where the rows are too few to tell.
var checks = []check{
	{"leak", leaks, "%q alone predicts the label (AUROC %.3f): %s", false},
	{"identifier", identifiers, "%q %s, as identifiers do: %s", false},
	{"twin", twins, "%q and %q %s: %s", false},
	{"kept_twin", keptTwins, "%q is left out, but its twin %q stays: %s", false},
	{"repeated_rows", repeated, "%d of %d test rows%s are also training rows: %s", false},
	{"empty_column", empty, "%q has no value in any row: %s", false},
	{"spelling", spelling, "%q has both %q and %q: write them alike", false},
	{"number_as_text", numbers, "%q is read as categories, because of %q: %s", false},
	{"date", dates, "%q has dates, read as %d categories: make it a number, or %s", false},
	{"absent", absent, "%s %s has no %s samples", true},
	{"below_min_group", below, "%s %s has %d test samples, below min_group=%d: merge it", false},
	{"small", small, "%s %s is too small to measure: ± %.0f points with %d test samples", true},
}

// evidence has the data that checks look at.
type evidence struct {
	*data.Dataset
	*data.Sample // with no rows where there is none
	minGroup     int
	array        bool // its columns are features, without an option that leaves one out
}

// Of makes all checks of a data set. A group of fewer than minGroup test samples is not called the
// worst.
func Of(d *data.Dataset, minGroup int) (list []Warning) {
	e := newEvidence(d, minGroup)
	for _, c := range checks {
		list = append(list, c.warnings(e)...)
	}
	return list
}

func newEvidence(d *data.Dataset, minGroup int) *evidence {
	e := &evidence{Dataset: d, Sample: d.Sample, minGroup: minGroup}
	if e.array = e.Sample == nil; e.array {
		e.Sample = sampleOf(d)
	}
	return e
}

func (c *check) warnings(e *evidence) (list []Warning) {
	for _, f := range c.find(e) {
		list = append(list, Warning{c.name, f.columns, fmt.Sprintf(c.sentence, f.words...),
			c.quiet})
	}
	return list
}

// Looked says how many rows the checks have looked at, or returns "" if they have looked at all.
func Looked(d *data.Dataset) string {
	if s := d.Sample; s != nil && len(s.Labels) < s.Rows {
		return fmt.Sprintf("the checks of columns cover %d of %d rows", len(s.Labels), s.Rows)
	}
	return ""
}

// Lines returns the warnings for the log of a run.
func Lines(d *data.Dataset, minGroup int) []string {
	return Brief(slices.DeleteFunc(Of(d, minGroup), func(w Warning) bool { return w.quiet }))
}

// Brief returns the texts of warnings, the first few of each check.
func Brief(list []Warning) (lines []string) {
	for _, c := range checks {
		var texts []string
		for _, w := range list {
			if w.Check == c.name {
				texts = append(texts, w.Text)
			}
		}
		lines = append(lines, spec.Few(texts)...)
	}
	return lines
}

// enough is the least number of rows from which a check of columns can tell something.
const enough = 50

// of returns the columns that have one of the roles, if there are enough rows.
func (e *evidence) of(roles ...data.Role) (list []*data.Sampled) {
	if len(e.Labels) < enough {
		return nil
	}
	for i := range e.Columns {
		if c := &e.Columns[i]; slices.Contains(roles, c.Role) {
			list = append(list, c)
		}
	}
	return list
}

// drop returns the remedy for one more column: the option that leaves it out, if there is one.
func (e *evidence) drop(name string) string {
	if e.array {
		return "take it out"
	}
	var names []string
	for i := range e.Columns {
		if e.Columns[i].Role == data.LeftOut {
			names = append(names, e.Columns[i].Name)
		}
	}
	return "drop=" + strings.Join(append(names, name), ",")
}

// sampleOf takes a sample of features that are numbers.
func sampleOf(d *data.Dataset) *data.Sample {
	const most, widest = 1 << 10, 1 << 12
	s := &data.Sample{}
	if d.Shape.H*d.Shape.W != 1 || d.Shape.C > widest || d.Unlabelled {
		return s
	}
	names := FeatureNames(d)
	for _, name := range names {
		s.Columns = append(s.Columns, data.Sampled{Name: name})
	}
	x := make([]float32, d.Shape.C)
	take := func(src data.Source, held bool) {
		n := min(most, src.Len())
		for k := range n {
			i := k * src.Len() / n
			src.Read(x, i)
			for c, v := range x {
				s.Columns[c].Numbers = append(s.Columns[c].Numbers, float64(v))
			}
			s.Labels = append(s.Labels, uint16(src.Label(i)))
			s.Held = append(s.Held, held)
		}
		s.Rows += src.Len()
	}
	take(d.Train, false)
	if d.Val != nil {
		take(d.Val, true)
	}
	return s
}

// FeatureNames names the features of a table, by number where their columns have no name.
func FeatureNames(d *data.Dataset) (names []string) {
	for _, c := range d.Encoder.Columns {
		names = append(names, c.Features()...)
	}
	for i := len(names); i < d.Shape.C; i++ {
		names = append(names, fmt.Sprintf("feature %d", i))
	}
	return names
}
