package dro

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"drolab/dro/testsize"
)

// fiveValues draws losses with five values. The largest of them is 5, and n losses have it rare
// times on average.
func fiveValues(rng *rand.Rand, n int, rare float64) []float64 {
	list := make([]float64, n)
	for i := range list {
		switch u := rng.Float64(); {
		case u < rare/float64(n):
			list[i] = 5
		case u > .95:
			list[i] = 1.5
		case u > .85:
			list[i] = .5
		case u > .6:
			list[i] = .1
		}
	}
	return list
}

// riskOfFiveValues returns R_ρ of the law of fiveValues: that of a list with each value as often as
// it is expected.
func riskOfFiveValues(t *testing.T, set Set, rho float64, n int, rare float64) float64 {
	t.Helper()
	const all = 20_000
	many := math.Round(all * rare / float64(n))
	list := slices.Concat(slices.Repeat([]float64{5}, int(many)),
		slices.Repeat([]float64{1.5}, all/20), slices.Repeat([]float64{.5}, all/10),
		slices.Repeat([]float64{.1}, all/4))
	w, err := WorstCase(set, nil, append(list, make([]float64, all-len(list))...), rho)
	if err != nil {
		t.Fatal(err)
	}
	return w.Risk
}

// atLeast returns the probability of k or more of n events, each with the probability p.
func atLeast(k, n int, p float64) (sum float64) {
	for i := k; i <= n; i++ {
		a, _ := math.Lgamma(float64(n + 1))
		b, _ := math.Lgamma(float64(i + 1))
		c, _ := math.Lgamma(float64(n - i + 1))
		sum += math.Exp(a - b - c + float64(i)*math.Log(p) + float64(n-i)*math.Log1p(-p))
	}
	return sum
}

// TestCoverageOfMost: with the largest possible loss for Most, the bounds without a doubt miss no
// more often than their level says, although the samples without that loss have no other doubt.
// The doubt is no way out: most bounds have none where the large losses are not rare.
func TestCoverageOfMost(t *testing.T) {
	testsize.NotShort(t, "draws hundreds of samples, as TestBoundsOfFewLosses does in small")
	const n, samples, level = 500, 200, .95
	found := 0 // cells in which too many miss without the ground
	for _, rare := range testsize.Few(2, 2., 40, 6) {
		for _, c := range []struct {
			set Set
			rho float64
		}{{KL{}, .5}, {CressieRead{K: 2}, .5}, {CVaR{Mu: .2}, 1}} {
			t.Run(fmt.Sprintf("%g, %s", rare, c.set.Label()), func(t *testing.T) {
				truth := riskOfFiveValues(t, c.set, c.rho, n, rare)
				rng := rand.New(rand.NewPCG(13, uint64(rare)))
				var other, without, missedOther, missed int
				for range samples {
					list, err := Confidence{Most: 5, Level: level}.Estimates(c.set,
						fiveValues(rng, n, rare), []float64{c.rho})
					if err != nil {
						t.Fatal(err)
					}
					e := list[0]
					misses := e.Upper < truth*(1-1e-9)
					doubt := e.Tail.Doubt()
					if doubt == "" || doubt == "coverage not guaranteed" {
						other++
						missedOther += count(misses)
					}
					if doubt == "" {
						without++
						missed += count(misses)
					}
				}
				if atLeast(missedOther, other, 1-level) < .001 {
					found++
				}
				if p := atLeast(missed, without, 1-level); p < .01 {
					t.Errorf("%d of %d bounds without a doubt miss (p = %.2g); without the ground "+
						"of skewness %d of %d", missed, without, p, missedOther, other)
				}
				if rare == 40 && without < samples*9/10 {
					t.Errorf("%d of %d bounds have no doubt, want nine tenths", without, samples)
				}
			})
		}
	}
	if found == 0 {
		t.Error("without the ground of skewness no cell misses too often: it is not tested")
	}
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// TestSkewnessOfTheBound: for losses of 0 and 1 the distribution of the bound has two values, and
// the skewness of their mean is (1 − 2p)/√(n p (1 − p)), with p the bound of the mean or, without a
// loss of 1, the share that n losses of 0 do not exclude, whichever gives more.
func TestSkewnessOfTheBound(t *testing.T) {
	const n, z = 50, 1.6448536269514722
	skewness := func(p float64) float64 { return (1 - 2*p) / math.Sqrt(n*p*(1-p)) }
	for _, k := range []int{0, 1, 5, 25} {
		f := make([]float64, n)
		for i := range k {
			f[i] = 1
		}
		best := greatestMean(f, 1, z)
		want := skewness(best.mean)
		if k == 0 { // the share of exp(−z²/2n) is smaller than that of the level
			want = max(want, skewness(-math.Log(.05)/n))
		}
		if got := best.skewness(.95); math.Abs(got-want) > 1e-6 {
			t.Errorf("%d of %d: skewness %.8f, want %.8f", k, n, got, want)
		}
	}
	// Losses far below Most: without them in the samples, they count nevertheless.
	f := make([]float64, n)
	for i := range f {
		f[i] = float64(i%2) / 100
	}
	best := greatestMean(f, 1, z)
	if got := best.skewness(.95); got < .5 {
		t.Errorf("half of the losses are .01 and none is 1: skewness %.3f, want .5 or more", got)
	}
}
