package dro

import (
	"math"
	"testing"
)

// The step on z of PGD, PAN and dsgdc has a size of its own, lr_z, which falls when lr falls.
func TestStepRatio(t *testing.T) {
	losses := exponential(testRand(47), 64)
	for _, p := range testProblems(.5) {
		for _, a := range []Algorithm{PGD, PAN, "dsgdc"} {
			if m, _ := Find(a); m.Applies(p.Set) != nil {
				continue
			}
			z := p.Box.Project(Z{1, .3})
			own := with(with(startAt(z), "lr", Fixed(.01)), "lr_z", Fixed(.05))
			slow, fast := newTrainer(t, a, p, startAt(z)), newTrainer(t, a, p, own)
			// The rate is .001 of lr .01, dropped by .1, times 5.
			slow.After(Batch{Losses: losses}, Step{Rate: .005})
			fast.After(Batch{Losses: losses}, Step{Rate: .001})
			s, f := slow.(Dual).Z(), fast.(Dual).Z()
			if math.Abs(s.Eta-f.Eta) > 1e-12 || math.Abs(s.Lambda-f.Lambda) > 1e-12 {
				t.Errorf("%v, %s: z = %v with lr_z, want %v as with that lr", p, a, f, s)
			}
			if f == z {
				t.Errorf("%v, %s: z = %v, want a step away from there", p, a, f)
			}
		}
	}
}
