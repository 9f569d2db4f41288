package dro

import (
	"math"
	"math/rand/v2"
	"slices"
)

// study solves for worst cases at several radii, for one list of losses or two lists over the same
// samples. It does so for bootstrap resamples, too.
type study struct {
	rhos  []float64
	sides []*side
	// roots has, by radius, (R* − R̂)/err* of each resample, sorted. A list is nil without a
	// bootstrap, and empty where the bootstrap has collapsed.
	roots [][]float64
}

// side is one list of losses and its worst cases. The results are kept in place, so that a resample
// allocates nothing.
type side struct {
	set    Set
	losses []float64
	solver interior
	worst  []Worst     // by radius
	dual   [][]float64 // by radius: f of every loss at the best z, up to a constant
}

// value is a risk, or the difference of two risks, and its standard error.
type value struct{ risk, err float64 }

func newSide(set Set, losses []float64, radii int) *side {
	s := &side{
		set:    set,
		losses: losses,
		worst:  make([]Worst, radii),
		dual:   make([][]float64, radii),
	}
	for i := range s.dual {
		s.dual[i] = make([]float64, len(losses))
	}
	return s
}

// solve finds the worst cases of the present losses, which have already been checked.
func (s *study) solve() {
	for _, side := range s.sides {
		sample, _ := newSample(side.losses)
		side.solver.take(side.set, sample)
		for i, rho := range s.rhos {
			side.worst[i] = side.solver.solve(nil, rho)
			side.values(i)
		}
	}
}

// values fills in f at radius i, or NaN where f does not exist. It does not exist where λ* is 0,
// except for a set without a radius, whose f is the same for every λ. Nor does it exist for a set
// whose φ* is infinite: the worst case depends on the largest possible loss, which a sample does
// not bound.
func (s *side) values(i int) {
	z := s.worst[i].Z
	if !s.set.HasRadius() {
		z.Lambda = 1
	}
	if z.Lambda == 0 || checkDual(s.set) != nil {
		for j := range s.dual[i] {
			s.dual[i][j] = math.NaN()
		}
		return
	}
	for j, l := range s.losses {
		_, conj, _, _ := s.set.Conjugate((l - z.Eta) / z.Lambda)
		s.dual[i][j] = z.Lambda * conj
	}
}

// value returns the value at radius i: the risk of the one list, or the risk of the first list less
// the risk of the second.
func (s *study) value(i int) value {
	first := s.sides[0]
	if len(s.sides) == 1 {
		return value{first.worst[i].Risk, standardError(first.dual[i], nil)}
	}
	second := s.sides[1]
	return value{
		risk: first.worst[i].Risk - second.worst[i].Risk,
		err:  standardError(first.dual[i], second.dual[i]),
	}
}

// tail measures how much of the value at radius i rests on the largest samples.
func (s *study) tail(i int) Tail {
	t := Tail{Effective: math.Inf(1), Collapsed: s.roots[i] != nil && len(s.roots[i]) == 0}
	for _, side := range s.sides {
		w := side.worst[i]
		ratios := make([]float64, len(side.losses))
		side.solver.solve(ratios, s.rhos[i])
		t.Share = max(t.Share, slices.Max(ratios)/float64(len(ratios)))
		t.Effective = min(t.Effective, w.EffectiveSampleSize)
		t.Three = max(t.Three, largestThree(ratios, side.losses, w.MeanLoss))
	}
	values := slices.Clone(s.sides[0].dual[i])
	if len(s.sides) > 1 {
		mean := 0.0
		for j, f := range s.sides[1].dual[i] {
			values[j] -= f
			mean += values[j] / float64(len(values))
		}
		for j := range values {
			values[j] = math.Abs(values[j] - mean)
		}
	}
	t.Index = hill(values)
	return t
}

// standardError returns sd (a − b)/√n; b may be nil. Of one sample it is NaN.
func standardError(a, b []float64) float64 {
	n := float64(len(a))
	at := func(i int) float64 {
		if b == nil {
			return a[i]
		}
		return a[i] - b[i]
	}
	var sum, square float64
	for i := range a {
		sum += at(i)
	}
	mean := sum / n
	for i := range a {
		d := at(i) - mean
		square += d * d
	}
	return math.Sqrt(square / (n - 1) / n)
}

// collapse is the part of the sample's standard error below which a resample has collapsed. It then
// lacks the few large losses that the sample's error rests on, and nothing bounds its root.
const collapse = .01

// bootstrap solves for resamples, drawn from the samples with replacement. Two lists are resampled
// at the same samples. The bootstrap has collapsed where the most-quantile of the roots would be
// that of a resample that has collapsed or has no error. Where k samples carry the error, a share
// e^−k of the resamples collapses: 5.0 % for three samples, 1.8 % for four.
func (s *study) bootstrap(draws int, seed uint64, most float64) {
	rng := rand.New(rand.NewPCG(seed, 0))
	n := len(s.sides[0].losses)
	again := &study{rhos: s.rhos}
	for _, side := range s.sides {
		again.sides = append(again.sides, newSide(side.set, make([]float64, n), len(s.rhos)))
	}
	was, lost := make([]value, len(s.rhos)), make([]int, len(s.rhos))
	for i := range was {
		was[i] = s.value(i)
	}
	for range draws {
		for j := range n {
			from := rng.IntN(n)
			for k, side := range s.sides {
				again.sides[k].losses[j] = side.losses[from]
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
		if float64(lost[i]) > max(0, rank(most, draws)) {
			s.roots[i] = list[:0]
		}
	}
}
