package dro

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

var long = flag.Bool("long", false, "the coverage of intervals in full, as docs/results.md has "+
	"it; more sets, radii and sizes where others of their kind are tested")

// cases returns the cases of a test: the short ones and, with -long, the others.
func cases[T any](short []T, others ...T) []T {
	if *long {
		return append(short, others...)
	}
	return short
}

// population is a distribution of losses whose R_ρ is known.
type population struct {
	name string
	draw func(*rand.Rand) float64
	// mean and square are E (ℓ − η)₊ and E (ℓ − η)₊² as functions of η; power is E e^{tℓ} as a
	// function of t, nil where that is infinite for each t > 0.
	mean, square, power func(float64) float64
}

// populations returns distributions with light and with heavy tails, losses that are 0 or 1, and
// losses that are mostly 0.
func populations() []population {
	return []population{
		{"exponential", (*rand.Rand).ExpFloat64, expAbove, expAbove2,
			func(t float64) float64 { return expPower(t) }},
		logNormal(), pareto(3), pareto(2.5),
		{"Bernoulli .05", func(r *rand.Rand) float64 {
			if r.Float64() < .05 {
				return 1
			}
			return 0
		},
			func(eta float64) float64 { return .05*math.Max(1-eta, 0) + .95*math.Max(-eta, 0) },
			func(eta float64) float64 {
				one, zero := math.Max(1-eta, 0), math.Max(-eta, 0)
				return .05*one*one + .95*zero*zero
			},
			func(t float64) float64 { return .95 + .05*math.Exp(t) }},
		{"10 % exponential, else 0", func(r *rand.Rand) float64 {
			if r.Float64() < .1 {
				return r.ExpFloat64()
			}
			return 0
		},
			func(eta float64) float64 { return .1*expAbove(eta) + .9*math.Max(-eta, 0) },
			func(eta float64) float64 {
				zero := math.Max(-eta, 0)
				return .1*expAbove2(eta) + .9*zero*zero
			},
			func(t float64) float64 { return .9 + .1*expPower(t) }},
	}
}

func expAbove(eta float64) float64 {
	if eta >= 0 {
		return math.Exp(-eta)
	}
	return 1 - eta
}

func expAbove2(eta float64) float64 {
	if eta >= 0 {
		return 2 * math.Exp(-eta)
	}
	return 1 + (1-eta)*(1-eta)
}

func expPower(t float64) float64 {
	if t >= 1 {
		return math.Inf(1)
	}
	return 1 / (1 - t)
}

func logNormal() population {
	part := func(k, eta float64) float64 { // E ℓ^k over ℓ > η
		if eta <= 0 {
			return math.Exp(k * k / 2)
		}
		return math.Exp(k*k/2) * .5 * math.Erfc((math.Log(eta)-k)/math.Sqrt2)
	}
	return population{"log-normal, σ = 1",
		func(r *rand.Rand) float64 { return math.Exp(r.NormFloat64()) },
		func(eta float64) float64 { return part(1, eta) - eta*part(0, eta) },
		func(eta float64) float64 {
			return part(2, eta) - 2*eta*part(1, eta) + eta*eta*part(0, eta)
		}, nil}
}

func pareto(a float64) population {
	draw := func(r *rand.Rand) float64 { return math.Exp(r.ExpFloat64() / a) }
	return population{fmt.Sprintf("Pareto %g", a), draw,
		func(eta float64) float64 {
			if eta >= 1 {
				return math.Pow(eta, 1-a) / (a - 1)
			}
			return a/(a-1) - eta
		},
		func(eta float64) float64 {
			if eta >= 1 {
				return 2 * math.Pow(eta, 2-a) / ((a - 1) * (a - 2))
			}
			return a/(a-2) - 2*eta*a/(a-1) + eta*eta
		}, nil}
}

func (p population) losses(rng *rand.Rand, n int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = p.draw(rng)
	}
	return list
}

