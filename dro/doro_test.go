package dro

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func testDOROTrainer(t *testing.T, p *Problem, epsilon float64) *doroTrainer {
	t.Helper()
	return newTrainer(t, "doro", p, map[string]Auto{"doro_epsilon": Fixed(epsilon)}).(*doroTrainer)
}

// doroObjective returns the source's F(θ, η) = c (mean (ℓ − η)₊^β)^{1/β} + η over the losses that
// are left, minimised over η by golden section. It uses none of this package's sets and solvers.
func doroObjective(losses []float64, epsilon float64, rho, mu float64) float64 {
	sorted := slices.Clone(losses)
	slices.Sort(sorted)
	rest := sorted[:len(sorted)-int(epsilon*float64(len(sorted)))]
	f := func(eta float64) float64 {
		sum := 0.0
		for _, l := range rest {
			u := max(0, l-eta)
			if mu == 0 {
				u *= u
			}
			sum += u
		}
		sum /= float64(len(rest))
		if mu > 0 {
			return sum/mu + eta
		}
		return math.Sqrt((1+2*rho)*sum) + eta
	}
	lo, hi := -20.0, rest[len(rest)-1]
	for range 200 {
		a, b := hi-(hi-lo)/math.Phi, lo+(hi-lo)/math.Phi
		if f(a) < f(b) {
			hi = b
		} else {
			lo = a
		}
	}
	return f((lo + hi) / 2)
}

// The weights are n times the derivatives of the source's objective, and 0 for outliers.
func TestDOROIsItsAlgorithm(t *testing.T) {
	rng := testRand(91)
	for _, c := range []struct{ epsilon, rho, mu float64 }{
		{.1, .3, 0}, {.3, 1, 0}, {0, .3, 0}, {.1, 0, .23}, {.25, 0, .5},
	} {
		p := &Problem{Set: CressieRead{2}, Rho: c.rho, Coordinates: Unshifted}
		if c.mu > 0 {
			p = &Problem{Set: CVaR{c.mu}, Rho: 1, Coordinates: Unshifted}
		}
		p.Box = DefaultBox(p.Set, p.Rho, p.Coordinates, .1, 10)
		const n = 37
		d, losses, w := testDOROTrainer(t, p, c.epsilon), exponential(rng, n), make([]float64, n)
		d.Weights(w, Batch{Losses: losses})
		risk := doroObjective(losses, c.epsilon, c.rho, c.mu)
		if got := reported(d)["batch_risk"]; !within(got, risk, 1e-9) {
			t.Errorf("%+v: risk %v, want %v", c, got, risk)
		}
		for i, at := range losses {
			h := min(1e-5, at/2)
			losses[i] = at + h
			up := doroObjective(losses, c.epsilon, c.rho, c.mu)
			losses[i] = at - h
			slope := n * (up - doroObjective(losses, c.epsilon, c.rho, c.mu)) / (2 * h)
			losses[i] = at
			if math.Abs(slope-w[i]) > 1e-3*(1+w[i]) {
				t.Errorf("%+v: weight %d is %v, the finite difference %v", c, i, w[i], slope)
			}
		}
		if zero := slices.Index(losses, slices.Max(losses)); (w[zero] == 0) != (c.epsilon > 0) {
			t.Errorf("%+v: the largest loss weighs %v", c, w[zero])
		}
	}
}

// With full batches, and a share ε of outliers far from the other samples, the optimum is the least
// R_ρ of the other samples alone.
func TestDOROReachesTheOptimumWithoutOutliers(t *testing.T) {
	clean := newRegressionProblem(testRand(92), 90, 2, square, func(m float64) float64 { return m })
	whole := *clean
	for i := range 10 {
		whole.a = append(slices.Clip(whole.a), []float64{0, .1})
		whole.y = append(slices.Clip(whole.y), float64(50+i))
	}
	for _, set := range []Set{CressieRead{2}, KL{}} {
		p := Problem{Set: set, Rho: .3, Coordinates: Unshifted}
		p.Box = DefaultBox(set, p.Rho, Unshifted, .01, 10)
		x := make([]float64, 2)
		whole.walk(testDOROTrainer(t, &p, .1), x, 3000, .05, 0, whole.all)
		ratios, values, slopes := make([]float64, 90), make([]float64, 90), make([]float64, 90)
		got := clean.risk(t, set, p.Rho, x, ratios, values, slopes, clean.all()).Risk
		if want := clean.best(t, set, p.Rho, 2).Risk; math.Abs(got-want) > 1e-6*want {
			t.Errorf("%v: R of the clean samples %v, the minimum is %v", &p, got, want)
		}
	}
}

// Among equal losses, as many are left out as among different ones. A loss that is NaN breaks the
// run. Where ε leaves out nothing, a warning says so.
func TestDOROAtTheEdges(t *testing.T) {
	d, w := testDOROTrainer(t, testProblems(.4)[0], .5), make([]float64, 4)
	d.Weights(w, Batch{Losses: []float64{1, 1, 1, 1}})
	if want := []float64{0, 0, 2, 2}; !slices.Equal(w, want) {
		t.Errorf("equal losses weigh %v, want %v", w, want)
	}
	if got := d.Warning(); got != "" {
		t.Errorf("equal losses give the warning %q, want none", got)
	}
	d.Weights(w, Batch{Losses: []float64{1, math.NaN(), 1, 1}})
	if !math.IsNaN(w[0]) || !math.IsNaN(w[3]) {
		t.Errorf("weights %v with a loss that is NaN, want NaN as the first and the last", w)
	}
	d.Weights(w, Batch{Losses: []float64{3}})
	if w[0] != 1 {
		t.Errorf("a batch of one: weight %v, want 1", w[0])
	}
	if got := d.Warning(); !strings.Contains(got, "doro_epsilon") {
		t.Errorf("a batch of one: warning %q, want one that names doro_epsilon", got)
	}
}
