package dro

import "math"

// study solves for worst cases at several radii, for one list of losses or two lists over the same
// samples. It does so for bootstrap resamples, too.
type study struct {
	set   Set
	rhos  []float64
	lists []*solvedLosses
	// dualValues has, by radius, f of every loss at the best z. For two lists it has the
	// differences of each pair.
	dualValues [][]float64
	// roots has, by radius, (R* − R̂)/err* of each resample, sorted. A list is empty where there is
	// no bootstrap.
	roots [][]float64
	tails []Tail // by radius
}

// solvedLosses is one list of losses and its worst cases, which are kept in place for the
// resamples.
type solvedLosses struct {
	losses []float64
	solver interior
	worst  []Worst // by radius
}

// estimatedValue is a risk, or the difference of two risks, and its standard error.
type estimatedValue struct{ risk, err float64 }

func newStudy(set Set, rhos []float64, losses ...[]float64) *study {
	s := &study{set: set, rhos: rhos, roots: make([][]float64, len(rhos))}
	for range rhos {
		s.dualValues = append(s.dualValues, make([]float64, len(losses[0])))
	}
	for _, l := range losses {
		s.lists = append(s.lists, &solvedLosses{losses: l, worst: make([]Worst, len(rhos))})
	}
	return s
}

// solve finds the worst cases and dual values of the present losses, which have already been
// checked.
func (s *study) solve() {
	for k, list := range s.lists {
		sample, _ := newSample(list.losses)
		list.solver.prepare(s.set, sample)
		for i, rho := range s.rhos {
			list.worst[i] = list.solver.solve(nil, rho)
			s.setDualValues(i, k)
		}
	}
}

// setDualValues sets the dual values at radius i to f of the losses of list 0, or subtracts from
// them f of the losses of list 1.
func (s *study) setDualValues(i, k int) {
	f := s.f(s.lists[k].worst[i].Z, s.rhos[i])
	for j, l := range s.lists[k].losses {
		if k == 0 {
			s.dualValues[i][j] = f(l)
		} else {
			s.dualValues[i][j] -= f(l)
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
func (s *study) value(i int) estimatedValue {
	risk := s.lists[0].worst[i].Risk
	if len(s.lists) > 1 {
		risk -= s.lists[1].worst[i].Risk
	}
	return estimatedValue{risk, standardError(s.dualValues[i])}
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
