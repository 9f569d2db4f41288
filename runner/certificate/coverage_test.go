package certificate

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"drolab/dro"
	"drolab/dro/testsize"
	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/record"
	"drolab/runner/spec"
)

// law is a distribution of losses whose R_ρ is known.
type law struct {
	name string
	draw func(*rand.Rand) float64
	// mean and square are E (ℓ − η)₊ and E (ℓ − η)₊² as functions of η; power is E e^{tℓ} as a
	// function of t.
	mean, square, power func(float64) float64
}

// laws returns the laws by which dro.Unseen and the grounds of doubt are set, and then as many that
// judge them.
func laws() []law {
	return []law{
		exponential(), pareto(3), bernoulli(.05), rare(.5), margins(),
		logNormal(), pareto(2.5), mix(.1, exponential(), point(0)).as("10 % exponential, else 0"),
		rare(.1), rare(2),
	}
}

func (l law) as(name string) law {
	l.name = name
	return l
}

// point is the law of one value.
func point(x float64) law {
	return law{"", func(*rand.Rand) float64 { return x },
		func(eta float64) float64 { return max(x-eta, 0) },
		func(eta float64) float64 { return max(x-eta, 0) * max(x-eta, 0) },
		func(t float64) float64 { return math.Exp(t * x) }}
}

// mix is the law of a draw from a with the probability p, and else from b.
func mix(p float64, a, b law) law {
	both := func(a, b func(float64) float64) func(float64) float64 {
		return func(x float64) float64 { return p*a(x) + (1-p)*b(x) }
	}
	return law{"", func(r *rand.Rand) float64 {
		if r.Float64() < p {
			return a.draw(r)
		}
		return b.draw(r)
	}, both(a.mean, b.mean), both(a.square, b.square), both(a.power, b.power)}
}

func bernoulli(p float64) law {
	return mix(p, point(1), point(0)).as(fmt.Sprintf("Bernoulli %g", p))
}

// rare has percent of its losses between 8 and 9. The others are exponential, with the mean .3.
func rare(percent float64) law {
	e := exponential()
	small := law{"", func(r *rand.Rand) float64 { return .3 * e.draw(r) },
		func(eta float64) float64 { return .3 * e.mean(eta/.3) },
		func(eta float64) float64 { return .09 * e.square(eta/.3) },
		func(t float64) float64 { return e.power(.3 * t) }}
	power := func(eta float64, k int) float64 { // E (ℓ − η)₊^(k − 1), as its integral gives it
		above, below := max(9-eta, 0), max(8-eta, 0)
		return (math.Pow(above, float64(k)) - math.Pow(below, float64(k))) / float64(k)
	}
	large := law{"", func(r *rand.Rand) float64 { return 8 + r.Float64() },
		func(eta float64) float64 { return power(eta, 2) },
		func(eta float64) float64 { return power(eta, 3) },
		func(t float64) float64 { return math.Exp(8*t) * math.Expm1(t) / t }}
	return mix(percent/100, large, small).as(fmt.Sprintf("%g %% from 8 to 9", percent))
}

func exponential() law {
	return law{"exponential", (*rand.Rand).ExpFloat64,
		func(eta float64) float64 {
			if eta >= 0 {
				return math.Exp(-eta)
			}
			return 1 - eta
		},
		func(eta float64) float64 {
			if eta >= 0 {
				return 2 * math.Exp(-eta)
			}
			return 1 + (1-eta)*(1-eta)
		},
		func(t float64) float64 {
			if t >= 1 {
				return math.Inf(1)
			}
			return 1 / (1 - t)
		}}
}

// margins has the logistic losses log(1 + e^−m) of normal margins m, as a trained network may have
// them. Its expectations are sums.
func margins() law {
	const steps = 4000
	loss := func(x float64) float64 { return math.Log1p(math.Exp(-3 - 2*x)) }
	sum := func(of func(loss float64) float64) float64 {
		total, all := 0.0, 0.0
		for i := range steps {
			x := 18*(float64(i)+.5)/steps - 9
			w := math.Exp(-x * x / 2)
			total, all = total+w*of(loss(x)), all+w
		}
		return total / all
	}
	return law{"logistic, normal margins",
		func(r *rand.Rand) float64 { return loss(r.NormFloat64()) },
		func(eta float64) float64 {
			return sum(func(l float64) float64 { return max(l-eta, 0) })
		},
		func(eta float64) float64 {
			return sum(func(l float64) float64 { return max(l-eta, 0) * max(l-eta, 0) })
		},
		func(t float64) float64 { return sum(func(l float64) float64 { return math.Exp(t * l) }) }}
}

func infinite(float64) float64 { return math.Inf(1) }

func logNormal() law {
	part := func(k, eta float64) float64 { // E ℓ^k over ℓ > η
		if eta <= 0 {
			return math.Exp(k * k / 2)
		}
		return math.Exp(k*k/2) * .5 * math.Erfc((math.Log(eta)-k)/math.Sqrt2)
	}
	return law{"log-normal, σ = 1",
		func(r *rand.Rand) float64 { return math.Exp(r.NormFloat64()) },
		func(eta float64) float64 { return part(1, eta) - eta*part(0, eta) },
		func(eta float64) float64 {
			return part(2, eta) - 2*eta*part(1, eta) + eta*eta*part(0, eta)
		}, infinite}
}

