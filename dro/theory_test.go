package dro

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"drolab/dro/testsize"
)

var paperBox = Box{Lambda: [2]float64{.1, 10}, Eta: [2]float64{-10, 10}}

func paperAssumptions() Assumptions {
	return Assumptions{Epsilon: .1, Rho: 1.5, Bound: 10, Lipschitz: 1, Smoothness: 1, Gap: 1}
}

// The constants on the paper's printed box are the numbers of math.md §4.
func TestPaperConstants(t *testing.T) {
	c, err := (&Problem{CressieRead{2}, 1.5, Paper, paperBox}).Constants(paperAssumptions())
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []struct {
		name      string
		got, want float64
		tolerance float64
	}{
		{"L_z", c.Lz.Float64(), 400010, 1e-12},
		{"D²", c.Diameter * c.Diameter, 498.01, 1e-12},
		{"C", c.C.Float64(), 2.0e8, .005},
		{"α", c.Alpha.Float64(), 2.5e-9, .005},
		{"σ0", c.Sigma0.Float64(), .5 * 2 * 20 / .1, 1e-12},
		{"L_x", c.Lx.Float64(), .5 * 2 / .1 * (1 + 20), 1e-12},
		{"σ1", c.Sigma1.Float64(), 1.5 + 1 + .5 + .5*100*400*(1+.1*2/20), 1e-12},
	} {
		t.Run(v.name, func(t *testing.T) {
			if !within(v.got, v.want, v.tolerance) {
				t.Errorf("%s = %v, want %v", v.name, v.got, v.want)
			}
		})
	}
	// The paper's own formula at k* = 2 is looser: 404 010.
	loose := 1/.1 + 2*20/.01 + 400/.001
	if !within(loose, 404010, 1e-12) {
		t.Errorf("the paper's L_z is %v, want 404010", loose)
	}
	if ours := c.Lz.Float64(); loose < ours {
		t.Errorf("the paper's L_z is %v, want no less than ours, %v", loose, ours)
	}
}

// L_z bounds dᵀHd/|d|² everywhere on the box. A single loss of B reaches it at the corner (λ0,
// −η̄).
func TestLzIsTight(t *testing.T) {
	rng := testRand(31)
	box := Box{Lambda: [2]float64{.3, 4}, Eta: [2]float64{-2, 5}}
	a := paperAssumptions()
	a.Bound = 5
	for _, p := range []Problem{
		{Set: CressieRead{2}, Coordinates: Paper, Box: box},
		{Set: CressieRead{1.5}, Coordinates: Paper, Box: box},
		{Set: CressieRead{1.2}, Coordinates: Paper, Box: box},
		{Set: CressieRead{2}, Coordinates: Unshifted,
			Box: Box{Lambda: box.Lambda, Eta: [2]float64{0, 5}}},
		{Set: CressieRead{1.1}, Coordinates: Unshifted,
			Box: Box{Lambda: box.Lambda, Eta: [2]float64{0, 5}}},
		{Set: SmoothedCVaR{.1}, Coordinates: Unshifted,
			Box: Box{Lambda: box.Lambda, Eta: [2]float64{0, 5}}},
		{Set: SmoothedCVaR{.5}, Coordinates: Unshifted,
			Box: Box{Lambda: box.Lambda, Eta: [2]float64{0, 5}}},
	} {
		p.Rho = 1
		c, err := p.Constants(a)
		if err != nil {
			t.Fatal(err)
		}
		lz, largest := c.Lz.Float64(), 0.0
		for i := range 4000 {
			z := Z{p.Box.Lambda[0] + 3.7*rng.Float64(), p.Box.Eta[0] + 7*rng.Float64()}
			loss := 5 * rng.Float64()
			if i%2 == 0 {
				z.Lambda = p.Box.Lambda[0]
			}
			if i == 0 {
				z.Eta, loss = p.Box.Eta[0], 5
			}
			z = p.Box.Project(z)
			d := Z{(loss - z.Eta) / z.Lambda, 1} // the one direction with curvature
			curvature := p.Curvature([]float64{loss}, z, d) / d.dot(d)
			largest = math.Max(largest, curvature)
		}
		if largest > lz*(1+1e-6) || largest < lz*.99 {
			t.Errorf("%v: largest curvature %v, L_z %v", &p, largest, lz)
		}
	}
}

