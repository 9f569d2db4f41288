package compare

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"drolab/runner/measure"
	"drolab/runner/spec"
)

// Test is the search for the best row of a column, among the rows that answer
// one question (see rowsByQuestion) and have a value: two at least.
//
// The lead is the row with the best mean. It is known only once the data are known, so any pair of
// rows might have been claimed. Therefore all pairs are tested, two-sided, and corrected by Holm's
// method: over the columns of one measure (one for each class or group), or over the whole table.
// The lead is best if its adjusted p is below 1 − level against every other row.
//
// As far as t tests hold, the probability that a family marks a row that is not better than each
// row that it was tested against is then at most 1 − level. This is so for any number of rows and
// columns and for any dependence between their values, and each adjusted p is valid by itself.
//
// The condition that the lead beats all others is a guard of its own. For one column it can be
// enough (Gutmann, Maymin 1987, Annals of Statistics 15, 456–461, for equal variances), but not for
// ten classes, nor for a claim about a pair. With a correction by measure, a table of five measures
// in which nothing differs has a star with a probability above 1 − level.
//
// A row with one seed, or with a value that is not finite, cannot be tested. Then nothing is
// marked, and its tests count as made.
type Test struct {
	Rows []int `json:"rows"` // the rows of the table that are compared
	Lead int   `json:"lead"` // the row with the best mean
	Best bool  `json:"best"` // the lead is significantly better than every other row
	// P is the largest two-sided p of the lead against another row, and Adjusted the largest after
	// the correction. They do not apply where a test cannot be made.
	P        measure.Number `json:"p"`
	Adjusted measure.Number `json:"adjusted_p"`
}

// columnTest is a Test in progress, with the tests of its pairs of rows.
type columnTest struct {
	Test
	column int
	pairs  []pair
}

// pair is the test of two rows against each other. Its p is NaN where the test cannot be made.
type pair struct {
	a, b        int
	p, adjusted float64
}

// testColumns tests the columns from first on, which belong to one measure, between the rows of
// each question.
func (t *Table) testColumns(first int, questions [][]int) (contests []columnTest) {
	for c := first; c < len(t.Columns); c++ {
		for _, rows := range questions {
			empty := func(r int) bool { return t.Rows[r].Cells[c].N == 0 }
			rows = slices.DeleteFunc(slices.Clone(rows), empty)
			if len(rows) > 1 {
				contests = append(contests, t.testColumn(c, rows))
			}
		}
	}
	return contests
}

// correctTests corrects the tests of some columns together, and concludes them.
func (t *Table) correctTests(columns []Column, contests []columnTest) {
	var family []float64
	for _, o := range contests {
		for _, p := range o.pairs {
			family = append(family, p.p)
		}
	}
	for c := range columns {
		columns[c].Family = len(family)
	}
	family = Holm(family)
	for _, o := range contests {
		for i := range o.pairs {
			o.pairs[i].adjusted = family[i]
		}
		family = family[len(o.pairs):]
		t.conclude(&o)
	}
}

// testColumn tests all pairs of the rows in column c.
func (t *Table) testColumn(c int, rows []int) columnTest {
	o := columnTest{Test: Test{Rows: rows, Lead: rows[0]}, column: c}
	for _, r := range rows[1:] {
		if t.isBetter(r, o.Lead, c) {
			o.Lead = r
		}
	}
	for i, a := range rows {
		for _, b := range rows[i+1:] {
			difference, p := compareRows(&t.Rows[a], &t.Rows[b], c)
			if b == o.Lead {
				difference = -difference
			}
			leads := difference > 0 == t.Columns[c].Higher
			if (a == o.Lead || b == o.Lead) && !leads {
				p = math.Max(p, 1) // on the seeds that both have, the lead does not lead
			}
			o.pairs = append(o.pairs, pair{a: a, b: b, p: p})
		}
	}
	return o
}

// conclude stores the p of each test against the lead, and marks the lead if all the adjusted tests
// find it better.
func (t *Table) conclude(o *columnTest) {
	p, adjusted := 0.0, 0.0
	for _, q := range o.pairs {
		other := q.a
		switch o.Lead {
		case q.a:
			other = q.b
		case q.b:
		default:
			continue
		}
		cell := &t.Rows[other].Cells[o.column]
		cell.P, cell.Adjusted = measure.NumUnlessNaN(q.p), measure.NumUnlessNaN(q.adjusted)
		p, adjusted = math.Max(p, q.p), math.Max(adjusted, q.adjusted) // NaN, once in, stays
	}
	o.P, o.Adjusted = measure.NumUnlessNaN(p), measure.NumUnlessNaN(adjusted)
	o.Best = adjusted < 1-t.Level
	t.Rows[o.Lead].Cells[o.column].Best = o.Best
	t.Columns[o.column].Tests = append(t.Columns[o.column].Tests, o.Test)
}

// isBetter tells whether row i has a better mean in column c than row j. A mean
// that is not a number is worse than any.
func (t *Table) isBetter(i, j, c int) bool {
	a, b := t.Rows[i].Cells[c].Mean.Float(), t.Rows[j].Cells[c].Mean.Float()
	switch {
	case math.IsNaN(b):
		return !math.IsNaN(a)
	case t.Columns[c].Higher:
		return a > b
	}
	return a < b
}

// compareRows compares column c of two rows. It takes the paired t test over their common seeds if
// there are two or more, because a seed decides initialisation and batch order in both; otherwise
// Welch's. It returns the difference a − b of the means that the test is about and the two-sided p;
// NaN where neither test can be made.
func compareRows(a, b *Row, c int) (difference, p float64) {
	seedsX, xs := appliedValues(a, c)
	seedsY, ys := appliedValues(b, c)
	var pairedX, pairedY []float64
	for i, seed := range seedsX {
		if j := slices.Index(seedsY, seed); j >= 0 {
			pairedX, pairedY = append(pairedX, xs[i]), append(pairedY, ys[j])
		}
	}
	test := welchT
	if len(pairedX) >= 2 {
		xs, ys, test = pairedX, pairedY, PairedT
	}
	if len(xs) < 2 || len(ys) < 2 || !spec.AllFinite(xs...) || !spec.AllFinite(ys...) {
		return math.NaN(), math.NaN()
	}
	return stat.Mean(xs, nil) - stat.Mean(ys, nil), test(xs, ys)
}

// appliedValues returns the values of column c that apply, with their seeds.
func appliedValues(r *Row, c int) (seeds []uint64, values []float64) {
	for i, v := range r.Cells[c].Values {
		if v.Applies() {
			seeds, values = append(seeds, r.Seeds[i]), append(values, v.Float())
		}
	}
	return seeds, values
}