func pareto(a float64) law {
	return law{fmt.Sprintf("Pareto %g", a),
		func(r *rand.Rand) float64 { return math.Exp(r.ExpFloat64() / a) },
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
		}, infinite}
}

func (l *law) losses(rng *rand.Rand, n int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = l.draw(rng)
	}
	return list
}

// risk returns R_ρ of the law (math.md §2 and §3), which it minimises by sections.
func (l *law) risk(set dro.Set, rho float64) float64 {
	switch s := set.(type) {
	case dro.CressieRead: // of k = 2
		return leastOf(-50, 100,
			func(eta float64) float64 { return math.Sqrt((1+2*rho)*l.square(eta)) + eta })
	case dro.CVaR:
		return leastOf(-50, 100, func(eta float64) float64 { return l.mean(eta)/s.Mu + eta })
	}
	if math.IsInf(l.power(1e-9), 1) {
		return math.Inf(1)
	}
	return leastOf(-4, 6, func(log float64) float64 {
		lambda := math.Exp(log)
		if power := l.power(1 / lambda); !math.IsInf(power, 1) {
			return lambda * (math.Log(power) + rho)
		}
		return 1e9 / lambda
	})
}

func leastOf(lo, hi float64, f func(float64) float64) float64 {
	for range 150 {
		a, b := lo+(hi-lo)/3, hi-(hi-lo)/3
		if f(a) < f(b) {
			hi = b
		} else {
			lo = a
		}
	}
	return f((lo + hi) / 2)
}

// tally counts how often an interval does not contain the truth. A bound has no lower end.
type tally struct {
	size, below, above int
	// flagged are those with a !, and missed the misses among the others.
	flagged, missed int
}

func (c *tally) add(lo, hi, truth float64, doubt string) {
	c.size++
	miss := true
	switch {
	case truth < lo:
		c.below++
	case !(truth <= hi): // or there is no interval
		c.above++
	default:
		miss = false
	}
	if doubt != "" {
		c.flagged++
	} else if miss {
		c.missed++
	}
}

func percent(of, all int) string {
	if all == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f", 100*float64(of)/float64(all))
}

func (c *tally) within(i measure.Interval, truth float64, doubt string) {
	c.add(known(i[0]), known(i[1]), truth, doubt)
}

// sides returns the shares of misses on either side.
func (c *tally) sides() string {
	return percent(c.below, c.size) + " / " + percent(c.above, c.size)
}

// guarded returns the shares of misses, of flags, and of misses among the unflagged.
func (c *tally) guarded() string {
	return fmt.Sprintf("%s, %.0f, %s", percent(c.below+c.above, c.size),
		100*float64(c.flagged)/float64(c.size), percent(c.missed, c.size-c.flagged))
}

// bad tells whether more than 10 % of the unflagged miss, in a cell that is not flagged as a whole.
func (c *tally) bad() bool {
	return !c.all() && 10*c.missed > c.size-c.flagged
}

func (c *tally) all() bool { return 20*c.flagged >= 19*c.size }

// pipeline is the program's own: it makes certificates of losses as the commands import and certify
// do.
type pipeline struct {
	*testing.T
	store *record.Store
	file  string
}

func newPipeline(t *testing.T) *pipeline {
	store, err := record.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &pipeline{t, store, filepath.Join(t.TempDir(), "losses.csv")}
}

// certify imports a table of losses and certifies the run, which it then deletes.
func (p *pipeline) certify(losses []float64, grids ...Grid) (*measure.Pass, [][]Certificate) {
	p.Helper()
	check := func(err error) {
		if err != nil {
			p.Helper()
			p.Fatal(err)
		}
	}
	var table bytes.Buffer
	fmt.Fprintln(&table, "label,prediction,loss")
	for i, l := range losses {
		fmt.Fprintf(&table, "%[1]d,%[1]d,%v\n", i%2, l)
	}
	check(os.WriteFile(p.file, table.Bytes(), 0o600))
	read, err := ReadPredictions(context.Background(), p.file, []string{runner.SplitTest}, nil)
	check(err)
	m, err := read.Import(p.store, Import{Method: "law", File: p.file, Spec: spec.Defaults()})
	check(err)
	r, err := record.Find(p.store.Dir(), m.ID)
	check(err)
	past, err := r.Past(-1)
	check(err)
	f, err := Freeze(context.Background(), past, Means{}, 1)
	check(err)
	pass, err := f.Pass(runner.SplitTest)
	check(err)
	var lists [][]Certificate
	for _, g := range grids {
		list, err := f.Certify(pass, g)
		check(err)
		lists = append(lists, list)
	}
	check(f.Close())
	check(p.store.Delete(m.ID))
	return pass, lists
}