// Smoothed CVaR's L_z is O(1/λ0): 223 against the paper's 2.5e5.
func TestSmoothedCVaRConstants(t *testing.T) {
	box := Box{Lambda: [2]float64{.1, 10}, Eta: [2]float64{0, 10}}
	c, err := (&Problem{SmoothedCVaR{.1}, 1.5, Unshifted, box}).Constants(paperAssumptions())
	if err != nil || math.Abs(c.Lz.Float64()-223) > .5 {
		t.Errorf("L_z %v, %v; want 223", c.Lz.Float64(), err)
	}
	if paper := 1 / (4 * .1) * (100/.001 + 1/.1); !within(paper, 2.5e5, .001) {
		t.Errorf("the paper's order of L_z: %v", paper)
	}
	if want := 1/.1 + 1/(4*.1*.1); !within(c.Lx.Float64(), want, 1e-12) {
		t.Errorf("L_x %v, want %v", c.Lx.Float64(), want)
	}
}

// The maximum of φ*″(t)(1+t²) is found wherever the bell of φ*″ stands and wherever the box cuts
// it. For a μ near 0 the bell is far on the right, for a μ near 1 far on the left. A grid over the
// whole reach finds the same maximum.
func TestMaxCurvature(t *testing.T) {
	for _, mu := range []float64{1e-9, 1e-4, .1, .5, .9, 1 - 1e-4, 1 - 1e-9} {
		for _, reach := range []float64{3, 12, 60} {
			want := 0.0
			for i := -60_000; i <= 60_000; i++ {
				at := reach * float64(i) / 60_000
				odds := mu * math.Exp(at) / (1 - mu)
				second := odds / mu / ((1 + odds) * (1 + odds)) // φ*(t) = log(1 − μ + μ eᵗ)/μ
				want = math.Max(want, second*(1+at*at))
			}
			if got := (SmoothedCVaR{mu}).maxCurvature(reach); !within(got, want, 1e-5) {
				t.Errorf("μ %v, |t| ≤ %v: %v, want %v", mu, reach, got, want)
			}
		}
	}
}

// σ1 bounds ‖∇_z f‖ of every single loss on the box.
func TestSigma1(t *testing.T) {
	rng := testRand(32)
	for _, p := range []Problem{
		{Set: CressieRead{2}, Rho: 1.5, Coordinates: Paper, Box: paperBox},
		{Set: CressieRead{1.5}, Rho: 1.5, Coordinates: Paper, Box: paperBox},
		{Set: CressieRead{1.5}, Rho: 1.5, Coordinates: Unshifted,
			Box: Box{Lambda: paperBox.Lambda, Eta: [2]float64{0, 10}}},
		{Set: SmoothedCVaR{.2}, Rho: 1.5, Coordinates: Unshifted,
			Box: Box{Lambda: paperBox.Lambda, Eta: [2]float64{0, 10}}},
	} {
		c, err := p.Constants(paperAssumptions())
		if err != nil {
			t.Fatal(err)
		}
		for range 1000 {
			z := p.Box.Project(Z{10 * math.Pow(rng.Float64(), 3), 20*rng.Float64() - 10})
			g := p.Evaluate(nil, []float64{10 * rng.Float64()}, z).Grad
			if norm := math.Sqrt(g.dot(g)); norm > c.Sigma1.Float64() {
				t.Errorf("%v: gradient %v at %v above σ1 = %v", &p, norm, z, c.Sigma1)
			}
		}
	}
}

