package dro

import (
	"fmt"
	"math"
	"testing"
)

// With momentum_z, the step of SFK goes by d ← βd + (1−β)g, from 0 on: over three steps, by the sum
// written out. A resumed trainer goes on with the same d.
func TestMomentumOfFrankWolfe(t *testing.T) {
	const beta = .75
	for _, p := range testProblems(.5) {
		rng, z := testRand(27), p.Box.Project(Z{1, .3})
		settings := with(startAt(z), "momentum_z", Fixed(beta))
		d := newTrainer(t, SFK, p, settings).(*sfkTrainer)
		var grads []Z
		for i := range 3 {
			losses := exponential(rng, 64)
			grads = append(grads, p.Evaluate(nil, losses, d.Z()).Grad)
			mean := Z{}
			for k, g := range grads {
				mean = mean.along((1-beta)*math.Pow(beta, float64(i-k)), g)
			}
			before := d.Z()
			dir := p.Box.Corner(mean).sub(before)
			resumed := newTrainer(t, SFK, p, settings).(*sfkTrainer)
			if err := resumed.Restore(d.State()); err != nil {
				t.Fatal(err)
			}
			d.After(Batch{Losses: losses}, Step{T: int64(i + 1)})
			resumed.After(Batch{Losses: losses}, Step{T: int64(i + 1)})
			gap := -dir.dot(mean)
			want := p.Box.Project(before.along(math.Min(gap/1000, 1), dir))
			if !within(d.gap, gap, 1e-12) {
				t.Errorf("%v: step %d: gap %v, want %v", p, i+1, d.gap, gap)
			}
			got := d.Z()
			if !within(got.Lambda, want.Lambda, 1e-12) || !within(got.Eta, want.Eta, 1e-12) {
				t.Errorf("%v: step %d: z = %v, want %v", p, i+1, got, want)
			}
			if resumed.Z() != got {
				t.Errorf("%v: step %d: z = %v after a resume, want %v", p, i+1, resumed.Z(), got)
			}
		}
	}
}

func TestPaperIterate(t *testing.T) {
	var p PaperIterate
	for i, c := range []struct {
		grad, gap float64
		want      bool
	}{
		{math.NaN(), 1, false}, {3, 4, true}, {5, 0, false}, {4, 2, true}, {0, math.NaN(), false},
		{0, 4.4, true},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			p.Observe(Step{T: int64(i + 1), GradNorm: c.grad}, c.gap, Z{})
			if got := p.Step == i+1; got != c.want {
				t.Errorf("step %d: %v, want %v", i+1, got, c.want)
			}
		})
	}
	if want := (PaperIterate{Step: 6, GradNorm: 0, Gap: 4.4}); p != want {
		t.Errorf("%+v, want %+v", p, want)
	}
}

// SFK keeps z_{t'}, the z before the step.
func TestPicked(t *testing.T) {
	p := testProblems(.5)[0]
	d := newTrainer(t, SFK, p, nil)
	rng := testRand(26)
	var best PaperIterate
	for i := range 20 {
		z, b := d.(Dual).Z(), Batch{Losses: exponential(rng, 32)}
		s := Step{T: int64(i + 1), GradNorm: rng.Float64()}
		d.After(b, s)
		best.Observe(s, reported(d)["gap"], z)
		if got := d.(Picker).Picked(); got != best {
			t.Fatalf("step %d: %+v, want %+v", i+1, got, best)
		}
	}
}

// The gap bounds F(z) − min over the box, for any z of the box.
func TestGapBoundsSuboptimality(t *testing.T) {
	losses := exponential(testRand(22), 64)
	rng := testRand(23)
	for _, p := range testProblems(.5) {
		w, err := WorstCase(p.Set, nil, losses, p.Rho)
		if err != nil {
			t.Fatal(err)
		}
		for range 100 {
			z := Z{p.Box.Lambda[0] + rng.Float64(),
				p.Box.Eta[0] + rng.Float64()*(p.Box.Eta[1]-p.Box.Eta[0])}
			z = p.Box.Project(z)
			d := newTrainer(t, SFK, p, startAt(z)).(*sfkTrainer)
			f := p.Evaluate(nil, losses, z).Value
			d.After(Batch{Losses: losses}, Step{T: 1})
			// min over the box ≤ R_ρ + λ0 ρ (math.md §4)
			if d.gap < f-w.Risk-TruncationBound(.1, p.Rho)-1e-9*f {
				t.Errorf("%v at %v: gap %v below F − R = %v", p, z, d.gap, f-w.Risk)
			}
		}
	}
}
