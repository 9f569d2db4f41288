package compare

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"drolab/runner/measure"
	"drolab/runner/page"
)

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