// risk returns R_ρ of the population (math.md §2 and §3), which it minimises by sections.
func (p population) risk(set Set, rho float64) float64 {
	switch s := set.(type) {
	case CressieRead: // of k = 2
		return leastOf(-50, 100,
			func(eta float64) float64 { return math.Sqrt((1+2*rho)*p.square(eta)) + eta })
	case CVaR:
		return leastOf(-50, 100, func(eta float64) float64 { return p.mean(eta)/s.Mu + eta })
	}
	if p.power == nil {
		return math.Inf(1)
	}
	return leastOf(-4, 6, func(log float64) float64 {
		lambda := math.Exp(log)
		if power := p.power(1 / lambda); !math.IsInf(power, 1) {
			return lambda * (math.Log(power) + rho)
		}
		return 1e9 / lambda
	})
}

func leastOf(lo, hi float64, f func(float64) float64) float64 {
	for range 300 {
		a, b := lo+(hi-lo)/3, hi-(hi-lo)/3
		if f(a) < f(b) {
			hi = b
		} else {
			lo = a
		}
	}
	return f((lo + hi) / 2)
}

// cell is a row of the simulation's table; its figures are shares of the samples in per cent.
type cell struct {
	set  Set
	pop  population
	n    int
	size int // number of samples drawn, each of n losses
	how  Confidence

	upper             float64    // the truth is above the bound
	bootstrap, normal [2]float64 // the truth is below the interval; above it
	doubted, caught   float64    // of all samples; of the samples whose bound misses
}

func (c *cell) run(t *testing.T) {
	const rho = .5
	truth, rng := c.pop.risk(c.set, rho), rand.New(rand.NewPCG(7, uint64(c.n)))
	share := 100 / float64(c.size)
	for k := range c.size {
		c.how.Seed = uint64(k)
		list, err := c.how.Estimates(c.set, c.pop.losses(rng, c.n), []float64{rho})
		if err != nil {
			t.Fatal(err)
		}
		e := &list[0]
		doubt := e.Tail.Doubt() != ""
		if doubt {
			c.doubted += share
		}
		if !(e.Upper >= truth) {
			c.upper += share
			if doubt {
				c.caught += share
			}
		}
		misses(&c.bootstrap, e.Bootstrap, truth, share)
		misses(&c.normal, e.Normal, truth, share)
	}
	if c.upper > 0 {
		c.caught *= 100 / c.upper
	}
}

// misses counts on which side of an interval the truth lies. A missing interval (NaN) counts as one
// that the truth is above.
func misses(of *[2]float64, i Interval, truth, share float64) {
	switch {
	case truth < i[0]:
		of[0] += share
	case !(truth <= i[1]):
		of[1] += share
	}
}

func (c *cell) row() string {
	return fmt.Sprintf("| %s | %s | %d | %.1f | %.1f / %.1f | %.1f / %.1f | %.0f |",
		c.set.Label(), c.pop.name, c.n, c.upper,
		c.bootstrap[0], c.bootstrap[1], c.normal[0], c.normal[1], c.doubted)
}

// bad reports whether the bound misses more than twice as often as it says.
func (c *cell) bad() bool { return c.upper > 10 }

func coverage(t *testing.T, sizes ...cell) (cells []*cell) {
	for _, set := range []Set{CressieRead{K: 2}, KL{}, CVaR{Mu: .2}} {
		for _, p := range populations() {
			for _, of := range sizes {
				c := of
				c.set, c.pop = set, p
				cells = append(cells, &c)
			}
		}
	}
	t.Run("cells", func(t *testing.T) {
		for _, c := range cells {
			t.Run(fmt.Sprintf("%s %s %d", c.set.Label(), c.pop.name, c.n), func(t *testing.T) {
				t.Parallel()
				c.run(t)
			})
		}
	})
	return cells
}

