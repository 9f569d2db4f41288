package dro

import (
	"math"
	"slices"
	"testing"

	"drolab/dro/testsize"
)

func testSFKAutoTrainer(t *testing.T, p *Problem, z Z) *sfkAutoTrainer {
	t.Helper()
	return newTrainer(t, SFKAuto, p, startAt(z)).(*sfkAutoTrainer)
}

// The part of the box that the losses leave contains their optimum, and the whole way to its
// corners is of the size of the losses.
func TestSeenBoxHoldsTheOptimum(t *testing.T) {
	rng := testRand(41)
	for _, rho := range []float64{.01, .3, 2} {
		for _, p := range testProblems(rho) {
			p.Box.Lambda[0] = 1e-9
			if p.Coordinates == Unshifted && p.Set.HasRadius() {
				p.Box.Lambda[1] = 10 / rho
			}
			for range 40 {
				losses := exponential(rng, 2+rng.IntN(60))
				for i := range losses {
					losses[i] = math.Min(losses[i], 10)
				}
				w, err := WorstCase(p.Set, nil, losses, rho)
				if err != nil {
					t.Fatal(err)
				}
				box := p.optimumBox(losses)
				if w.Z.Lambda = max(w.Z.Lambda, box.Lambda[0]); !box.Contains(p.Shift(w.Z)) {
					t.Errorf("%v: optimum %v outside %v", p, p.Shift(w.Z), box)
				}
				if most := slices.Max(losses) / rho; p.Set.HasRadius() && box.Lambda[1] > most {
					t.Errorf("%v: λ up to %v, want at most %v", p, box.Lambda[1], most)
				}
			}
		}
	}
}

// On losses of one distribution, rule 2 comes to the optimum of the losses that it still holds,
// whatever the box. The exact worst case computes that optimum independently; at ρ = .01 the box is
// 1000 wide.
func TestAutomaticStepsReachTheOptimumOfTheRecent(t *testing.T) {
	for _, rho := range testsize.Few(1, .5, .01) {
		for i, p := range testProblems(rho) {
			if testing.Short() && i%3 > 0 {
				continue
			}
			if cr, ok := p.Set.(CressieRead); ok && cr.K != 1.5 && cr.K != 2 {
				continue
			}
			rng, f := testRand(42), testSFKAutoTrainer(t, p, p.Box.Project(Z{1, 1}))
			var all []float64
			for i := range 40 {
				all = append(all, exponential(rng, 30)...)
				f.After(Batch{Losses: all[30*i:]}, Step{T: int64(i + 1)})
			}
			kept := all[len(all)-recentBatches*30:]
			for range 8 { // the same losses again
				for i := range recentBatches {
					f.After(Batch{Losses: kept[30*i : 30*i+30]}, Step{T: 99})
				}
			}
			w, err := WorstCase(p.Set, nil, kept, rho)
			if err != nil {
				t.Fatal(err)
			}
			over := p.Evaluate(nil, kept, f.Z()).Value - w.Risk
			bound := TruncationBound(p.Box.Lambda[0], rho) // of λ0, where λ* is below it
			if w.Z.Lambda >= p.Box.Lambda[0] || !p.Set.HasRadius() {
				bound = 0
			}
			if !(over <= bound+1e-2*w.Risk) {
				t.Errorf("%v: F − R = %v, want at most %v", p, over, bound+1e-2*w.Risk)
			}
			if p.Set.HasRadius() && !(f.gap >= over-bound-1e-9) {
				t.Errorf("%v: gap %v below F − R = %v", p, f.gap, over)
			}
		}
	}
}

// Before moves z so that an outlier of the x-batch gets no more weight than the radius tolerates.
// On a batch of ordinary weights, z stays.
func TestAutomaticStepsBearOutliers(t *testing.T) {
	for _, p := range testProblems(.2) {
		f := testSFKAutoTrainer(t, p, p.Box.Project(Z{.1, .1}))
		losses := exponential(testRand(43), 64)
		losses[7] = 9
		before := p.Evaluate(nil, losses, f.Z())
		f.Before(Batch{Losses: losses})
		after := p.Evaluate(nil, losses, f.Z())
		if after.MeanRatio > maxWeightFactor ||
			p.Set.HasRadius() && after.Divergence > maxWeightFactor*p.Rho {
			t.Errorf("%v: from %+v to %+v", p, before, after)
		}
		if z := f.Z(); !p.Box.Contains(z) {
			t.Errorf("%v: z %v has left the box", p, z)
		}
	}
	p := testProblems(.2)[0]
	calm := testSFKAutoTrainer(t, p, Z{5, 1})
	if calm.Before(Batch{Losses: exponential(testRand(44), 64)}); calm.Z() != (Z{5, 1}) {
		t.Errorf("z moved to %v on a batch of ordinary weights", calm.Z())
	}
}