func TestTheorem1(t *testing.T) {
	a := paperAssumptions()
	for _, set := range []Set{CressieRead{2}, CressieRead{1.5}, CressieRead{1.001},
		SmoothedCVaR{.1}} {
		p, err := Theorem1(set, a)
		if err != nil {
			t.Fatal(err)
		}
		if want := a.Epsilon / (8 * a.Rho); p.Box.Lambda[0] != want {
			t.Errorf("%v: λ0 %v, want %v", set, p.Box.Lambda[0], want)
		}
		d2lz := 2*math.Log(p.Diameter) + float64(p.Lz)
		if least := d2lz * (1 - 1e-12); float64(p.C) < least {
			t.Errorf("%v: log C = %v, want at least that of D²L_z, %v", set, float64(p.C), d2lz)
		}
		if least := math.Log(2) + float64(p.Lx); float64(p.C) < least-1e-12 {
			t.Errorf("%v: log C = %v, want at least that of 2L_x, %v", set, float64(p.C), least)
		}
		for _, m := range []Magnitude{p.Lz, p.Lx, p.Sigma0, p.Sigma1, p.C, p.T, p.Nx, p.Nz} {
			if math.IsNaN(float64(m)) || math.IsInf(float64(m), 0) {
				t.Errorf("%v: plan %+v", set, p)
			}
		}
		if p.Nx < 0 || p.Nz < 0 {
			t.Errorf("%v: less than one sample a step: %+v", set, p)
		}
		bias := logBias(set, a.Rho, a.Bound, float64(p.Nz))
		if bias > MagnitudeOf(a.Epsilon/4)+1e-9 {
			t.Errorf("%v: bias %v at n_z", set, bias)
		}
		// T = 48CΔ/ε² : halving ε multiplies T by at least 4.
		a2 := a
		a2.Epsilon /= 2
		half, err := Theorem1(set, a2)
		if err != nil || half.T-p.T < Magnitude(math.Log(4)) {
			t.Errorf("%v: T from %v to %v, %v", set, p.T, half.T, err)
		}
	}
	for _, c := range []struct {
		set    Set
		change func(*Assumptions)
		want   string
	}{
		{KL{}, func(*Assumptions) {}, "kl: the theory covers"},
		{CVaR{.1}, func(*Assumptions) {}, "cvar: the theory covers"},
		{CressieRead{3}, func(*Assumptions) {}, "k 3"},
		{CressieRead{2}, func(a *Assumptions) { a.Epsilon = 0 }, "epsilon 0"},
		{CressieRead{2}, func(a *Assumptions) { a.Gap = math.Inf(1) }, "gap +Inf"},
	} {
		t.Run(c.want, func(t *testing.T) {
			b := a
			c.change(&b)
			if _, err := Theorem1(c.set, b); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v: error %v, want one with %q", c.set, err, c.want)
			}
		})
	}
	if _, err := (&Problem{CressieRead{2}, 1, Paper, Box{}}).Constants(a); err == nil {
		t.Error("an empty box has constants")
	}
}

// A plan is vacuous where λ0 exceeds λ̄, and not before. Some gradient within the bounds nearly
// takes the longest step.
func TestPlanSaysWhereItHolds(t *testing.T) {
	a := paperAssumptions()
	for _, set := range []Set{CressieRead{2}, CressieRead{1.5}, SmoothedCVaR{.1}} {
		most := a.Bound / a.Rho
		if c, ok := set.(CressieRead); ok {
			most = c.lambdaMax(a.Rho, a.Bound)
		}
		for _, c := range []struct {
			part float64 // λ0 as a part of λ̄
			want bool
		}{{.01, false}, {.999, false}, {1.001, true}, {10, true}} {
			t.Run(fmt.Sprint(c), func(t *testing.T) {
				b := a
				b.Epsilon = 8 * a.Rho * most * c.part
				p, err := Theorem1(set, b)
				if err != nil || p.Vacuous() != c.want {
					t.Errorf("%v, λ0 = %v λ̄: vacuous %v, %v", set, c.part, p.Vacuous(), err)
				}
				want := p.Diameter * p.Sigma1.Float64() / p.C.Float64()
				if got := p.LongestStep().Float64(); math.Abs(got-want) > 1e-9*want {
					t.Errorf("%v: longest step %v, want %v", set, got, want)
				}
				x, z := p.Samples()
				off := math.Max(math.Abs(float64(x-p.T-p.Nx)), math.Abs(float64(z-p.T-p.Nz)))
				if off > 1e-9 {
					t.Errorf("%v: %v and %v samples in all", set, x, z)
				}
			})
		}
	}
	// L_z grows faster than σ1 as λ0 falls, so the condition holds from some ε on.
	a.Epsilon = 1e-3
	if p, err := Theorem1(CressieRead{2}, a); err != nil || p.LongestStep() > 0 {
		t.Errorf("at ε = %v: D σ1/C = %v, %v", a.Epsilon, p.LongestStep(), err)
	}
}

