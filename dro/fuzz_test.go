package dro

import (
	"fmt"
	"math"
	"testing"
)

func FuzzWorstCase(f *testing.F) {
	f.Add(uint64(1), uint8(3), 1.5, .5, 1.0)
	f.Add(uint64(2), uint8(40), 1.0001, 1e-9, 1e100)
	f.Add(uint64(3), uint8(2), 2.0, 3.0, 1e-200)
	f.Fuzz(func(t *testing.T, seed uint64, n uint8, k, rho, scale float64) {
		if n == 0 || !(scale > 1e-280 && scale < 1e280) || !(rho > 1e-14 && rho < 1e6) {
			t.Skip()
		}
		rng := testRand(seed)
		losses := make([]float64, n)
		for i := range losses { // with ties, zeros and a wide range
			losses[i] = scale * math.Floor(8*rng.Float64()) * math.Pow(10, float64(rng.IntN(4)))
		}
		sets := []Set{KL{}, SmoothedCVaR{.05 + .9*rng.Float64()}, CVaR{.05 + .9*rng.Float64()}}
		if k > 1.00001 && k <= 2 {
			sets = append(sets, CressieRead{k})
		}
		ratios := make([]float64, n)
		for _, set := range sets {
			w, err := WorstCase(set, ratios, losses, rho)
			if err != nil {
				t.Fatal(err)
			}
			label := fmt.Sprint(set.Name(), set, rho, losses)
			if !(w.Risk >= w.MeanLoss*(1-1e-14) && w.Risk <= w.MaxLoss) {
				t.Errorf("%s: risk %v outside [%v, %v]", label, w.Risk, w.MeanLoss, w.MaxLoss)
			}
			if set.HasRadius() && w.Divergence > rho*(1+1e-8) {
				t.Errorf("%s: divergence %v", label, w.Divergence)
			}
			if w.Z.Lambda > 0 {
				p := Problem{Set: set, Rho: rho, Coordinates: Unshifted}
				if value := p.Evaluate(nil, losses, w.Z).Value; !within(value, w.Risk, 1e-9) {
					t.Errorf("%s: dual %v, primal %v", label, value, w.Risk)
				}
			}
		}
	})
}

// z never leaves the box, whatever the batches.
func FuzzStep(f *testing.F) {
	f.Add(uint64(1), .01)
	f.Add(uint64(2), 1e6)
	f.Fuzz(func(t *testing.T, seed uint64, alpha float64) {
		if !(alpha >= 0 && alpha < 1e100) {
			t.Skip()
		}
		rng := testRand(seed)
		for i, p := range testProblems(.01 + 3*rng.Float64()) {
			for _, a := range []Algorithm{SFK, PGD} {
				c := Fixed(1 + 100*rng.Float64())
				if i%2 == 0 {
					c = Auto{}
				}
				d := newTrainer(t, a, p, map[string]Auto{"c": c})
				for n := range 20 {
					losses := exponential(rng, 1+rng.IntN(8))
					d.After(Batch{Losses: losses}, Step{T: int64(n + 1), Rate: alpha})
					z, slack := d.(Dual).Z(), 1e-12*p.Box.Diameter()
					if q := p.Box.Project(z).sub(z); !(q.dot(q) <= slack*slack) {
						t.Fatalf("%v, %s: z %v left the box %v", p, a, z, p.Box)
					}
					m := reported(d)
					if a == SFK && !(m["gap"] >= -slack && m["gamma"] >= 0 && m["gamma"] <= 1) {
						t.Fatalf("%v: step %v", p, m)
					}
				}
			}
		}
	})
}
