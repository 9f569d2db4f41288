package compare

import (
	"cmp"
	"math"
	"slices"

	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/runner/spec"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
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

// contest is a Test in progress, with the tests of its pairs of rows.
type contest struct {
	Test
	column int
	pairs  []pair
}

// pair is the test of two rows against each other. Its p is NaN where the test cannot be made.
type pair struct {
	a, b        int
	p, adjusted float64
}

// contests tests the columns from first on, which belong to one measure, between the rows of each
// question.
func (t *Table) contests(first int, questions [][]int) (contests []contest) {
	for c := first; c < len(t.Columns); c++ {
		for _, rows := range questions {
			empty := func(r int) bool { return t.Rows[r].Cells[c].N == 0 }
			rows = slices.DeleteFunc(slices.Clone(rows), empty)
			if len(rows) > 1 {
				contests = append(contests, t.contest(c, rows))
			}
		}
	}
	return contests
}

// correctTests corrects the tests of some columns together, and concludes them.
func (t *Table) correctTests(columns []Column, contests []contest) {
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

// contest tests all pairs of the rows in column c.
func (t *Table) contest(c int, rows []int) contest {
	o := contest{Test: Test{Rows: rows, Lead: rows[0]}, column: c}
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
func (t *Table) conclude(o *contest) {
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
		cell.P, cell.Adjusted = measure.Known(q.p), measure.Known(q.adjusted)
		p, adjusted = math.Max(p, q.p), math.Max(adjusted, q.adjusted) // NaN, once in, stays
	}
	o.P, o.Adjusted = measure.Known(p), measure.Known(adjusted)
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

// MeanStd returns the mean and the standard deviation of a sample (with n - 1), each
// NaN where there are too few values.
func MeanStd(values []float64) (mean, std float64) { return stat.MeanStdDev(values, nil) }

// TInterval returns the mean of the values and the half width of its
// two-sided Student t interval at the given level, 0 < level < 1. The half
// width is NaN for fewer than two values, the mean too where there is none.
func TInterval(values []float64, level float64) (mean, half float64) {
	if !(level > 0 && level < 1) {
		panic("compare: level outside (0, 1)")
	}
	mean, std := stat.MeanStdDev(values, nil) // NaN where there are too few
	n := float64(len(values))
	if n < 2 {
		return mean, math.NaN()
	}
	return mean, HalfWidth(len(values), level) * std / math.Sqrt(n)
}

// Describe returns the number of values that apply, their mean, their standard deviation (divisor
// n−1) and the half width of the mean's t interval. What the values do not give does not apply.
func Describe(values []measure.Number, level float64) (n int, mean, std, half measure.Number) {
	var list []float64
	for _, v := range values {
		if v.Applies() {
			list = append(list, v.Float())
		}
	}
	n = len(list)
	m, h := TInterval(list, level)
	_, s := stat.MeanStdDev(list, nil)
	return n, measure.NumIf(n > 0, m), measure.NumIf(n > 1, s), measure.NumIf(n > 1, h)
}

// HalfWidth returns the half width of Student's two-sided t interval of the
// mean of n ≥ 2 values, in standard errors.
func HalfWidth(n int, level float64) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 1)}.Quantile((1 + level) / 2)
}

// PairedT returns the two-sided p of Student's t test on the differences a−b
// of values that belong together.
func PairedT(a, b []float64) float64 {
	d := make([]float64, len(a))
	floats.SubTo(d, a, b)
	mean, std := stat.MeanStdDev(d, nil)
	n := float64(len(d))
	return twoSided(mean, std/math.Sqrt(n), n-1, largest(a, b))
}

// Equivalence returns the p of two one-sided t tests (TOST) that the mean of some
// differences is between −margin and margin: the larger of the two (Schuirmann 1987,
// Journal of Pharmacokinetics and Biopharmaceutics 15, 657–680).
func Equivalence(differences []float64, margin float64) float64 {
	mean, std := stat.MeanStdDev(differences, nil)
	n := float64(len(differences))
	if n < 2 || !(std > 0) {
		return math.NaN()
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}
	return t.Survival((margin - math.Abs(mean)) / (std / math.Sqrt(n)))
}

