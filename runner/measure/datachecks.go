package measure

import (
	"fmt"
	"slices"

	"drolab/runner/data"
)

// DataWarning is one way in which data mislead.
type DataWarning struct {
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
	{"identifier", ofEach(identifiers, data.AsFeature), "%q %s, as identifiers do: %s", false},
	{"twin", twins, "%q and %q %s: %s", false},
	{"kept_twin", keptTwins, "%q is left out, but its twin %q stays: %s", false},
	{"repeated_rows", repeatedRows, "%d of %d test rows%s are also training rows: %s", false},
	{"shared_identifier", sharedIDs, "%d of %d test rows have a value of %q that training rows " +
		"have, too: %s", false},
	{"empty_column", ofEach(emptyColumn, data.AsFeature), "%q has no value in any row: %s", false},
	{"spelling", ofEach(spelling, data.AsFeature, data.AsLabel, data.AsGroup),
		"%q has both %q and %q: write them alike", false},
	{"number_as_text", ofEach(numbersAsText, data.AsFeature),
		"%q is read as categories, because of %q: %s", false},
	{"code", ofEach(codes, data.AsFeature), "%q has %d whole numbers between %v and %v, as codes " +
		"do: add %s if they are no quantities", false},
	{"date", ofEach(dates, data.AsFeature),
		"%q has dates, read as %d categories: make it a number, or %s", false},
	{"scale", scales, "features range over %.2g to %.2g: add scale=standard", false},
	{"absent", absentParts, "%s %s has no %s samples", true},
	{"below_min_group", partsBelowMinGroup,
		"%s %s has %d test samples, below min_group=%d: merge it", false},
	{"small", smallParts,
		"%s %s is too small to measure: ± %.3g points with %d test samples", true},
}

// evidence has the data that checks look at.
type evidence struct {
	*data.Dataset
	*data.Sample // with no rows where there is none
	minGroup     int
	array        bool // its columns are features, without an option that leaves one out
}

// DataWarnings makes all checks of a data set. A group of fewer than minGroup test samples is not
// called the worst.
func DataWarnings(d *data.Dataset, minGroup int) (list []DataWarning) {
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

func (c *check) warnings(e *evidence) (list []DataWarning) {
	for _, f := range c.find(e) {
		list = append(list, DataWarning{c.name, f.columns, fmt.Sprintf(c.sentence, f.words...),
			c.quiet})
	}
	return list
}

// DataChecks says how many rows the checks have covered, or returns "" if they have covered all.
func DataChecks(d *data.Dataset) string {
	if s := d.Sample; s != nil && len(s.Labels) < s.Rows {
		return fmt.Sprintf("the checks of columns cover %d of %d rows", len(s.Labels), s.Rows)
	}
	return ""
}

// DataLines returns the warnings for the log of a run.
func DataLines(d *data.Dataset, minGroup int) []string {
	quiet := func(w DataWarning) bool { return w.quiet }
	return DataBrief(slices.DeleteFunc(DataWarnings(d, minGroup), quiet))
}

// DataBrief returns the texts of warnings. Of many of one check it gives the first and a count.
func DataBrief(list []DataWarning) (lines []string) {
	const many = 6
	for _, c := range checks {
		var texts []string
		for _, w := range list {
			if w.Check == c.name {
				texts = append(texts, w.Text)
			}
		}
		if n := len(texts); n >= many {
			texts = []string{fmt.Sprintf("%s (and %d more like that)", texts[0], n-1)}
		}
		lines = append(lines, texts...)
	}
	return lines
}
