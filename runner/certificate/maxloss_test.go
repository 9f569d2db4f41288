package certificate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"drolab/dro"
	"drolab/dro/testsize"
)

// boundedLaw is a law of losses of which the largest possible one is known.
type boundedLaw struct {
	law
	most float64
}

// boundedLaws returns the laws of the table in docs/results.md on --max-loss, for n samples.
func boundedLaws(n int) []boundedLaw {
	five := func(p float64, name string) boundedLaw {
		small := mix(.1/.95, point(.5), mix(.25/.85, point(.1), point(0)))
		rest := mix(.05/(1-p), point(1.5), small)
		return boundedLaw{mix(p, point(5), rest).as("five values, " + name), 5}
	}
	twice := five(2/float64(n), "2 in n, twice")
	twice.most = 10
	return []boundedLaw{
		five(2/float64(n), "2 in n"), five(6/float64(n), "6 in n"), twice, five(.02, "2 %"),
		{bernoulli(.05), 1},
		byQuantile("uniform", 1, func(u float64) float64 { return u }),
		byQuantile("exponential, cut at 6", 6, func(u float64) float64 { return -math.Log1p(-u) }),
		byQuantile("logistic, cut at 8", 8, func(u float64) float64 {
			return math.Log1p(math.Exp(-3 - 2*math.Sqrt2*math.Erfinv(2*u-1)))
		}),
		byQuantile("2 % from 8 to 9", 9, func(u float64) float64 {
			if u > .98 {
				return 8 + (u-.98)/.02
			}
			return -.3 * math.Log1p(-u/.98)
		}),
	}
}

// byQuantile is the law with these quantiles, of which those above most are most. Its expectations
// are sums.
func byQuantile(name string, most float64, quantile func(float64) float64) boundedLaw {
	const steps = 20_000
	values := make([]float64, steps)
	for i := range values {
		values[i] = min(most, quantile((float64(i)+.5)/steps))
	}
	sum := func(of func(loss float64) float64) (total float64) {
		for _, v := range values {
			total += of(v) / steps
		}
		return total
	}
	return boundedLaw{law{name,
		func(r *rand.Rand) float64 { return min(most, quantile(r.Float64())) },
		func(eta float64) float64 {
			return sum(func(l float64) float64 { return max(l-eta, 0) })
		},
		func(eta float64) float64 {
			return sum(func(l float64) float64 { return max(l-eta, 0) * max(l-eta, 0) })
		},
		func(t float64) float64 { return sum(func(l float64) float64 { return math.Exp(t * l) }) },
	}, most}
}

// placesOfMost are the columns of that table.
func placesOfMost(most float64) []Grid {
	how := dro.Confidence{Most: most}
	return []Grid{{Sets: []dro.Set{chi2}, Radii: []float64{.05, .5, 1}, How: how},
		{Sets: []dro.Set{dro.KL{}}, Radii: []float64{.1, .5}, How: how},
		{Sets: []dro.Set{cvar}, Radii: []float64{.5}, How: how}}
}

// notGuaranteed is the ground of doubt that only --max-loss has.
const notGuaranteed = "coverage not guaranteed"

// boundsOfMost tallies the bounds of a law at each place, and the bounds without that ground.
func (p *pipeline) boundsOfMost(l *boundedLaw, n, samples int) (with, without []tally) {
	var truth []float64
	grids := placesOfMost(l.most)
	for _, g := range grids {
		for _, rho := range g.radii(g.Sets[0]) {
			truth = append(truth, l.risk(g.Sets[0], rho))
		}
	}
	with, without = make([]tally, len(truth)), make([]tally, len(truth))
	rng := rand.New(rand.NewPCG(17, uint64(n)))
	for range samples {
		_, lists := p.certify(l.losses(rng, n), grids...)
		for i, e := range slices.Concat(lists...) {
			if !e.Upper.Applies() { // the losses are equal: there is no bound
				continue
			}
			upper := e.Upper.Float() * (1 + 1e-6) // the sums have six digits
			with[i].add(0, upper, truth[i], e.Doubt)
			other := e.Doubt
			if other == notGuaranteed {
				other = ""
			}
			without[i].add(0, upper, truth[i], other)
		}
	}
	return with, without
}

// TestCoverageOfMaxLoss logs the table of docs/results.md on --max-loss:
//
//	DROLAB_LONG=1 go test ./runner/certificate -run CoverageOfMaxLoss -v -timeout 3h
//
// Of the bounds without a !, no more miss than chance allows at the nominal 5 %, in each cell; and
// the ground of this table is needed. The short form has one law with few samples.
func TestCoverageOfMaxLoss(t *testing.T) {
	testsize.NotShort(t, "draws samples, for which TestProvedBounds has few")
	sizes, samples := []int{200, 500, 2000}, 300
	if !testsize.Long() {
		sizes, samples = []int{500}, 30
	}
	needed := 0
	for _, n := range sizes {
		laws := boundedLaws(n)
		if !testsize.Long() {
			laws = laws[:1]
		}
		for _, l := range laws {
			t.Run(fmt.Sprintf("%s, %d", l.name, n), func(t *testing.T) {
				with, without := newPipeline(t).boundsOfMost(&l, n, samples)
				text, before := "", ""
				for i := range with {
					text += " " + with[i].guarded() + " |"
					before += " " + without[i].guarded() + " |"
					if p := without[i].chance(); p < .001 {
						needed++
					}
					if p := with[i].chance(); p < .001 {
						t.Errorf("place %d: %s %% miss, have a !, miss among the others; p %.2g", i,
							with[i].guarded(), p)
					}
				}
				t.Logf("bounds | %s | %d |%s", l.name, n, text)
				t.Logf("before | %s | %d |%s", l.name, n, before)
			})
		}
	}
	if needed == 0 {
		t.Errorf("no cell misses too often without the ground %q", notGuaranteed)
	}
}

// chance returns the probability that at least as many of the unflagged miss as do, if 5 % miss.
func (c *tally) chance() (sum float64) {
	const nominal = .05
	n := float64(c.size - c.flagged)
	for k := float64(c.missed); k <= n; k++ {
		a, _ := math.Lgamma(n + 1)
		b, _ := math.Lgamma(k + 1)
		d, _ := math.Lgamma(n - k + 1)
		sum += math.Exp(a - b - d + k*math.Log(nominal) + (n-k)*math.Log1p(-nominal))
	}
	return sum
}
