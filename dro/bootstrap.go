package dro

import (
	"math"
	"math/rand/v2"
	"slices"
)

// minErrorShare is the part of the sample's standard error below which a resample has collapsed. It
// then lacks the few large losses that the sample's error rests on, and nothing bounds its root.
const minErrorShare = .01

// bootstrap solves for resamples, drawn from the samples with replacement. Two lists are resampled
// at the same samples. The bootstrap has collapsed where the most-quantile of the roots would be
// that of a resample that has collapsed or has no error. Where k samples carry the error, a share
// e^−k of the resamples collapses: 5.0 % for three samples, 1.8 % for four. No roots remain there,
// nor where three samples carry most of the risk.
func (s *study) bootstrap(draws int, seed uint64, most float64) {
	rng := rand.New(rand.NewPCG(seed, 0))
	n := len(s.lists[0].losses)
	drawn := make([][]float64, len(s.lists))
	for k := range drawn {
		drawn[k] = make([]float64, n)
	}
	again := newStudy(s.set, s.rhos, drawn...)
	was, lost := make([]estimatedValue, len(s.rhos)), make([]int, len(s.rhos))
	for i := range was {
		was[i] = s.value(i)
	}
	for range draws {
		for j := range n {
			from := rng.IntN(n)
			for k, of := range s.lists {
				drawn[k][j] = of.losses[from]
			}
		}
		again.solve()
		for i := range s.rhos {
			is := again.value(i)
			s.roots[i] = append(s.roots[i], (is.risk-was[i].risk)/is.err)
			if !(is.err >= minErrorShare*was[i].err) {
				lost[i]++
			}
		}
	}
	for i, list := range s.roots {
		slices.Sort(list)
		t := &s.tails[i]
		t.Collapsed = float64(lost[i]) > max(0, rank(most, draws))
		if t.Collapsed || t.Three > LargeThree {
			s.roots[i] = list[:0]
		}
	}
}

// studentised returns the interval of the studentised bootstrap. The upper quantile of
// (R* − R̂)/err* over the resamples gives the lower end, and the lower quantile the upper end.
func (c Confidence) studentised(s *study, i int) Interval {
	tail := (1 - c.level()) / 2
	return s.within(i, -quantile(s.roots[i], 1-tail), -quantile(s.roots[i], tail))
}

// quantile returns the p-quantile of sorted values, interpolated between two neighbours. It is NaN
// where one of them is NaN, and without values.
func quantile(sorted []float64, p float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	position := math.Min(math.Max(rank(p, len(sorted)), 0), float64(len(sorted)-1))
	below := int(position)
	above := min(below+1, len(sorted)-1)
	return sorted[below] + (position-float64(below))*(sorted[above]-sorted[below])
}

// rank returns the place of the p-quantile among n sorted values, from 0.
func rank(p float64, n int) float64 { return p*float64(n+1) - 1 }