// Losses and gradients of any size leave z finite and in its box.
func TestAutomaticStepsStayFinite(t *testing.T) {
	rng := testRand(45)
	for i, p := range testProblems(.01) {
		if testing.Short() && i%3 > 0 {
			continue
		}
		f := testSFKAutoTrainer(t, p, p.Box.Project(Z{1, 0}))
		w := make([]float64, 16)
		for i := range 40 {
			losses := exponential(rng, 16)
			losses[rng.IntN(16)] = math.Exp(20 * rng.NormFloat64())
			step(f, w, Batch{Losses: losses}, Step{T: int64(i + 1)})
			if z := f.Z(); !p.Box.Contains(z) {
				t.Fatalf("%v: step %d: z %v", p, i+1, z)
			}
		}
	}
}

// A whole step to a corner ends in the box, although z + (corner − z) rounds beyond the corner now
// and then. Rule 2 also stays in the part of the box that the losses leave.
func TestAutomaticStepsEndInTheBox(t *testing.T) {
	for _, first := range []bool{true, false} {
		rng, beyond := testRand(48), 0
		for range 2000 {
			p := &Problem{Set: CressieRead{2}, Rho: .3, Coordinates: Unshifted}
			p.Box.Lambda = [2]float64{.1 * rng.Float64(), 10}
			p.Box.Eta = [2]float64{-rng.Float64(), 10}
			losses := exponential(rng, 2)
			box := p.Box
			if !first {
				box = p.optimumBox(losses)
			}
			z := Z{box.Lambda[0] + rng.Float64()*(box.Lambda[1]-box.Lambda[0]),
				box.Eta[0] + rng.Float64()*(box.Eta[1]-box.Eta[0])}
			for _, corner := range []Z{{box.Lambda[0], box.Eta[0]}, {box.Lambda[1], box.Eta[1]}} {
				if !box.Contains(z.along(1, corner.sub(z))) {
					beyond++
				}
			}
			f := testSFKAutoTrainer(t, p, z)
			if f.cRule = 2; first {
				f.cRule = 1
				f.batchwise(losses)
			} else {
				f.descend(losses)
			}
			if !box.Contains(f.Z()) {
				t.Fatalf("rule 1 %v: from %v to %v, which has left %v", first, z, f.Z(), box)
			}
		}
		if beyond < 100 {
			t.Errorf("only %d corners are missed by a rounding", beyond)
		}
	}
}

// Rule 2 steps from the nearest point of the part of the box that the losses leave.
func TestAutomaticStepsStartWhereTheOptimumCanBe(t *testing.T) {
	for _, p := range testProblems(.3) {
		losses := exponential(testRand(49), 16)
		from := Z{p.Box.Lambda[1], p.Box.Eta[1]}
		near := p.optimumBox(losses).Project(from)
		far, close := testSFKAutoTrainer(t, p, from), testSFKAutoTrainer(t, p, near)
		far.descend(losses)
		close.descend(losses)
		if from == near {
			t.Errorf("%v: %v is where the optimum can be, so the test shows nothing", p, from)
		}
		if far.Z() != close.Z() {
			t.Errorf("%v: from %v to %v, want %v as from %v", p, from, far.Z(), close.Z(), near)
		}
		if far.gap != close.gap {
			t.Errorf("%v: gap %v from %v, want %v as from %v", p, far.gap, from, close.gap, near)
		}
	}
}

// The list of recent losses is a ring that holds the last batches, in a resumed run as in one
// without a break.
func TestRecentIsResumed(t *testing.T) {
	p, rng := testProblems(.5)[0], testRand(46)
	whole := testSFKAutoTrainer(t, p, Z{1, 1})
	for i := range 3 * recentBatches {
		b := Batch{Losses: exponential(rng, 8)}
		resumed := testSFKAutoTrainer(t, p, Z{1, 1})
		if err := resumed.Restore(whole.State()); err != nil {
			t.Fatal(err)
		}
		whole.After(b, Step{T: int64(i + 1)})
		resumed.After(b, Step{T: int64(i + 1)})
		if whole.Z() != resumed.Z() {
			t.Fatalf("step %d: z %v, resumed %v", i+1, whole.Z(), resumed.Z())
		}
		if !slices.Equal(whole.recent.losses, resumed.recent.losses) {
			t.Fatalf("step %d: recent losses %v, resumed %v", i+1, whole.recent.losses,
				resumed.recent.losses)
		}
	}
	if n := len(whole.recent.losses); n != recentBatches*8 {
		t.Errorf("%d losses kept, want %d", n, recentBatches*8)
	}
}
