package compare

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"drolab/runner"
)

// mark finds the row with the best mean in column c and marks it if it is
// significantly better than every other row that has a value: the largest of
// the two-sided p is below 1 − level. Each test is at the full level, because
// all of them must reject (an intersection–union test). There is no correction
// over columns: among many, some are marked by chance.
//
// A row of one seed, or with a value that is not finite, cannot be tested, and
// then nothing is marked.
func (t *Table) mark(c int) {
	col := &t.Columns[c]
	lead := -1
	for i := range t.Rows {
		if t.Rows[i].Cells[c].N > 0 && (lead < 0 || t.better(i, lead, c)) {
			lead = i
		}
	}
	p, tests := 0.0, 0
	for i := range t.Rows {
		if i != lead && t.Rows[i].Cells[c].N > 0 {
			difference, q := differ(&t.Rows[lead], &t.Rows[i], c)
			if col.Higher && difference < 0 || !col.Higher && difference > 0 {
				q = 1 // on the seeds that both have, the lead does not lead
			}
			p = math.Max(p, q) // NaN, once in, stays
			tests++
		}
	}
	if tests == 0 {
		return
	}
	col.P = runner.NumIf(!math.IsNaN(p), p)
	if p < 1-t.Level {
		col.Best = lead
		t.Rows[lead].Cells[c].Best = true
	}
}

// better tells whether row i has a better mean in column c than row j. A mean
// that is not a number is worse than any.
func (t *Table) better(i, j, c int) bool {
	a, b := t.Rows[i].Cells[c].Mean.Float(), t.Rows[j].Cells[c].Mean.Float()
	switch {
	case math.IsNaN(b):
		return !math.IsNaN(a)
	case t.Columns[c].Higher:
		return a > b
	}
	return a < b
}

// differ compares column c of two rows: by the paired t test over their common
// seeds where there are two or more, because a seed decides initialisation and
// batch order in both, and by Welch's otherwise. It returns the difference
// a − b of the means that the test is about and the two-sided p; NaN where
// neither test can be made.
func differ(a, b *Row, c int) (difference, p float64) {
	seedsX, xs := applying(a, c)
	seedsY, ys := applying(b, c)
	var pairedX, pairedY []float64
	for i, seed := range seedsX {
		if j := slices.Index(seedsY, seed); j >= 0 {
			pairedX, pairedY = append(pairedX, xs[i]), append(pairedY, ys[j])
		}
	}
	test := welchT
	if len(pairedX) >= 2 {
		xs, ys, test = pairedX, pairedY, pairedT
	}
	if len(xs) < 2 || len(ys) < 2 || !allFinite(xs) || !allFinite(ys) {
		return math.NaN(), math.NaN()
	}
	return stat.Mean(xs, nil) - stat.Mean(ys, nil), test(xs, ys)
}

// applying returns the values of column c that apply, with their seeds.
func applying(r *Row, c int) (seeds []uint64, values []float64) {
	for i, v := range r.Cells[c].Values {
		if v.Applies() {
			seeds, values = append(seeds, r.Seeds[i]), append(values, v.Float())
		}
	}
	return seeds, values
}

func allFinite(xs []float64) bool {
	return !slices.ContainsFunc(xs, func(x float64) bool { return !finite(x) })
}
