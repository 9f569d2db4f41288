package dro

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
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
	// Upper is a one-sided bound: R_ρ of the distribution is below it at the level asked for, if no
	// loss is larger than Unseen times the largest one seen. It is the greatest R_ρ by empirical
	// likelihood, where a distribution may also have such an unseen loss. Without that loss the
	// bound is too low where losses are skewed or large ones are rare. It is the largest loss if
	// that is less: no sample shows that R_ρ may be larger, nor that it may not. Confidence.Most
	// takes the place of both, where it is known. Upper is NaN where StandardError is NaN.
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
	Value         float64
	StandardError float64 // sd (f_a − f_b)/√n, pair by pair; NaN as in Estimate
	// Normal is the interval of the normal limit, of either sign. f_a − f_b is hardly skewed, and a
	// bootstrap interval covers no better, and worse in heavy tails (docs/results.md).
	Normal Interval
	Tail   Tail
}

// Confidence is the way in which intervals are made. The zero value makes intervals of 95 % without
// a bootstrap.
type Confidence struct {
	Level float64 // in [0.5, 1); 0 is .95
	Draws int     // number of bootstrap resamples; 0: no bootstrap
	Seed  uint64  // seed of the resamples
	Most  float64 // the largest loss possible, if it is known; 0: it is not
}

// Estimates returns R_ρ at each radius with its intervals. A set without a radius has the same
// estimate at each radius.
func (c Confidence) Estimates(set Set, losses, rhos []float64) ([]Estimate, error) {
	s, err := c.solve(set, rhos, losses)
	if err != nil {
		return nil, err
	}
	list := make([]Estimate, len(rhos))
	for i := range list {
		worst, tail := s.lists[0].worst[i], s.tails[i]
		upper, skewness := c.upper(s, i)
		tail.Capped = c.Most == 0 && upper == worst.MaxLoss
		if c.Most > 0 && upper < c.Most { // no loss is above Most
			tail.Skewness = skewness
		}
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
		return nil, fmt.Errorf("losses of %d and of %d samples: expected those of the same samples",
			len(a), len(b))
	}
	c.Draws = 0
	s, err := c.solve(set, rhos, a, b)
	if err != nil {
		return nil, err
	}
	list := make([]Difference, len(rhos))
	for i := range list {
		v := s.value(i)
		list[i] = Difference{v.risk, v.err, c.normal(s, i), s.tails[i]}
	}
	return list, nil
}

// solve does the work that Estimates and Differences share: it checks the arguments and solves for
// the worst cases and the resamples. The losses are one list, or two lists to compare.
func (c Confidence) solve(set Set, rhos []float64, losses ...[]float64) (*study, error) {
	if level := c.level(); !(level >= .5 && level < 1) || c.Draws < 0 {
		return nil, errors.New("expected a level in [0.5, 1), and draws that are not negative")
	}
	for i, rho := range rhos {
		if err := validateRho(set, rho); err != nil {
			return nil, fmt.Errorf("rhos[%d]: %w", i, err)
		}
	}
	for _, l := range losses {
		if _, err := checkedSample(set, nil, l); err != nil {
			return nil, err
		}
		if most := slices.Max(l); c.Most > 0 && most > c.Most {
			return nil, fmt.Errorf(
				"a loss is %v, above %v, which is said to be the largest possible", most, c.Most)
		}
	}
	s := newStudy(set, rhos, losses...)
	s.solve()
	for i := range rhos {
		s.tails = append(s.tails, s.tail(i))
	}
	if c.Draws > 0 {
		s.bootstrap(c.Draws, c.Seed, (1-c.level())/2)
	}
	return s, nil
}

func (c Confidence) level() float64 { return cmp.Or(c.Level, .95) }

// Unseen is how many times as large as the largest loss seen a loss may be for which Estimate.Upper
// allows. It is the least whole number with which the bounds without a doubt miss at most 10 % for
// one half of the laws in docs/results.md. The other half judges it.
const Unseen = 6

// upper returns Estimate.Upper at radius i, and the skewness of its distribution.
func (c Confidence) upper(s *study, i int) (bound, skewness float64) {
	losses, rho := s.lists[0].losses, s.rhos[i]
	w := s.lists[0].worst[i]
	unseen := cmp.Or(c.Most, Unseen*w.MaxLoss)
	z := math.Sqrt2 * math.Erfinv(2*c.level()-1)
	best := greatestMean(s.dualValues[i], s.f(w.Z, rho)(unseen), z)
	// Every z gives a bound. With an unseen loss, another z than that of the samples is better.
	more, _ := WorstCase(s.set, nil, append(slices.Clone(losses), unseen), rho)
	f := s.f(more.Z, rho)
	dual := make([]float64, len(losses))
	for j, l := range losses {
		dual[j] = f(l)
	}
	if other := greatestMean(dual, f(unseen), z); other.mean < best.mean {
		best = other
	}
	return math.Min(best.mean, cmp.Or(c.Most, w.MaxLoss)), best.skewness(c.level())
}

// normal returns the interval of the normal limit at radius i.
func (c Confidence) normal(s *study, i int) Interval {
	z := math.Sqrt2 * math.Erfinv(c.level())
	return s.within(i, -z, z)
}

// within returns the interval of the values at radius i that lie between two multiples of the
// standard error. It holds no value that losses from 0 to the largest one seen cannot have.
func (s *study) within(i int, lo, hi float64) Interval {
	v := s.value(i)
	ends := [2]float64{0, s.lists[0].worst[i].MaxLoss}
	if len(s.lists) > 1 {
		ends[1] = max(ends[1], s.lists[1].worst[i].MaxLoss)
		ends[0] = -ends[1]
	}
	return Interval{clamp(v.risk+lo*v.err, ends), clamp(v.risk+hi*v.err, ends)}
}
