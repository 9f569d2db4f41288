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
	// Skewness is that of the mean whose greatest value is the bound: see likelihood.skewness. It
	// is 0 without Confidence.Most, and where the bound is Most, which no loss exceeds.
	Skewness float64
}

// The bounds of Doubt. A ground that depends on the largest losses selects the samples that lack
// them, whose bounds are the lowest. So these grounds are few, and a heavy tail is none: with
// Unseen, bounds hold for heavy tails, too. With Confidence.Most they have less room, and the
// skewness is a ground, which samples that lack large losses have as well.
const (
	// FewEffective is the effective sample size below which a worst case has few samples.
	FewEffective = 100
	// LargeThree is the largest part of R_ρ less the mean loss that three samples may carry without
	// a doubt.
	LargeThree = .5
	// LargeSkewness is the largest Tail.Skewness without a doubt: 5.5 % of the bounds of 95 % miss
	// there in theory. With more, the bounds of Confidence.Most miss more often than their level
	// says (docs/results.md).
	LargeSkewness = .3
)

// Doubts returns the grounds on which a bound is doubted, each with its name and its reason.
func Doubts() [][2]string {
	return [][2]string{
		{"largest loss",
			"it is the bound, and if losses can be larger, no finite sample excludes that"},
		{"few samples", fmt.Sprintf(
			"fewer than %d effective samples carry the worst case", FewEffective)},
		{"three samples", fmt.Sprintf(
			"three samples have more than %g %% of R_ρ less the mean, or resamples lack them",
			100*LargeThree)},
		{"coverage not guaranteed",
			"large losses are rare or absent by chance, so it may miss too often"},
	}
}

// Doubt returns the name of the first of Doubts that applies, or "" if none does.
func (t Tail) Doubt() string {
	for i, doubt := range []bool{t.Capped, t.Few(), t.Three > LargeThree || t.Collapsed,
		t.Skewness > LargeSkewness} {
		if doubt {
			return Doubts()[i][0]
		}
	}
	return ""
}

// Few tells whether fewer than FewEffective samples carry the worst case. Under χ² their number is
// n/(1 + 2ρ). Where that is FewEffective, rounding does not decide.
func (t Tail) Few() bool { return t.Effective < FewEffective*(1-1e-6) }

// tail measures how much of the value at radius i rests on the largest samples.
func (s *study) tail(i int) Tail {
	t := Tail{Effective: math.Inf(1)}
	for _, list := range s.lists {
		w := list.worst[i]
		ratios := make([]float64, len(list.losses))
		list.solver.solve(ratios, s.rhos[i])
		t.Share = max(t.Share, slices.Max(ratios)/float64(len(ratios)))
		t.Effective = min(t.Effective, w.EffectiveSampleSize)
		t.Three = max(t.Three, largestThree(ratios, list.losses, w.MeanLoss))
	}
	return t
}

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