// Lemma 1, measured: the infimum over the box minus the infimum over all z lies in [0, λ0 ρ].
func TestTruncation(t *testing.T) {
	rng := testRand(33)
	const lambda0 = .4
	var seen float64
	for range 300 {
		losses := exponential(rng, 20)
		rho := .05 + 3*rng.Float64()
		for _, set := range []Set{CressieRead{2}, CressieRead{1.3}, KL{}, SmoothedCVaR{.2}} {
			w, err := WorstCase(set, nil, losses, rho)
			if err != nil {
				t.Fatal(err)
			}
			// F is convex: its minimum over λ ≥ λ0 is at λ0 once λ* < λ0.
			inf := w.Risk
			if w.Z.Lambda < lambda0 {
				pen, err := Penalised(set, nil, losses, lambda0)
				if err != nil {
					t.Fatal(err)
				}
				inf = pen.Risk - lambda0*pen.Divergence + lambda0*rho
			}
			gap, bound := inf-w.Risk, TruncationBound(lambda0, rho)
			if gap < -1e-12*w.Risk || gap > bound {
				t.Errorf("%v rho %v: gap %v outside [0, %v]", set, rho, gap, bound)
			}
			seen = math.Max(seen, gap/bound)
		}
	}
	if seen < .3 {
		t.Errorf("the gap never exceeds %v of its bound: the test does not reach it", seen)
	}
}

// Lemma 3, measured: min F − E min f lies in [0, bound].
func TestBias(t *testing.T) {
	rng := testRand(34)
	const bound, rho, draws = 1.0, .3, 300
	population := make([]float64, 2000)
	for i := range population {
		population[i] = math.Pow(rng.Float64(), 6)
	}
	for _, set := range testsize.Few[Set](2, CressieRead{1.5}, CVaR{.2}, CressieRead{2},
		SmoothedCVaR{.2}) {
		whole, err := WorstCase(set, nil, population, rho)
		if err != nil {
			t.Fatal(err)
		}
		last := math.Inf(1)
		for _, n := range []int{8, 64, 512} {
			batch := make([]float64, n)
			var sum, square float64
			for range draws {
				for i := range batch {
					batch[i] = population[rng.IntN(len(population))]
				}
				w, err := WorstCase(set, nil, batch, rho)
				if err != nil {
					t.Fatal(err)
				}
				sum += w.Risk / draws
				square += w.Risk * w.Risk / draws
			}
			bias, noise := whole.Risk-sum, math.Sqrt((square-sum*sum)/draws)
			limit := BiasBound(set, rho, bound, n)
			if bias < -4*noise || bias > limit {
				t.Errorf("%v n %d: bias %v ± %v outside [0, %v]", set, n, bias, noise, limit)
			}
			if bias > last+4*noise {
				t.Errorf("%v n %d: bias %v rises from %v", set, n, bias, last)
			}
			last = bias
		}
		if first := BiasBound(set, rho, bound, 1); first != bound {
			t.Errorf("%v: bound %v at n = 1, want B", set, first)
		}
	}
}

func TestBiasFormulas(t *testing.T) {
	const rho, n = .5, 1e6
	x := 1 + 2*rho
	want := 3 * math.Sqrt(x) * math.Sqrt((4+math.Log(n))/(4*n))
	if got := BiasBound(CressieRead{2}, rho, 1, n); !within(got, want, 1e-12) {
		t.Errorf("k = 2: %v, want %v", got, want)
	}
	if got := BiasBound(CressieRead{2 - 1e-9}, rho, 1, n); !within(got, want, 1e-6) {
		t.Errorf("k → 2: %v, want %v", got, want)
	}
	k, star := 1.5, 3.0
	want = 3 * math.Pow(1+k*.5*rho, 1/k) *
		math.Pow(1/n+math.Exp2(1-star)/(star-2)*(1/n-math.Pow(n, -star/2)), 1/star)
	if got := BiasBound(CressieRead{k}, rho, 1, n); !within(got, want, 1e-12) {
		t.Errorf("k = 1.5: %v, want %v", got, want)
	}
	if got := BiasBound(SmoothedCVaR{.1}, rho, 1, n); !within(got, 3/(.1*1e3), 1e-12) {
		t.Errorf("smoothed CVaR: %v", got)
	}
	if got := BiasBound(KL{}, rho, 2, n); got != 2 {
		t.Errorf("KL: %v, want B", got)
	}
}
