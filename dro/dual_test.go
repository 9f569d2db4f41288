package dro

import (
	"math"
	"math/rand/v2"
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
		if whole.Step(losses, .01); resumed.Step(losses, .01) != resumed.Step(losses, 0) && resumed.Z() == (Z{}) {
			t.Errorf("%s: no z", a)
		}
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

// least is a regression problem on which the optimum is known from the exact
// risk: x in R^d, ℓ_i = loss(⟨a_i, x⟩, y_i).
type least struct {
	a    [][]float64
	y    []float64
	loss func(margin, y float64) (value, slope float64)
}

func square(m, y float64) (float64, float64) { return (m - y) * (m - y) / 2, m - y }

func logistic(m, y float64) (float64, float64) {
	return math.Log1p(math.Exp(-y * m)), -y / (1 + math.Exp(y*m))
}

// losses fills values and slopes for the samples index at x.
func (l *least) losses(values, slopes, x []float64, index []int) {
	for j, i := range index {
		var m float64
		for c, v := range x {
			m += l.a[i][c] * v
		}
		values[j], slopes[j] = l.loss(m, l.y[i])
	}
}

// descend subtracts alpha mean r_j ∇ℓ_j.
func (l *least) descend(x, ratios, slopes []float64, index []int, alpha float64) {
	for j, i := range index {
		for c := range x {
			x[c] -= alpha * ratios[j] * slopes[j] * l.a[i][c] / float64(len(index))
		}
	}
}

// newLeast draws n points in d dimensions with a minority that follows another
// law.
func newLeast(rng *rand.Rand, n, d int, loss func(m, y float64) (float64, float64), label func(float64) float64) *least {
	l := &least{loss: loss}
	for i := range n {
		row := make([]float64, d)
		var m float64
		for c := range row {
			row[c] = rng.NormFloat64() / 2
			sign := 1.0
			if i%10 == 0 {
				sign = -1
			}
			m += row[c] * sign / float64(c+1)
		}
		row[0] += .5
		l.a, l.y = append(l.a, row), append(l.y, label(m+.3*rng.NormFloat64()))
	}
	return l
}

// risk is R_ρ at x, and the worst-case weights.
func (l *least) risk(t *testing.T, set Set, rho float64, x, ratios, values, slopes []float64, all []int) Worst {
	l.losses(values, slopes, x, all)
	w, err := set.WorstCase(ratios, values, rho)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// best minimises R_ρ itself by gradient descent with Danskin's gradient
// mean r ∇ℓ at the exact worst case, halving the step where R_ρ would rise.
func (l *least) best(t *testing.T, set Set, rho float64, d int) Worst {
	n := len(l.y)
	all := indices(n)
	ratios, values, slopes := make([]float64, n), make([]float64, n), make([]float64, n)
	x, y := make([]float64, d), make([]float64, d)
	f, alpha := l.risk(t, set, rho, x, ratios, values, slopes, all), 1.0
	for range 600 {
		copy(y, x)
		l.descend(y, ratios, slopes, all, alpha)
		g := l.risk(t, set, rho, y, ratios, values, slopes, all)
		if g.Risk < f.Risk {
			x, y, f, alpha = y, x, g, alpha*1.2
			continue
		}
		alpha /= 2
		l.risk(t, set, rho, x, ratios, values, slopes, all)
	}
	return f
}

func indices(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// train runs the algorithm with full batches, as the runner does with
// mini-batches, and returns R_ρ and F − R_ρ at the end.
func (l *least) train(t *testing.T, dual *Dual, steps, d int, alpha float64) (risk, gap float64) {
	n := len(l.y)
	all := indices(n)
	ratios, values, slopes := make([]float64, n), make([]float64, n), make([]float64, n)
	x := make([]float64, d)
	for range steps {
		l.losses(values, slopes, x, all)
		dual.Ratios(ratios, values)
		if !dual.FreshBatch() {
			dual.Step(values, alpha)
		}
		l.descend(x, ratios, slopes, all, alpha)
		if dual.FreshBatch() {
			l.losses(values, slopes, x, all)
			dual.Step(values, alpha)
		}
	}
	p := dual.problem
	risk = l.risk(t, p.Set, p.Rho, x, ratios, values, slopes, all).Risk
	return risk, p.At(nil, values, dual.Z()).Value - risk
}

// SFK, PGD and PAN against the minimum of the exact risk, with full batches.
// PAN's λ is the λ* of that minimum, which makes its penalised problem have the
// same solution.
//
// After 3000 steps all are within 1e-5 of the optimum, but for SFK in the
// paper's coordinates: λ and η must move in opposite directions there, across
// a box 38 wide, and Frank-Wolfe's 1/t leaves F − R_ρ at up to 6 % of R_ρ. (On
// "mean" it is 1e-5 after 30 000 steps; with the fixed C = 1000 it is 11 % after
// 3000 and 1e-9 after 30 000; with C = 50 the run diverges.)
func TestAlgorithmsReachTheOptimum(t *testing.T) {
	rng := testRand(27)
	problems := []struct {
		name string
		rho  float64
		*least
	}{
		{"mean", .3, newLeast(rng, 200, 1, square, func(m float64) float64 { return m })},
		{"squares", .3, newLeast(rng, 200, 3, square, func(m float64) float64 { return m })},
		{"logistic", .05, newLeast(rng, 200, 3, logistic, func(m float64) float64 { return math.Copysign(1, m) })},
	}
	for _, l := range problems {
		d := len(l.a[0])
		for _, p := range []Problem{
			{Set: CressieRead{1.1}, Coordinates: Unshifted}, {Set: CressieRead{1.5}, Coordinates: Unshifted},
			{Set: CressieRead{2}, Coordinates: Unshifted}, {Set: CressieRead{2}, Coordinates: Paper},
			{Set: KL{}, Coordinates: Unshifted}, {Set: SmoothedCVaR{.2}, Coordinates: Unshifted},
		} {
			p.Rho = l.rho
			p.Box = DefaultBox(p.Set, p.Rho, p.Coordinates, .01, 10)
			best := l.best(t, p.Set, p.Rho, d)
			for _, a := range []Algorithm{SFK, PGD, PAN} {
				s := DefaultSettings()
				s.AutoC = true
				if a == PAN {
					s.Start.Lambda = best.Z.Lambda
				}
				dual := newTestDual(t, a, p, s)
				risk, gap := l.train(t, dual, 3000, d, .05)
				t.Logf("%s, %s, %s: R/R* - 1 = %.2g, gap/R* = %.2g", l.name, &p, a, risk/best.Risk-1, gap/best.Risk)
				toleranceR, toleranceF := 1e-5, 1e-5
				if a == SFK && p.Coordinates == Paper {
					toleranceR, toleranceF = 2e-3, .1
				}
				if !(risk <= best.Risk*(1+toleranceR)) || !(gap <= best.Risk*toleranceF) {
					t.Errorf("%s, %s, %s: R %v, F − R %v, min R %v", l.name, &p, a, risk, gap, best.Risk)
				}
			}
		}
	}
}
