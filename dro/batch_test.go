package dro

import (
	"math"
	"slices"
	"testing"

	"drolab/dro/testsize"
)

func testBatchTrainer(t *testing.T, p *Problem) *batchTrainer {
	t.Helper()
	return newTrainer(t, "batch", p, nil).(*batchTrainer)
}

// The weights are n times the derivatives of the batch's exact risk, taken by finite differences of
// the risk without the weights. The reported figures are those of a solver that has seen no other
// batch.
func TestBatchWeightsAreAGradient(t *testing.T) {
	rng := testRand(81)
	for _, p := range testProblems(.4) {
		trainer := testBatchTrainer(t, p)
		for _, n := range []int{40, 3, 17} {
			losses := exponential(rng, n)
			w := make([]float64, n)
			trainer.Weights(w, Batch{Losses: losses})
			want, err := WorstCase(p.Set, nil, losses, p.Rho)
			if err != nil {
				t.Fatal(err)
			}
			got := reported(trainer)
			for name, want := range map[string]float64{
				"batch_risk": want.Risk, "effective_batch": want.EffectiveSampleSize,
				"batch_eta": want.Z.Eta, "batch_lambda": want.Z.Lambda,
			} {
				if got[name] != want {
					t.Errorf("%v, n = %d: %s = %v, want %v", p, n, name, got[name], want)
				}
			}
			if _, has := got["batch_lambda"]; has != p.Set.HasRadius() {
				t.Errorf("%v: λ reported: %v", p, has)
			}
			for i, at := range losses {
				risk := func(l float64) float64 {
					losses[i] = l
					worst, err := WorstCase(p.Set, nil, losses, p.Rho)
					if err != nil {
						t.Fatal(err)
					}
					losses[i] = at
					return worst.Risk
				}
				h := math.Min(1e-4, at/2)
				slope := float64(n) * (risk(at+h) - risk(at-h)) / (2 * h)
				if math.Abs(slope-w[i]) > 1e-3*(1+w[i]) {
					t.Errorf("%v, n = %d: weight %d is %v, the finite difference %v", p, n, i,
						w[i], slope)
				}
			}
		}
	}
}

// largestLossSet is a set of another package that computes its worst case by itself: all mass on
// the largest loss.
type largestLossSet struct{ Set }

func (largestLossSet) WorstCase(ratios, losses []float64, _ float64) (Worst, error) {
	clear(ratios)
	at := slices.Index(losses, slices.Max(losses))
	ratios[at] = float64(len(losses))
	return Worst{Risk: losses[at], EffectiveSampleSize: 1}, nil
}

func TestBatchAsksASetThatKnowsItsWorstCase(t *testing.T) {
	p := testProblems(.4)[0]
	own := *p
	own.Set, own.Coordinates = largestLossSet{p.Set}, Unshifted
	w := make([]float64, 3)
	testBatchTrainer(t, &own).Weights(w, Batch{Losses: []float64{1, 5, 2}})
	if !slices.Equal(w, []float64{0, 3, 0}) {
		t.Errorf("weights %v, want those of the set's own WorstCase", w)
	}
}

// A batch with losses that are not finite breaks the run, not the program.
func TestBatchOnBrokenLosses(t *testing.T) {
	trainer := testBatchTrainer(t, testProblems(.4)[0])
	w := make([]float64, 2)
	for _, broken := range []float64{math.NaN(), math.Inf(1)} {
		trainer.Weights(w, Batch{Losses: []float64{1, broken}})
		if !math.IsNaN(w[0]) || !math.IsNaN(reported(trainer)["batch_risk"]) {
			t.Errorf("loss %v: weights %v and measures %v, want NaN as weight 0 and as batch_risk",
				broken, w, reported(trainer))
		}
	}
	if trainer.Weights(w, Batch{Losses: []float64{1, 1}}); !slices.Equal(w, []float64{1, 1}) {
		t.Errorf("weights %v after it", w)
	}
}

// The mean of R_ρ over every batch of n of a population lies below the population's R_ρ, does not
// fall with n, reaches it at n = N, and is within the bound of Lemma 3. R_ρ = min over z of a mean
// is concave in the distribution, so the mean over parts is at most the value of the whole.
func TestBatchRiskIsBiasedLowAndRisesWithN(t *testing.T) {
	const population = 10
	losses := exponential(testRand(82), population)
	for _, p := range testProblems(.5) {
		trainer := testBatchTrainer(t, p)
		var sum, count [population + 1]float64
		w := make([]float64, population)
		for chosen := 1; chosen < 1<<population; chosen++ {
			var part []float64
			for i, l := range losses {
				if chosen>>i&1 == 1 {
					part = append(part, l)
				}
			}
			trainer.Weights(w, Batch{Losses: part})
			n := len(part)
			sum[n] += reported(trainer)["batch_risk"]
			count[n]++
		}
		whole, err := WorstCase(p.Set, nil, losses, p.Rho)
		if err != nil {
			t.Fatal(err)
		}
		before := 0.0
		for n := 1; n <= population; n++ {
			mean := sum[n] / count[n]
			if mean < before*(1-1e-12) || n < population && !(mean < whole.Risk) {
				t.Errorf("%v: mean risk %v of batches of %d, %v of %d, %v of all", p, mean, n,
					before, n-1, whole.Risk)
			}
			if bound := BiasBound(p.Set, p.Rho, whole.MaxLoss, n); whole.Risk-mean > bound {
				t.Errorf("%v: batches of %d are %v low, the bound is %v", p, n,
					whole.Risk-mean, bound)
			}
			before = mean
		}
		if !within(before, whole.Risk, 1e-12) {
			t.Errorf("%v: %v with all samples, want %v", p, before, whole.Risk)
		}
	}
}

// With full batches, the method is gradient descent on R_ρ itself and reaches its minimum.
func TestBatchReachesTheOptimum(t *testing.T) {
	l := newRegressionProblem(testRand(83), 120, 2, square, func(m float64) float64 { return m })
	for _, set := range testsize.Few[Set](1, CressieRead{1.5}, KL{}, CressieRead{2},
		SmoothedCVaR{.2}) {
		p := Problem{Set: set, Rho: .3, Coordinates: Unshifted}
		p.Box = DefaultBox(set, p.Rho, Unshifted, .01, 10)
		x := make([]float64, 2)
		l.walk(testBatchTrainer(t, &p), x, 3000, .05, 0, l.all)
		ratios, values, slopes := make([]float64, 120), make([]float64, 120), make([]float64, 120)
		got := l.risk(t, set, p.Rho, x, ratios, values, slopes, l.all()).Risk
		if want := l.best(t, set, p.Rho, 2).Risk; math.Abs(got-want) > 1e-6*want {
			t.Errorf("%v: R = %v, the minimum is %v", &p, got, want)
		}
	}
}

// A batch so large that the starting point comes from a part of it does not allocate either.
func TestLargeBatchWithoutAllocations(t *testing.T) {
	const n = subsampleMin + 100
	b, w := Batch{Losses: exponential(testRand(89), n)}, make([]float64, n)
	for _, p := range testProblems(.4) {
		trainer := testBatchTrainer(t, p)
		if n := testing.AllocsPerRun(2, func() { trainer.Weights(w, b) }); n != 0 {
			t.Errorf("%v: %v allocations", p, n)
		}
	}
}