// Detectable returns the least true mean, in standard deviations of the differences, that the
// two-sided t test of n ≥ 2 differences at level alpha finds with the given power. alpha and power
// are in (0, 1), and power is above alpha.
func Detectable(n int, alpha, power float64) float64 {
	critical := HalfWidth(n, 1-alpha)
	least, most := 0.0, 1.0
	for powerOf(n, most, critical) < power {
		least, most = most, 2*most
	}
	for most-least > 1e-9*most {
		middle := (least + most) / 2
		if powerOf(n, middle, critical) < power {
			least = middle
		} else {
			most = middle
		}
	}
	return most
}

// powerOf returns the probability that a noncentral t is beyond ±critical. It integrates over the
// sample's standard deviation s in units of the true one, where ν s² has the χ² distribution with ν
// degrees of freedom.
func powerOf(n int, mean, critical float64) float64 {
	nu, shift := float64(n-1), mean*math.Sqrt(float64(n))
	chi := distuv.ChiSquared{K: nu}
	// Further on, either factor is below 1e-12. The nodes must resolve the step at shift/critical.
	end := min(math.Sqrt(chi.Quantile(1-1e-12)/nu), (shift+8)/critical)
	beyond := func(s float64) float64 {
		density := 2 * nu * s * chi.Prob(nu*s*s)
		return density * (distuv.UnitNormal.CDF(shift-critical*s) +
			distuv.UnitNormal.CDF(-shift-critical*s))
	}
	const nodes = 200
	return quad.Fixed(beyond, 0, end, nodes, quad.Legendre{}, 0)
}

// welchT returns the two-sided p of Welch's t test, which does not assume equal variances.
func welchT(a, b []float64) float64 {
	meanA, stdA := stat.MeanStdDev(a, nil)
	meanB, stdB := stat.MeanStdDev(b, nil)
	va, vb := stdA*stdA/float64(len(a)), stdB*stdB/float64(len(b))
	// Welch–Satterthwaite.
	nu := (va + vb) * (va + vb) / (va*va/float64(len(a)-1) + vb*vb/float64(len(b)-1))
	return twoSided(meanA-meanB, math.Sqrt(va+vb), nu, largest(a, b))
}

// twoSided returns p for a difference with the given standard error and
// degrees of freedom. It is NaN, so never significant, where the spread is
// zero up to the rounding of values of the given size: a few values that
// happen to agree say nothing about their spread.
func twoSided(difference, standardError, nu, size float64) float64 {
	const rounding = 1e-12
	if !(standardError > rounding*size) || math.IsInf(standardError, 0) {
		return math.NaN()
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: nu}
	return 2 * t.Survival(math.Abs(difference)/standardError)
}

// largest returns the largest absolute value of two samples.
func largest(a, b []float64) float64 {
	return max(floats.Norm(a, math.Inf(1)), floats.Norm(b, math.Inf(1)))
}

// Holm returns the adjusted p of a family of tests: the i-th smallest of m is
// max over j ≤ i of (m − j + 1) p_j, at most 1. Rejecting where that is below α
// keeps the probability of any false rejection below α, whatever the dependence
// (Holm 1979, Scandinavian Journal of Statistics 6, 65–70). A NaN is a test
// that could not be made: one of the m, and never rejected.
func Holm(p []float64) []float64 {
	order := page.Indices(len(p))
	last := func(x float64) float64 { // NaN sorts last
		if math.IsNaN(x) {
			return math.Inf(1)
		}
		return x
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(last(p[i]), last(p[j])) })
	adjusted, most := make([]float64, len(p)), 0.0
	for rank, i := range order {
		// NaN, once in, stays; it is among the last.
		most = max(most, min(1, float64(len(p)-rank)*p[i]))
		adjusted[i] = most
	}
	return adjusted
}
