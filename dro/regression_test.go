package dro

import (
	"math"
	"math/rand/v2"
	"testing"
)

// threeClasses returns a table of three classes at the given distance, with one feature that
// repeats another.
func threeClasses(n int, apart float64) *Regression {
	rng := rand.New(rand.NewPCG(11, 0))
	s := &Regression{Classes: 3}
	for i := range n {
		y := i % 7 % 3
		a, b := rng.NormFloat64()+apart*float64(y), rng.NormFloat64()-1.5*apart*float64(y%2)
		s.X, s.Labels = append(s.X, []float64{a, b, 2 * a}), append(s.Labels, y)
	}
	return s
}

// regressions returns problems with both losses, on classes that overlap much and on classes that
// overlap less.
func regressions(n int) (list []*Regression) {
	for _, apart := range []float64{1, 2} {
		s := threeClasses(n, apart)
		squared := *s
		squared.Squared = true
		list = append(list, s, &squared)
	}
	return list
}

// Loss, slope and curvature of a sample agree with finite differences.
func TestRegressionByDifferences(t *testing.T) {
	for _, s := range regressions(9) {
		byDifferences(t, s)
	}
}

func byDifferences(t *testing.T, s *Regression) {
	t.Helper()
	size := s.size()
	x, p, slope := make([]float64, size), make([]float64, s.outputs()), make([]float64, size)
	for i := range x {
		x[i] = .3*float64(i%5) - .5
	}
	const h = 1e-5
	for i := range s.X {
		s.loss(p, x, i)
		s.gradient(slope, p, i)
		bend := newCurvature(size).hess
		s.addHessian(bend, 1, p, i)
		for j := range x {
			var loss [2]float64
			var slopes [2][]float64
			for side, d := range []float64{-h, h} {
				y := append([]float64(nil), x...)
				y[j] += d
				loss[side] = s.loss(p, y, i)
				slopes[side] = make([]float64, size)
				s.gradient(slopes[side], p, i)
			}
			if got := (loss[1] - loss[0]) / (2 * h); math.Abs(got-slope[j]) > 1e-8 {
				t.Fatalf("sample %d: slope %d is %v, by differences %v", i, j, slope[j], got)
			}
			for k := range x {
				if got := (slopes[1][k] - slopes[0][k]) / (2 * h); math.Abs(got-bend[j][k]) > 1e-8 {
					t.Fatalf("sample %d: curvature %d %d is %v, by differences %v", i, j, k,
						bend[j][k], got)
				}
			}
		}
	}
}
