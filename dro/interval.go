package dro

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
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
	s, err := c.study(set, rhos, losses)
	if err != nil {
		return nil, err
	}
	list := make([]Estimate, len(rhos))
	for i := range list {
		worst, tail := s.sides[0].worst[i], s.tails[i]
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
		return nil, fmt.Errorf("losses of %d and of %d samples: want those of the same samples",
			len(a), len(b))
	}
	c.Draws = 0
	s, err := c.study(set, rhos, a, b)
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

// study does the work that Estimates and Differences share: it checks the arguments and solves for
// the worst cases and the resamples. The losses are one list, or two lists to compare.
func (c Confidence) study(set Set, rhos []float64, losses ...[]float64) (*study, error) {
	if level := c.level(); !(level >= .5 && level < 1) || c.Draws < 0 {
		return nil, errors.New("want a level in [0.5, 1), and draws that are not negative")
	}
	for i, rho := range rhos {
		if err := validateRho(set, rho); err != nil {
			return nil, fmt.Errorf("rhos[%d]: %w", i, err)
		}
	}
	for _, l := range losses {
		if _, err := checked(set, nil, l); err != nil {
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
	losses, w, rho := s.sides[0].losses, s.sides[0].worst[i], s.rhos[i]
	unseen, z := cmp.Or(c.Most, Unseen*w.MaxLoss), math.Sqrt2*math.Erfinv(2*c.level()-1)
	best := greatestMean(s.dual[i], s.f(w.Z, rho)(unseen), z)
	// Every z gives a bound. With an unseen loss, another z than that of the samples is better.
	more, _ := WorstCase(s.set, nil, append(slices.Clone(losses), unseen), rho)
	f, dual := s.f(more.Z, rho), make([]float64, len(losses))
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
	position := math.Min(math.Max(rank(p, len(sorted)), 0), float64(len(sorted)-1))
	below := int(position)
	above := min(below+1, len(sorted)-1)
	return sorted[below] + (position-float64(below))*(sorted[above]-sorted[below])
}

// study solves for worst cases at several radii, for one list of losses or two lists over the same
// samples. It does so for bootstrap resamples, too.
type study struct {
	set   Set
	rhos  []float64
	sides []*side
	// dual has, by radius, f of every loss at the best z. For two lists it has the differences of
	// each pair.
	dual [][]float64
	// roots has, by radius, (R* − R̂)/err* of each resample, sorted. A list is empty where there is
	// no bootstrap.
	roots [][]float64
	tails []Tail // by radius
}

// side is one list of losses and its worst cases, which are kept in place for the resamples.
type side struct {
	losses []float64
	solver interior
	worst  []Worst // by radius
}

// value is a risk, or the difference of two risks, and its standard error.
type value struct{ risk, err float64 }

func newStudy(set Set, rhos []float64, losses ...[]float64) *study {
	s := &study{set: set, rhos: rhos, roots: make([][]float64, len(rhos))}
	for range rhos {
		s.dual = append(s.dual, make([]float64, len(losses[0])))
	}
	for _, l := range losses {
		s.sides = append(s.sides, &side{losses: l, worst: make([]Worst, len(rhos))})
	}
	return s
}

// solve finds the worst cases and dual of the present losses, which have already been checked.
func (s *study) solve() {
	for k, side := range s.sides {
		sample, _ := newSample(side.losses)
		side.solver.prepare(s.set, sample)
		for i, rho := range s.rhos {
			side.worst[i] = side.solver.solve(nil, rho)
			f := s.f(side.worst[i].Z, rho)
			for j, l := range side.losses {
				if k == 0 {
					s.dual[i][j] = f(l)
				} else {
					s.dual[i][j] -= f(l)
				}
			}
		}
	}
}

// f returns f at z. It is NaN where f does not exist. It does not exist where λ* is 0, except for a
// set without a radius, whose f is the same for every λ. Nor does it exist for a set whose φ* is
// infinite: the worst case depends on the largest possible loss, which a sample does not bound.
func (s *study) f(z Z, rho float64) func(loss float64) float64 {
	if !s.set.HasRadius() {
		z.Lambda, rho = 1, 0
	}
	if z.Lambda == 0 || checkDual(s.set) != nil {
		return func(float64) float64 { return math.NaN() }
	}
	return func(loss float64) float64 {
		_, conj, _, _ := s.set.Conjugate((loss - z.Eta) / z.Lambda)
		return float64(z.Lambda*conj) + (float64(z.Lambda*rho) + z.Eta) // each rounded
	}
}

// value returns the value at radius i: the risk of the one list, or the risk of the first list less
// the risk of the second.
func (s *study) value(i int) value {
	risk := s.sides[0].worst[i].Risk
	if len(s.sides) > 1 {
		risk -= s.sides[1].worst[i].Risk
	}
	return value{risk, standardError(s.dual[i])}
}

// tail measures how much of the value at radius i rests on the largest samples.
func (s *study) tail(i int) Tail {
	t := Tail{Effective: math.Inf(1)}
	for _, side := range s.sides {
		w := side.worst[i]
		ratios := make([]float64, len(side.losses))
		side.solver.solve(ratios, s.rhos[i])
		t.Share = max(t.Share, slices.Max(ratios)/float64(len(ratios)))
		t.Effective = min(t.Effective, w.EffectiveSampleSize)
		t.Three = max(t.Three, largestThree(ratios, side.losses, w.MeanLoss))
	}
	return t
}

// standardError returns sd f/√n. Of one sample it is NaN.
func standardError(f []float64) float64 {
	n := float64(len(f))
	var sum, square float64
	for _, x := range f {
		sum += x
	}
	mean := sum / n
	for _, x := range f {
		square += (x - mean) * (x - mean)
	}
	return math.Sqrt(square / (n - 1) / n)
}

// collapse is the part of the sample's standard error below which a resample has collapsed. It then
// lacks the few large losses that the sample's error rests on, and nothing bounds its root.
const collapse = .01

// bootstrap solves for resamples, drawn from the samples with replacement. Two lists are resampled
// at the same samples. The bootstrap has collapsed where the most-quantile of the roots would be
// that of a resample that has collapsed or has no error. Where k samples carry the error, a share
// e^−k of the resamples collapses: 5.0 % for three samples, 1.8 % for four. No roots remain there,
// nor where three samples carry most of the risk.
func (s *study) bootstrap(draws int, seed uint64, most float64) {
	rng := rand.New(rand.NewPCG(seed, 0))
	n := len(s.sides[0].losses)
	drawn := make([][]float64, len(s.sides))
	for k := range drawn {
		drawn[k] = make([]float64, n)
	}
	again := newStudy(s.set, s.rhos, drawn...)
	was, lost := make([]value, len(s.rhos)), make([]int, len(s.rhos))
	for i := range was {
		was[i] = s.value(i)
	}
	for range draws {
		for j := range n {
			from := rng.IntN(n)
			for k, side := range s.sides {
				drawn[k][j] = side.losses[from]
			}
		}
		again.solve()
		for i := range s.rhos {
			is := again.value(i)
			s.roots[i] = append(s.roots[i], (is.risk-was[i].risk)/is.err)
			if !(is.err >= collapse*was[i].err) {
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

// greatestMean returns the greatest mean that the distribution of the sample f may have, by
// empirical likelihood. The distribution may also have the value unseen, which the sample lacks.
//
// It is the greatest Σ w_i f_i + (1 − Σ w_i) unseen over weights with −2 Σ log(n w_i) ≤ z² (Owen,
// Biometrika 1988, 75, theorem 1, one side of the interval). The best weights are w_i ∝ 1/(s − f_i)
// with an s above the largest value. With s = unseen they may leave a part of z². Then that is the
// best s, and the rest pays for a share of unseen.
//
// Since R_ρ(P) = inf_z E_P f, the greatest mean of f at any z is no less than the greatest R_ρ(Q)
// over that ball. The greatest R_ρ(Q) bounds the truth with the probability Φ(z) in the limit. This
// is shown by Duchi, Glynn and Namkoong (Mathematics of Operations Research 2021, 46, §2, with φ(t)
// = −2 log t + 2t − 2) and by Lam (Operations Research 2019, 67, on the Burg entropy).
func greatestMean(f []float64, unseen, z float64) likelihood {
	n, largest, span := float64(len(f)), slices.Max(f), slices.Max(f)-slices.Min(f)
	above := unseen - largest
	if math.IsNaN(span) || math.IsInf(above, 1) {
		return likelihood{mean: above}
	}
	// weigh returns Σ w_i f_i less the largest value, and −2 Σ log(n w_i).
	weigh := func(s float64) (float64, float64) {
		var sum, moment, logs float64
		for _, x := range f {
			w := 1 / (s + largest - x)
			sum, moment, logs = sum+w, moment+w*(x-largest), logs+math.Log(w)
		}
		return moment / sum, -2 * (n*math.Log(n/sum) + logs)
	}
	if weighted, spent := weigh(max(above, 0)); spent < z*z {
		share := -math.Expm1((spent - z*z) / (2 * n))
		mean := largest + weighted + share*(above-weighted)
		return likelihood{mean, f, max(above, 0), unseen, share}
	}
	if span == 0 {
		return likelihood{mean: largest}
	}
	below, at := 0.0, 0.0
	lo, hi := math.Log(1e-12*span), math.Log(1e9*span)
	for range 48 { // 50 e-folds, halved
		mid := (lo + hi) / 2
		at = math.Exp(mid)
		weighted, spent := weigh(at)
		if below = weighted; spent > z*z {
			lo = mid
		} else {
			hi = mid
		}
	}
	return likelihood{largest + below, f, at, unseen, 0}
}

// likelihood is the distribution with the greatest mean of f: see greatestMean.
type likelihood struct {
	mean float64
	f    []float64 // nil where there is no such distribution
	// The weight of f_i is in proportion to 1/(above + max f − f_i), and unseen has this share.
	above, unseen, share float64
}

// skewness returns the skewness of f over √n, which is that of the mean of n values, under the
// distribution of the bound. The bound misses the mean with a probability near Φ(skewness/6 − z)
// (DiCiccio, Romano, Biometrika 1989, 76, 447–456), and Φ(−z) is the probability asked for.
//
// Samples that lack the value unseen by chance show no skewness. So it is also taken with the share
// −log(1 − level)/n of that value, the largest that such samples do not exclude at this level, and
// the greater of the two counts.
func (l *likelihood) skewness(level float64) float64 {
	if l.f == nil {
		return 0
	}
	excluded := -math.Log(1-level) / float64(len(l.f))
	return max(l.skewnessWith(l.share), l.skewnessWith(max(l.share, excluded)))
}

// skewnessWith is skewness with this share of unseen.
func (l *likelihood) skewnessWith(share float64) float64 {
	n, largest := float64(len(l.f)), slices.Max(l.f)
	var sum, mean float64
	for _, x := range l.f {
		w := 1 / (l.above + largest - x)
		sum, mean = sum+w, mean+w*x
	}
	mean = (1-share)*mean/sum + share*l.unseen
	d := l.unseen - mean
	square, cube := share*d*d, share*d*d*d
	for _, x := range l.f {
		w, d := (1-share)/(l.above+largest-x)/sum, x-mean
		square, cube = square+w*d*d, cube+w*d*d*d
	}
	return cube / math.Pow(square, 1.5) / math.Sqrt(n)
}