// size is a number of samples of n losses each. All have bounds and differences, and the first of
// them intervals, too.
type size struct {
	n, samples, drawn int
	intervals         Grid
}

func sizes() []size {
	with := func(draws int) Grid {
		return Grid{Sets: []dro.Set{chi2, dro.KL{}, cvar}, Radii: []float64{.5},
			How: dro.Confidence{Draws: draws, Seed: 1}}
	}
	if testsize.Long() {
		return []size{{200, 600, 400, with(99)}, {2000, 400, 200, with(99)},
			{20_000, 240, 0, Grid{}}}
	}
	return []size{{200, 8, 1, with(39)}}
}

var (
	chi2, cvar = dro.CressieRead{K: 2}, dro.CVaR{Mu: .2}
	byPlace    = []Grid{{Sets: []dro.Set{chi2}, Radii: []float64{.05, .1, .5, 1}},
		{Sets: []dro.Set{dro.KL{}, cvar}, Radii: []float64{.5}}}
)

// coverage has the tallies of a law at a size: of bounds and differences for each place, and of
// intervals for each set.
type coverage struct {
	bounds, differences, bootstrap, normal []tally
}

// simulate draws the samples. The second network of a difference has .8 of the losses of the first,
// half of them drawn anew, so the difference is .2 R_ρ.
func (p *pipeline) simulate(l *law, s size) coverage {
	c := coverage{make([]tally, 6), make([]tally, 6), make([]tally, 3), make([]tally, 3)}
	truths := func(g Grid) (list []float64) {
		for _, set := range g.Sets {
			for _, rho := range g.radii(set) {
				list = append(list, l.risk(set, rho))
			}
		}
		return list
	}
	truth := slices.Concat(truths(byPlace[0]), truths(byPlace[1]))
	drawn, rng := truths(s.intervals), rand.New(rand.NewPCG(7, uint64(s.n)))
	for k := range s.samples {
		grids := byPlace
		if k < s.drawn {
			grids = append(slices.Clip(grids), s.intervals)
		}
		losses := l.losses(rng, s.n)
		pass, lists := p.certify(losses, grids...)
		for i, e := range slices.Concat(lists[:2]...) {
			c.bounds[i].add(0, known(e.Upper), truth[i], e.Doubt)
		}
		for i, e := range slices.Concat(lists[2:]...) {
			c.bootstrap[i].within(*e.Bootstrap, drawn[i], e.Doubt)
			c.normal[i].within(*e.Normal, drawn[i], e.Doubt)
		}
		for i := range losses {
			if rng.IntN(2) == 0 {
				losses[i] = l.draw(rng)
			}
			losses[i] *= .8
		}
		second, _ := p.certify(losses)
		place := 0
		for _, g := range byPlace {
			list, err := g.Contrasts(pass, second, Contrast{})
			if err != nil {
				p.Fatal(err)
			}
			for _, d := range list {
				c.differences[place].within(d.Interval, .2*truth[place], d.Doubt)
				place++
			}
		}
	}
	return c
}

// known returns a number, or NaN in its absence.
func known(x measure.Number) float64 {
	if !x.Applies() {
		return math.NaN()
	}
	return x.Float()
}

// TestCoverage logs the tables of docs/results.md:
//
//	DROLAB_LONG=1 go test ./runner/certificate -run Coverage -v -timeout 3h
//
// Of the bounds of χ² without a !, at most 10 % miss, in each cell in full, and in all cells
// together in the short form. At most a quarter of the cells have a ! at nearly every sample.
func TestCoverage(t *testing.T) {
	testsize.NotShort(t, "draws thousands of samples, for which TestProvedBounds has few")
	for _, s := range sizes() {
		t.Run(fmt.Sprint(s.n), func(t *testing.T) { cover(t, s) })
	}
}

func cover(t *testing.T, s size) {
	var together tally
	cells, flagged := 0, 0
	for _, l := range laws() {
		t.Run(l.name, func(t *testing.T) {
			c := newPipeline(t).simulate(&l, s)
			row := func(table string, cells []tally, text func(*tally) string) {
				line := fmt.Sprintf("%s | %s | %d |", table, l.name, s.n)
				for i := range cells {
					line += " " + text(&cells[i]) + " |"
				}
				t.Log(line)
			}
			row("bounds", c.bounds, (*tally).guarded)
			row("differences", c.differences, (*tally).guarded)
			row("intervals", slices.Concat(c.bootstrap, c.normal), (*tally).sides)
			for i := range c.bounds[:len(byPlace[0].Radii)] {
				b := &c.bounds[i]
				cells++
				together.size, together.flagged = together.size+b.size, together.flagged+b.flagged
				together.missed += b.missed
				if b.all() {
					flagged++
				}
				if testsize.Long() && b.bad() {
					t.Errorf("radius %d: %s %% miss, have a !, miss among the others", i,
						b.guarded())
				}
			}
		})
	}
	if together.bad() || flagged > cells/4 {
		t.Errorf("%d cells of %d are flagged, and %d bounds of %d others miss", flagged, cells,
			together.missed, together.size-together.flagged)
	}
}
