package dro

import (
	"fmt"
	"math"
	"slices"
)

// Tail measures how much of an estimate rests on its largest values.
type Tail struct {
	// Share is the largest part of one sample in the worst distribution, r/n. For a difference it
	// is the larger of the two shares.
	Share float64
	// Index is Hill's estimate of the tail index of f. It is taken over the 2√m largest, but at
	// most m/5, of the m values above the least (Hill, Annals of Statistics 1975, 3, 1163–1174).
	// The variance of f exists above 2. Index is +Inf without a tail, and NaN where fewer than 10
	// values would be used.
	Index float64
	// Effective is the effective sample size of the worst case. For a difference it is the smaller
	// of the two.
	Effective float64
	// Three is the largest part of R_ρ less the mean loss that three samples carry. For a
	// difference it is the larger of the two parts.
	Three float64
	// Collapsed says that too many resamples lack the samples that carry the risk.
	Collapsed bool
	// Capped says that an estimate's upper bound is the largest loss.
	Capped bool
}

// The bounds of Doubt. They are chosen where the upper bounds of the simulation in docs/results.md
// begin to miss more than twice as often as they say.
const (
	// FewEffective is the effective sample size below which a worst case has few samples.
	FewEffective = 100
	// HeavyIndex is the tail index below which a tail is heavy. It is lower than 2, because Hill's
	// estimate is too low for a light tail of few samples: an exponential loss under χ² has 1.8 at
	// 1000 samples.
	HeavyIndex = 1.65
	// LargeShare is the largest share of the worst distribution that one sample may have without a
	// doubt.
	LargeShare = .05
	// LargeThree is the largest part of R_ρ less the mean loss that three samples may carry without
	// a doubt.
	LargeThree = .5
)

// Doubts returns the grounds on which an interval is doubted, each with its name and its reason.
func Doubts() [][2]string {
	return [][2]string{
		{"largest loss",
			"it is the bound, and if losses can be larger, no finite sample excludes that"},
		{"heavy tail", fmt.Sprintf(
			"Hill's tail index of f(ℓ; z*) is below %g, and a variance needs more than 2",
			HeavyIndex)},
		{"few samples", fmt.Sprintf(
			"fewer than %d effective samples carry the worst case", FewEffective)},
		{"one sample", fmt.Sprintf(
			"a single sample has more than %g %% of the worst case", 100*LargeShare)},
		{"three samples", fmt.Sprintf(
			"three samples have more than %g %% of R_ρ less the mean, or resamples lack them",
			100*LargeThree)},
	}
}

// Doubt returns the name of the first of Doubts that applies, or "" if none does.
func (t Tail) Doubt() string {
	for i, doubt := range []bool{t.Capped, t.Index < HeavyIndex, t.Few(), t.Share > LargeShare,
		t.Three > LargeThree || t.Collapsed} {
		if doubt {
			return Doubts()[i][0]
		}
	}
	return ""
}

// Few tells whether fewer than FewEffective samples carry the worst case. Under χ² their number is
// n/(1 + 2ρ). Where that is FewEffective, rounding does not decide.
func (t Tail) Few() bool { return t.Effective < FewEffective*(1-1e-6) }

// largestThree returns Tail.Three of one list of losses. It is 0 where all losses are equal.
func largestThree(ratios, losses []float64, mean float64) float64 {
	parts := make([]float64, len(losses))
	for i, l := range losses {
		parts[i] = (ratios[i] - 1) * (l - mean)
	}
	slices.Sort(parts)
	sum, top := math.SmallestNonzeroFloat64, 0.0
	for i, p := range parts {
		sum += p
		if i >= len(parts)-3 {
			top += p
		}
	}
	return top / sum
}

// hill returns Tail.Index of values, which it sorts.
func hill(values []float64) float64 {
	slices.Sort(values)
	above := values
	for len(above) > 0 && !(above[0] > values[0]) {
		above = above[1:]
	}
	k := min(int(2*math.Sqrt(float64(len(above)))), len(above)/5)
	if k < 10 {
		return math.NaN()
	}
	sum, base := 0.0, above[len(above)-1-k]-values[0]
	for _, v := range above[len(above)-k:] {
		sum += math.Log((v - values[0]) / base)
	}
	return float64(k) / sum
}

// likelihoodExcess returns how far the mean of the distribution may lie above the mean of the
// sample f, by empirical likelihood. It is the greatest Σ w_i f_i − mean f over weights with
// −2 Σ log(n w_i) ≤ z² (Owen, Biometrika 1988, 75, theorem 1, one side of the interval). The best
// weights are w_i ∝ 1/(s − f_i) with an s above the largest value.
//
// Since R_ρ(P) = inf_z E_P f, R̂ plus the excess of f at ẑ is no less than the greatest R_ρ(Q) over
// that ball. The greatest R_ρ(Q) bounds the truth with the probability Φ(z) in the limit. This is
// shown by Duchi, Glynn and Namkoong (Mathematics of Operations Research 2021, 46, §2, with φ(t) =
// −2 log t + 2t − 2) and by Lam (Operations Research 2019, 67, on the Burg entropy).
func likelihoodExcess(f []float64, z float64) float64 {
	n, largest, span := float64(len(f)), slices.Max(f), slices.Max(f)-slices.Min(f)
	if !(span > 0) {
		return span // 0, or NaN where there is no f
	}
	mean := 0.0
	for _, x := range f {
		mean += (x - largest) / n
	}
	excess := 0.0
	lo, hi := math.Log(1e-12*span), math.Log(1e9*span)
	for range 48 { // 50 e-folds, halved
		mid := (lo + hi) / 2
		var sum, moment, logs float64
		for _, x := range f {
			w := 1 / (math.Exp(mid) + largest - x)
			sum, moment, logs = sum+w, moment+w*(x-largest), logs+math.Log(w)
		}
		excess = moment/sum - mean
		if -2*(n*math.Log(n/sum)+logs) > z*z {
			lo = mid
		} else {
			hi = mid
		}
	}
	return excess
}
