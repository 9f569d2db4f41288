package dro

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"drolab/dro/peertest"
	"drolab/dro/testsize"
)

// convexCases returns sets and radii. Under the last ones, λ* is 0 where classes overlap much, and
// the least risk is at a corner.
func convexCases() []struct {
	set Set
	rho float64
} {
	return []struct {
		set Set
		rho float64
	}{{CressieRead{K: 2}, .1}, {CressieRead{K: 2}, .5}, {CressieRead{K: 1.5}, .5}, {KL{}, .5},
		{SmoothedCVaR{Mu: .2}, .3}, {CressieRead{K: 2}, 1.5}, {CVaR{Mu: .2}, 1}}
}

// The two bounds meet, and no x nearby, nor one far off, has a lower risk.
func TestLeastRiskIsLeast(t *testing.T) {
	for _, s := range regressions(300) {
		for _, c := range testsize.Few(2, convexCases()...) {
			o, err := s.Least(c.set, c.rho)
			if err != nil {
				t.Errorf("%s, %g: Least: %v", c.set.Label(), c.rho, err)
				continue
			}
			t.Logf("%s, %g: R* = %.10f, gap %.1e, λ %.4g", c.set.Label(), c.rho, o.Risk, o.Gap(),
				o.Z.Lambda)
			if gap := o.Gap(); gap < -1e-12 {
				t.Errorf("%s: the bound below is above by %.2g", c.set.Label(), -gap)
			}
			rng, x := rand.New(rand.NewPCG(2, 2)), make([]float64, s.size())
			for range 100 {
				far := math.Pow(10, -6*rng.Float64())
				for i := range x {
					x[i] = o.X[i] + far*rng.NormFloat64()
				}
				if r := s.risk(t, c.set, c.rho, x); r < o.Lower-1e-12 {
					t.Fatalf("%s: R_ρ is %.12f at a distance of %.1g, and %.12f the bound below",
						c.set.Label(), r, far, o.Lower)
				}
			}
			if r := s.risk(t, c.set, c.rho, o.X); r != o.Risk {
				t.Errorf("%s: R_ρ(X) is %v, said to be %v", c.set.Label(), r, o.Risk)
			}
		}
	}
}

// Weak duality holds from any starting point: the dual value is below the least E_Q ℓ, and close to
// it near the optimum.
func TestDualIsBelow(t *testing.T) {
	for _, s := range regressions(200) {
		rng := rand.New(rand.NewPCG(6, 1))
		d := newDescent(s)
		d.fixed = make([]float64, len(s.X))
		for i := range d.fixed {
			d.fixed[i] = 2 * rng.Float64()
		}
		d.ratios = d.fixed
		d.run()
		best, at := d.value, slices.Clone(d.x)
		for far := 3.0; far > 1e-9; far /= 3 {
			for i := range d.x {
				d.x[i] = at[i] + far*rng.NormFloat64()
			}
			d.evaluate(d.x)
			switch got := d.dualValue(); {
			case got > best+1e-11: // the ridge of repeated features
				t.Errorf("from %.1g away the bound is %.3g above the least", far, got-best)
			case far < 1e-6 && got < best-1e-11:
				t.Errorf("from %.1g away the bound is %.3g below the least", far, best-got)
			}
		}
	}
}

func (s *Regression) risk(t *testing.T, set Set, rho float64, x []float64) float64 {
	t.Helper()
	losses := make([]float64, len(s.X))
	s.losses(losses, x)
	w, err := WorstCase(set, nil, losses, rho)
	if err != nil {
		t.Fatal(err)
	}
	return w.Risk
}

func TestLeastRefuses(t *testing.T) {
	good := threeClasses(30, 1)
	for _, c := range []struct {
		s   Regression
		rho float64
	}{{Regression{}, 1}, {Regression{X: good.X, Labels: good.Labels[1:], Classes: 3}, 1},
		{Regression{X: good.X, Labels: good.Labels, Classes: 1}, 1}, {*good, 0}} {
		if _, err := c.s.Least(KL{}, c.rho); err == nil {
			t.Errorf("%d samples, %d classes, ρ = %g: no error", len(c.s.X), c.s.Classes, c.rho)
		}
	}
	// Classes that a line tells apart have no optimum: the risk falls without end.
	apart := &Regression{X: [][]float64{{0}, {1}}, Labels: []int{0, 1}, Classes: 2}
	if o, err := apart.Least(KL{}, .1); err == nil && o.Risk > 1e-6 {
		t.Errorf("separable classes: %+v", o)
	}
}

// leastByCVXPY solves the same problems as cone programs and shares nothing with dro.
const leastByCVXPY = `
import json, sys, cvxpy as cp, numpy as np
d = json.load(sys.stdin)
X = np.hstack([np.array(d["X"]), np.ones((len(d["X"]), 1))])
n, C = len(X), d["Classes"]
onehot = np.eye(C)[d["Labels"]]
for case in d["Cases"]:
    W, eta = cp.Variable((X.shape[1], C)), cp.Variable()
    logits = X @ W
    loss = cp.log_sum_exp(logits, axis=1) - cp.sum(cp.multiply(onehot, logits), axis=1)
    if d["Squared"]:
        loss = cp.sum(cp.square(logits - onehot), axis=1) / 2
    u = cp.pos(loss - eta)
    if case["Set"] == "cvar":
        risk = eta + cp.sum(u) / (n * case["Mu"])
    else:
        risk = eta + np.sqrt((1 + 2 * case["Rho"]) / n) * cp.norm(u)
    print(cp.Problem(cp.Minimize(risk)).solve(solver=cp.CLARABEL))
`

func TestLeastRiskIsCVXPYs(t *testing.T) {
	python := peertest.Python(t, "cvxpy", "clarabel")
	for _, s := range regressions(120)[2:] {
		asCVXPY(t, s, python)
	}
}

func asCVXPY(t *testing.T, s *Regression, python string) {
	t.Helper()
	type of struct {
		Set     string
		Rho, Mu float64
	}
	cases := []of{{"chi2", .1, .2}, {"chi2", .5, .2}, {"chi2", 1.5, .2}, {"cvar", 1, .2}}
	in, err := json.Marshal(map[string]any{
		"X": s.X, "Labels": s.Labels, "Classes": 3, "Squared": s.Squared, "Cases": cases,
	})
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(python, "-c", leastByCVXPY)
	c.Stdin = strings.NewReader(string(in))
	out, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	decode := json.NewDecoder(strings.NewReader(string(out)))
	for _, k := range cases {
		var want float64
		if err := decode.Decode(&want); err != nil {
			t.Fatal(err)
		}
		set, _ := NewSet(k.Set, 2, k.Mu)
		o, err := s.Least(set, k.Rho)
		if err != nil || math.Abs(o.Risk-want) > 1e-6 {
			t.Errorf("squared %v, %s, ρ = %g: R* is %.10f, CVXPY's %.10f (%v)",
				s.Squared, k.Set, k.Rho, o.Risk, want, err)
		}
		t.Logf("squared %v, %s, ρ = %g: %.10f, CVXPY %.10f", s.Squared, k.Set, k.Rho, o.Risk, want)
	}
}
