package dro

import (
	"errors"
	"fmt"
	"math"
)

// Estimate is R_ρ of n losses, taken as an estimate of R_ρ of the distribution that the losses were
// drawn from, with its uncertainty.
//
// R_ρ(P) = inf_z E_P f(ℓ; z), so by the envelope theorem its influence function at a loss is
// f(ℓ; z*) − R_ρ. Here f = λ φ*((ℓ − η̃)/λ) + λρ + η̃ is taken at the best z*, and its slope in ℓ
// is the weight r of the worst distribution. So √n (R̂ − R) is normal in the limit, with variance
// Var f(ℓ; z*): see Shapiro, Dentcheva, Ruszczyński, Lectures on Stochastic Programming, 2009,
// theorem 5.7, and Duchi, Namkoong, Annals of Statistics 2021, 49, 1378–1406. That requires a
// unique z*, λ* > 0 and a finite variance of f: for χ², fourth moments of the loss.
// docs/results.md says how often the intervals cover, also where they fail.
type Estimate struct {
	Worst
	// StandardError is sd f/√n. It is NaN where the radius does not bind: except for SmoothedCVaR,
	// R̂ is then the largest loss, and nothing about it is normal. It is NaN for TV, because R̂
	// contains ρ times the largest loss.
	StandardError float64
	// Upper is a one-sided bound: R_ρ of the distribution is below it at the level asked for. It is
	// the larger of the bound by empirical likelihood and the bound by the bootstrap, if there is
	// one. The first is too low where losses are skewed, the second where most losses are equal. It
	// is the largest loss if that is less: no sample shows that losses may be larger, nor that they
	// may not. It is NaN where StandardError is NaN.
	Upper float64
	// Normal and Bootstrap are intervals at the level asked for. Normal is the interval of the
	// normal limit. Bootstrap is the interval of the studentised bootstrap (Efron, Tibshirani, An
	// Introduction to the Bootstrap, 1993, §12.5), which has the skewness that Normal lacks. Their
	// ends are NaN where there is no interval. They lie between 0 and the largest loss.
	Normal, Bootstrap Interval
	Tail              Tail
}

// Interval holds the two ends of an interval, the lower first.
type Interval [2]float64

// Difference is R_ρ of one list of losses less R_ρ of another list over the same samples.
type Difference struct {
	Value             float64
	StandardError     float64  // sd (f_a − f_b)/√n, pair by pair; NaN as in Estimate
	Normal, Bootstrap Interval // see Estimate; of either sign
	Tail              Tail     // Index is of the distances of f_a − f_b from their mean
}

// Better returns the interval to be read. It is the bootstrap's, except where the tail raises a
// doubt or there is no bootstrap: there it is the normal one, which covers better in doubtful
// tails.
func (d *Difference) Better() Interval {
	drawn := !math.IsNaN(d.Bootstrap[0]) && !math.IsNaN(d.Bootstrap[1])
	if d.Tail.Doubt() != "" || !drawn {
		return d.Normal
	}
	return d.Bootstrap
}

// Confidence is the way in which intervals are made. The zero value makes intervals of 95 % without
// a bootstrap.
type Confidence struct {
	Level float64 // in (0, 1); 0 is .95
	Draws int     // number of bootstrap resamples; 0: no bootstrap
	Seed  uint64  // seed of the resamples
}

// Estimates returns R_ρ at each radius with its intervals. A set without a radius has the same
// estimate at each radius.
func (c Confidence) Estimates(set Set, losses, rhos []float64) ([]Estimate, error) {
	s, err := c.study(set, rhos, losses)
	if err != nil {
		return nil, err
	}
	list := make([]Estimate, len(rhos))
	for i := range list {
		worst, upper, tail := s.sides[0].worst[i], c.upper(s, i), s.tail(i)
		tail.Capped = upper == worst.MaxLoss
		list[i] = Estimate{
			worst, s.value(i).err, upper, c.normal(s, i), c.studentised(s, i), tail,
		}
	}
	return list, nil
}

