package dro

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// sample is a checked batch and its scale. The solvers work with
// x = (ℓ − min)/span in [0, 1], which neither a loss of 1e300 nor a spread of
// 1e-12 can spoil.
type sample struct {
	losses         []float64
	min, max, span float64
	mean           float64 // of x
	ties           int     // losses equal to max
}

// sumBlock is the number of terms that a pass adds up before it adds them to its total: two short
// sums lose less than one long sum, at no cost.
const sumBlock = 512

func newSample(losses []float64) (sample, error) {
	if len(losses) == 0 {
		return sample{}, errors.New("losses: none given; expected at least one")
	}
	s := sample{losses: losses, min: math.Inf(1)}
	for i, l := range losses {
		if !(l >= 0) || math.IsInf(l, 1) {
			return sample{}, fmt.Errorf("losses[%d] %v: expected a finite value, not negative", i,
				l)
		}
		if l > s.max || i == 0 {
			s.max, s.ties = l, 0
		}
		if l == s.max {
			s.ties++
		}
		s.min = math.Min(s.min, l)
	}
	s.span = s.max - s.min
	if s.span == 0 {
		return s, nil
	}
	for terms := range slices.Chunk(losses, sumBlock) {
		var part float64
		for _, l := range terms {
			part += s.scaled(l)
		}
		s.mean += part
	}
	s.mean /= s.n()
	return s, nil
}

// checkedSample returns the sample of the losses, or an error if the losses, the set or the
// destination are not usable.
func checkedSample(set Set, ratios, losses []float64) (sample, error) {
	if err := set.Validate(); err != nil {
		return sample{}, fmt.Errorf("uncertainty %s: %w", set.Name(), err)
	}
	if ratios != nil && len(ratios) != len(losses) {
		return sample{}, fmt.Errorf("ratios: length %d for %d losses; expected the same length, "+
			"or nil",
			len(ratios), len(losses))
	}
	return newSample(losses)
}

func (s *sample) n() float64 { return float64(len(s.losses)) }

func (s *sample) scaled(l float64) float64 { return (l - s.min) / s.span }

// worst returns the fields of a Worst that do not depend on the distribution.
func (s *sample) worst() Worst {
	return Worst{MeanLoss: s.min + s.span*s.mean, MaxLoss: s.max}
}

// buffer is memory that successive solutions reuse. It grows to the largest size asked for.
type buffer []float64

// values returns n places with arbitrary contents.
func (r *buffer) values(n int) []float64 {
	if cap(*r) < n {
		*r = make(buffer, n)
	}
	return (*r)[:n]
}
