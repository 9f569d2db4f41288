package dro

import (
	"math"
	"strings"
	"testing"
)

func newTestDual(t *testing.T, a Algorithm, p Problem, s Settings) *Dual {
	t.Helper()
	d, err := NewDual(a, p, s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestDualSteps(t *testing.T) {
	losses := exponential(testRand(21), 64)
	ratios := make([]float64, len(losses))
	for _, p := range testProblems(.5) {
		z := p.Box.Project(Z{1, .3})
		s := DefaultSettings()
		s.Start = z
		eval := p.At(nil, losses, z)

		d := newTestDual(t, SFK, *p, s)
		if got := d.Ratios(ratios, losses); got != p.At(nil, losses, z) {
			t.Errorf("%v: Ratios %+v, At %+v", p, got, eval)
		}
		move := d.Step(losses, math.NaN()) // SFK does not use alpha
		corner := p.Box.Corner(eval.Grad)
		gap := -corner.sub(z).dot(eval.Grad)
		if move.Gap != gap || move.Gamma != math.Min(gap/s.C, 1) || gap < 0 || move.Halvings != 0 {
			t.Errorf("%v: move %+v, want gap %v", p, move, gap)
		}
		if want := z.along(move.Gamma, corner.sub(z)); d.Z() != want {
			t.Errorf("%v: z %v, want %v", p, d.Z(), want)
		}
		if !d.FreshBatch() {
			t.Errorf("%v: SFK does not ask for its own batch", p)
		}

		s.AutoC, s.ShareBatch = true, true
		d = newTestDual(t, SFK, *p, s)
		move = d.Step(losses, math.NaN())
		if after := p.At(nil, losses, d.Z()).Value; after > eval.Value-move.Gamma*gap/2*(1-1e-9) {
			t.Errorf("%v: automatic C: F from %v to %v with %+v", p, eval.Value, after, move)
		}
		if d.FreshBatch() {
			t.Errorf("%v: share_batch asks for its own batch", p)
		}

		d = newTestDual(t, PGD, *p, s)
		move = d.Step(losses, .05)
		if want := p.Box.Project(z.along(-.05, eval.Grad)); d.Z() != want || !math.IsNaN(move.Gap) || !math.IsNaN(move.Gamma) {
			t.Errorf("%v: PGD to %v with %+v, want %v", p, d.Z(), move, want)
		}
		if !p.Set.HasRadius() {
			continue
		}
		d = newTestDual(t, PAN, *p, s)
		d.Step(losses, .05)
		if want := (Z{z.Lambda, p.Box.Project(z.along(-.05, eval.Grad)).Eta}); d.Z() != want {
			t.Errorf("%v: PAN to %v, want %v", p, d.Z(), want)
		}
	}
}

// The gap bounds F(z) − min over the box, for any z of the box.
func TestGapBoundsSuboptimality(t *testing.T) {
	losses := exponential(testRand(22), 64)
	rng := testRand(23)
	for _, p := range testProblems(.5) {
		w, err := p.Set.WorstCase(nil, losses, p.Rho)
		if err != nil {
			t.Fatal(err)
		}
		for range 100 {
			s := DefaultSettings()
			s.Start = Z{p.Box.Lambda[0] + rng.Float64(), p.Box.Eta[0] + rng.Float64()*(p.Box.Eta[1]-p.Box.Eta[0])}
			d := newTestDual(t, SFK, *p, s)
			f := p.At(nil, losses, s.Start).Value
			// min over the box ≤ R_ρ + λ0 ρ (math.md §4)
			if gap := d.Step(losses, 0).Gap; gap < f-w.Risk-TruncationBound(.1, p.Rho)-1e-9*f {
				t.Errorf("%v at %v: gap %v below F − R = %v", p, s.Start, gap, f-w.Risk)
			}
		}
	}
}

func TestERM(t *testing.T) {
	p := testProblems(.5)[0]
	d := newTestDual(t, ERM, *p, DefaultSettings())
	ratios := make([]float64, 4)
	eval := d.Ratios(ratios, []float64{1, 2, 3, 6})
	if eval.Value != 3 || !math.IsNaN(eval.MeanRatio) || !math.IsNaN(eval.Grad.Lambda) || !math.IsNaN(eval.Divergence) {
		t.Errorf("eval %+v", eval)
	}
	for _, r := range ratios {
		if r != 1 {
			t.Errorf("ratios %v, want 1", ratios)
		}
	}
	before := d.Z()
	if move := d.Step([]float64{1, 9}, 1); d.Z() != before || !math.IsNaN(move.Gap) || d.FreshBatch() {
		t.Errorf("ERM moved z to %v", d.Z())
	}
}

func TestResume(t *testing.T) {
	losses := exponential(testRand(24), 64)
	for _, a := range Algorithms() {
		p := testProblems(.5)[0]
		whole := newTestDual(t, a, *p, DefaultSettings())
		for range 5 {
			whole.Step(losses, .01)
		}
		resumed := newTestDual(t, a, *p, DefaultSettings())
		resumed.SetZ(whole.Z())
		whole.Step(losses, .01)
		resumed.Step(losses, .01)
		if whole.Z() != resumed.Z() {
			t.Errorf("%s: %v after a resume, %v without", a, resumed.Z(), whole.Z())
		}
	}
}

func TestDualErrors(t *testing.T) {
	p := *testProblems(.5)[0]
	cvar := Problem{Set: CVaR{.2}, Coordinates: Unshifted, Box: DefaultBox(CVaR{.2}, 0, Unshifted, .1, 10)}
	bad := func(change func(*Settings)) Settings {
		s := DefaultSettings()
		change(&s)
		return s
	}
	for _, c := range []struct {
		a    Algorithm
		p    Problem
		s    Settings
		want string
	}{
		{"adam", p, DefaultSettings(), `algorithm "adam"`},
		{PAN, cvar, DefaultSettings(), "has no lambda to fix"},
		{SFK, Problem{}, DefaultSettings(), "uncertainty"},
		{SFK, p, Settings{}, "c 0"},
		{SFK, p, bad(func(s *Settings) { s.Kappa = -1 }), "kappa -1"},
		{SFK, p, bad(func(s *Settings) { s.Start.Lambda = 0 }), "lambda 0"},
		{SFK, p, bad(func(s *Settings) { s.Start.Eta = math.NaN() }), "eta NaN"},
	} {
		if _, err := NewDual(c.a, c.p, c.s); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", c.a, err, c.want)
		}
	}
	for _, a := range Algorithms() {
		if got, err := ParseAlgorithm(string(a)); err != nil || got != a {
			t.Errorf("ParseAlgorithm(%q) = %q, %v", a, got, err)
		}
		if err := Applies(a, cvar.Set); (err != nil) != (a == PAN) {
			t.Errorf("%s on CVaR: %v", a, err)
		}
	}
}

func TestNoAllocations(t *testing.T) {
	losses := exponential(testRand(25), 128)
	ratios := make([]float64, len(losses))
	for _, p := range testProblems(.5) {
		for _, a := range Algorithms() {
			if Applies(a, p.Set) != nil {
				continue
			}
			s := DefaultSettings()
			s.AutoC = true
			d := newTestDual(t, a, *p, s)
			if n := testing.AllocsPerRun(10, func() { d.Ratios(ratios, losses); d.Step(losses, .01) }); n != 0 {
				t.Errorf("%v, %s: %v allocations a step", p, a, n)
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
		{math.NaN(), 1, false}, {3, 4, true}, {5, 0, false}, {4, 2, true}, {0, math.NaN(), false}, {0, 4.4, true},
	} {
		if got := p.Observe(i+1, c.grad, c.gap); got != c.want {
			t.Errorf("step %d: %v, want %v", i+1, got, c.want)
		}
	}
	if want := (PaperIterate{Step: 6, GradNorm: 0, Gap: 4.4}); p != want {
		t.Errorf("%+v, want %+v", p, want)
	}
}

func TestStationarity(t *testing.T) {
	losses := exponential(testRand(26), 200)
	for _, p := range testProblems(.5) {
		w, err := p.Set.WorstCase(nil, losses, p.Rho)
		if err != nil {
			t.Fatal(err)
		}
		z := p.Shift(w.Z)
		if z.Lambda == 0 {
			z = p.Shift(Z{1e-9, w.Z.Eta})
		}
		s, err := p.Stationarity(losses, z, .01)
		if err != nil || math.Abs(s.DualGap) > 1e-8 || !s.Within(.01) || s.Within(.009) {
			t.Errorf("%v: %+v, %v at the optimum", p, s, err)
		}
		if s, _ = p.Stationarity(losses, z.along(1, Z{.5, .5}), 0); !(s.DualGap > 0) {
			t.Errorf("%v: gap %v away from the optimum", p, s.DualGap)
		}
	}
	if (Stationarity{math.NaN(), 0}).Within(1) {
		t.Error("NaN is stationary")
	}
	if _, err := testProblems(.5)[0].Stationarity(nil, Z{1, 0}, 0); err == nil {
		t.Error("no losses, no error")
	}
}