// Differences returns R_ρ of a less R_ρ of b at each radius with its intervals. The losses a and b
// are those of the same samples, in the same order.
func (c Confidence) Differences(set Set, a, b, rhos []float64) ([]Difference, error) {
	if len(a) != len(b) {
		return nil, fmt.Errorf("losses of %d and of %d samples: want those of the same samples",
			len(a), len(b))
	}
	s, err := c.study(set, rhos, a, b)
	if err != nil {
		return nil, err
	}
	list := make([]Difference, len(rhos))
	for i := range list {
		v := s.value(i)
		list[i] = Difference{v.risk, v.err, c.normal(s, i), c.studentised(s, i), s.tail(i)}
	}
	return list, nil
}

// study does the work that Estimates and Differences share: it checks the arguments and solves for
// the worst cases and the resamples. The losses are one list, or two lists to compare.
func (c Confidence) study(set Set, rhos []float64, losses ...[]float64) (*study, error) {
	if level := c.level(); !(level > 0 && level < 1) || c.Draws < 0 {
		return nil, errors.New("want a level in (0, 1), and draws that are not negative")
	}
	for i, rho := range rhos {
		if err := validateRho(set, rho); err != nil {
			return nil, fmt.Errorf("rhos[%d]: %w", i, err)
		}
	}
	s := &study{rhos: rhos, roots: make([][]float64, len(rhos))}
	for _, l := range losses {
		if _, err := checked(set, nil, l); err != nil {
			return nil, err
		}
		s.sides = append(s.sides, newSide(set, l, len(rhos)))
	}
	s.solve()
	if c.Draws > 0 {
		s.bootstrap(c.Draws, c.Seed, (1-c.level())/2)
	}
	return s, nil
}

func (c Confidence) level() float64 {
	if c.Level == 0 {
		return .95
	}
	return c.Level
}

// upper returns Estimate.Upper at radius i.
func (c Confidence) upper(s *study, i int) float64 {
	v := s.value(i)
	bound := v.risk + likelihoodExcess(s.sides[0].dual[i], math.Sqrt2*math.Erfinv(2*c.level()-1))
	if drawn := v.risk - v.err*quantile(s.roots[i], 1-c.level()); drawn > bound {
		bound = drawn
	}
	return math.Min(bound, s.sides[0].worst[i].MaxLoss)
}

// normal returns the interval of the normal limit at radius i.
func (c Confidence) normal(s *study, i int) Interval {
	z := math.Sqrt2 * math.Erfinv(c.level())
	return s.within(i, -z, z)
}

// within returns the interval of the values at radius i that lie between two multiples of the
// standard error. It holds no value that losses from 0 to the largest one seen cannot have.
func (s *study) within(i int, lo, hi float64) Interval {
	v, ends := s.value(i), [2]float64{0, s.sides[0].worst[i].MaxLoss}
	if len(s.sides) > 1 {
		ends[1] = max(ends[1], s.sides[1].worst[i].MaxLoss)
		ends[0] = -ends[1]
	}
	return Interval{clamp(v.risk+lo*v.err, ends), clamp(v.risk+hi*v.err, ends)}
}

// studentised returns the interval of the studentised bootstrap. The upper quantile of
// (R* − R̂)/err* over the resamples gives the lower end, and the lower quantile the upper end.
func (c Confidence) studentised(s *study, i int) Interval {
	tail := (1 - c.level()) / 2
	return s.within(i, -quantile(s.roots[i], 1-tail), -quantile(s.roots[i], tail))
}

// rank returns the place of the p-quantile among n sorted values, from 0.
func rank(p float64, n int) float64 { return p*float64(n+1) - 1 }

// quantile returns the p-quantile of sorted values, interpolated between two neighbours. It is NaN
// where one of them is NaN, and without values.
func quantile(sorted []float64, p float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	at := math.Min(math.Max(rank(p, len(sorted)), 0), float64(len(sorted)-1))
	below := int(at)
	above := min(below+1, len(sorted)-1)
	return sorted[below] + (at-float64(below))*(sorted[above]-sorted[below])
}