// TestCoverage logs the tables of docs/results.md:
//
//	go test ./dro -run Coverage -long -v -timeout 3h
func TestCoverage(t *testing.T) {
	sizes := []cell{{n: 1000, size: 40}}
	if *long {
		sizes = []cell{{n: 100, size: 1000, how: Confidence{Draws: 199}},
			{n: 1000, size: 400, how: Confidence{Draws: 199}},
			{n: 10_000, size: 200, how: Confidence{Draws: 99}},
		}
	}
	var rows []string
	var alarms, caught, good, bad float64
	for _, c := range coverage(t, sizes...) {
		rows = append(rows, c.row())
		if c.bad() {
			bad, caught = bad+1, caught+c.doubted
		} else {
			good, alarms = good+1, alarms+c.doubted
		}
		light := strings.HasPrefix(c.pop.name, "exp") || strings.HasPrefix(c.pop.name, "Ber")
		if _, kl := c.set.(KL); light && !kl && c.n >= 1000 &&
			(c.bad() && c.size > 100 || c.doubted > 30) {
			t.Errorf("%s: the bound misses %.1f %%, and %.0f %% are doubted", t.Name(), c.upper,
				c.doubted)
		}
		if c.upper > 25 && c.doubted < 80 {
			t.Errorf("%s\nmisses so often, and %.0f %% are doubted", c.row(), c.doubted)
		}
		if c.normal[0] > 7 || c.bootstrap[0] > 7 {
			t.Errorf("%s\nthe truth is below too often", c.row())
		}
	}
	t.Logf("set, losses, n; %% of truths above the bound; "+
		"below / above the bootstrap's and the normal interval; doubted\n%s\n"+
		"%.1f %% doubted of %.0f cells whose bound misses at most twice its 5 %%, "+
		"%.1f %% of %.0f others",
		strings.Join(rows, "\n"), alarms/good, good, caught/bad, bad)
}

// The second network has .8 of the losses of the first, half of them drawn anew, so the difference
// is .2 R_ρ. The interval to be read (Difference.Better) misses no more often than the worse of the
// other two, but for 2 points by chance, and is the normal one on heavy tails.
func TestCoverageOfDifferences(t *testing.T) {
	sizes := []cell{{n: 100, size: 100, how: Confidence{Draws: 39}}}
	if *long {
		sizes = []cell{{n: 100, size: 400, how: Confidence{Draws: 199}},
			{n: 1000, size: 200, how: Confidence{Draws: 99}}}
	}
	const rho = .5
	var rows []string
	for _, set := range []Set{CressieRead{K: 2}, CVaR{Mu: .2}} {
		for _, p := range populations() {
			for _, c := range sizes {
				var normal, drawn, better [2]float64
				rng := rand.New(rand.NewPCG(9, uint64(c.n)))
				truth, share := .2*p.risk(set, rho), 100/float64(c.size)
				for k := range c.size {
					a := p.losses(rng, c.n)
					b := make([]float64, c.n)
					for i := range b {
						if b[i] = .8 * a[i]; rng.IntN(2) == 0 {
							b[i] = .8 * p.draw(rng)
						}
					}
					c.how.Seed = uint64(k)
					list, err := c.how.Differences(set, a, b, []float64{rho})
					if err != nil {
						t.Fatal(err)
					}
					misses(&normal, list[0].Normal, truth, share)
					misses(&drawn, list[0].Bootstrap, truth, share)
					misses(&better, list[0].Better(), truth, share)
				}
				sum := func(x [2]float64) float64 { return x[0] + x[1] }
				// Better chooses one of the two for each sample.
				if sum(better) > math.Max(sum(normal), sum(drawn))+2 {
					t.Errorf("%s, %s: the interval to be read misses %v, the others %v and %v",
						set.Label(), p.name, better, normal, drawn)
				}
				rows = append(rows, fmt.Sprintf(
					"| %s | %s | %d | %.1f / %.1f | %.1f / %.1f | %.1f / %.1f |",
					set.Label(), p.name, c.n,
					normal[0], normal[1], drawn[0], drawn[1], better[0], better[1]))
			}
		}
	}
	t.Logf("truth below / above the normal, the bootstrap's, the interval to be read\n%s",
		strings.Join(rows, "\n"))
}
