package dro

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"drolab/dro/testsize"
)

// testSets returns the sets that most tests range over.
func testSets() []Set {
	return []Set{
		CressieRead{1.0001}, CressieRead{1.01}, CressieRead{1.1}, CressieRead{1.5},
		CressieRead{1.9},
		CressieRead{2},
		KL{}, SmoothedCVaR{.1}, SmoothedCVaR{.3}, SmoothedCVaR{.9}, CVaR{.2}, CVaR{.7},
	}
}

func testRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

// exponential returns n losses with a heavy enough tail.
func exponential(rng *rand.Rand, n int) []float64 {
	losses := make([]float64, n)
	for i := range losses {
		losses[i] = rng.ExpFloat64()
	}
	return losses
}

// hardBatches returns losses on which a formula in the obvious form fails.
func hardBatches() map[string][]float64 {
	outlier := exponential(testRand(1), 40)
	outlier[17] = 1e300
	spread := make([]float64, 9)
	for i := range spread {
		spread[i] = 1 + float64(i*i)*1e-12
	}
	return map[string][]float64{
		"four":      {.1, .5, 1.2, 3},
		"one":       {2.5},
		"ties":      {1, 4, 4, 4, 0, 1, 2, 2},
		"equal":     {.7, .7, .7},
		"zero":      {0, 0},
		"outlier":   outlier,
		"spread":    spread,
		"near ties": {3, 3 - 1e-9, 3 - 2e-9, 1, 0},
		"huge":      {1e301, 1, 0},
		"subnormal": {5e-324, 0, 1e-323},
		"two":       {0, 1},
		"random":    exponential(testRand(2), 60),
	}
}

func TestWorstCaseIsExact(t *testing.T) {
	for name, losses := range hardBatches() {
		t.Run(name, func(t *testing.T) {
			for _, set := range testSets() {
				switch set {
				case CressieRead{1.01}, CressieRead{1.9}, SmoothedCVaR{.3}:
					if !testsize.Long() {
						continue
					}
				case CressieRead{1.1}, CressieRead{2}, SmoothedCVaR{.1}, CVaR{.7}:
					if testing.Short() {
						continue
					}
				}
				rhos := cases(testsize.Few(1, .5, 1e-12, 10, 1e-3), 1e-6, .1, 1.5, 1e4)
				if s, err := newSample(losses); err == nil && set.HasRadius() {
					limit := saturationOf(set, &s, new(buffer)).divergence
					if limit > 0 {
						rhos = append(rhos, limit*.5, limit*.99, limit*(1-1e-6), limit*(1+1e-6))
					}
				}
				for _, rho := range rhos {
					ratios := make([]float64, len(losses))
					w, err := WorstCase(set, ratios, losses, rho)
					if err != nil {
						t.Fatal(err)
					}
					if name == "subnormal" { // relative errors mean nothing here
						if !(w.Risk >= w.MeanLoss && w.Risk <= w.MaxLoss) {
							t.Errorf("%v rho %v: risk %v outside [%v, %v]", set, rho, w.Risk,
								w.MeanLoss, w.MaxLoss)
						}
						continue
					}
					certify(t, set, losses, ratios, rho, w)
				}
			}
		})
	}
}

func TestWorstCaseMatchesBruteForce(t *testing.T) {
	losses := []float64{.1, .5, 1.2, 3}
	for _, rho := range cases(testsize.Few(1, .1, 1.1, 1e-12), 1e-4, .7) {
		for _, k := range cases(testsize.Few(1, 1.5, 1.0001, 2), 1.05) {
			w, err := WorstCase(CressieRead{k}, nil, losses, rho)
			if err != nil {
				t.Fatal(err)
			}
			want := bruteCressieRead(k, losses, rho)
			if !within(w.Risk, want, 2e-15) {
				t.Errorf("k %v rho %v: risk %v, brute force %v (relative %.2g)", k, rho, w.Risk,
					want, w.Risk/want-1)
			}
		}
		w, err := WorstCase(KL{}, nil, losses, rho)
		if err != nil {
			t.Fatal(err)
		}
		if want := bruteKL(losses, rho); !within(w.Risk, want, 2e-15) {
			t.Errorf("kl rho %v: risk %v, brute force %v", rho, w.Risk, want)
		}
	}
}

// within reports |got − want| ≤ tolerance·|want|.
func within(got, want, tolerance float64) bool {
	return math.Abs(got-want) <= tolerance*math.Abs(want)
}

// At the optimum, the dual equals the primal, its gradient vanishes, and the ratios of the dual are
// the ratios of the worst case.
func TestPrimalEqualsDual(t *testing.T) {
	losses := exponential(testRand(3), 500)
	fromDual, worst := make([]float64, len(losses)), make([]float64, len(losses))
	for _, set := range testSets() {
		for _, rho := range []float64{.01, .3, 1} {
			w, err := WorstCase(set, worst, losses, rho)
			if err != nil {
				t.Fatal(err)
			}
			if w.Z.Lambda == 0 {
				continue
			}
			p := Problem{Set: set, Rho: rho, Coordinates: Unshifted}
			eval := p.Evaluate(fromDual, losses, w.Z)
			if !within(eval.Value, w.Risk, 1e-12) {
				t.Errorf("%v rho %v: F %v, risk %v", set, rho, eval.Value, w.Risk)
			}
			if math.Abs(eval.Grad.Lambda) > 1e-9 || math.Abs(eval.Grad.Eta) > 1e-9 {
				t.Errorf("%v rho %v: gradient %v at the optimum", set, rho, eval.Grad)
			}
			if w.Divergence > rho*(1+1e-9) || !within(w.Divergence, rho, 1e-9) {
				t.Errorf("%v rho %v: divergence %v, want ρ", set, rho, w.Divergence)
			}
			for i := range worst {
				if math.Abs(worst[i]-fromDual[i]) > 1e-9*(1+worst[i]) {
					t.Fatalf("%v rho %v: ratio %d is %v, the dual's %v", set, rho, i, worst[i],
						fromDual[i])
				}
			}
		}
	}
}

// R_ρ rises, is concave in ρ, and lies between the mean and the maximum; its
// slope is λ*.
func TestCurve(t *testing.T) {
	losses := exponential(testRand(4), 300)
	rhos := make([]float64, 60)
	for i := range rhos {
		rhos[i] = .02 * float64(i+1) * float64(i+1) / 8
	}
	for _, set := range testSets() {
		curve, err := Curve(set, losses, rhos)
		if err != nil {
			t.Fatal(err)
		}
		for i, w := range curve {
			alone, err := WorstCase(set, nil, losses, rhos[i])
			if err != nil {
				t.Fatal(err)
			}
			if !within(w.Risk, alone.Risk, 1e-12) {
				t.Errorf("%v rho %v: warm start gives %v, cold %v", set, rhos[i], w.Risk,
					alone.Risk)
			}
			if w.Risk < w.MeanLoss || w.Risk > w.MaxLoss {
				t.Errorf("%v rho %v: risk %v outside [%v, %v]", set, rhos[i], w.Risk, w.MeanLoss,
					w.MaxLoss)
			}
			if i == 0 {
				continue
			}
			last, step := curve[i-1], rhos[i]-rhos[i-1]
			if set.HasRadius() && !last.Saturated && !(w.Risk > last.Risk) {
				t.Errorf("%v rho %v: risk does not rise: %v, %v", set, rhos[i], last.Risk, w.Risk)
			}
			slack := 1e-12 * w.Risk
			rise := w.Risk - last.Risk
			if rise > last.Z.Lambda*step+slack || rise < w.Z.Lambda*step-slack {
				t.Errorf("%v rho %v: rise %v not between λ*Δρ at the ends, %v and %v",
					set, rhos[i], rise, w.Z.Lambda*step, last.Z.Lambda*step)
			}
		}
	}
}

func TestLimits(t *testing.T) {
	losses := exponential(testRand(5), 200)
	risk := func(set Set, rho float64) Worst {
		w, err := WorstCase(set, nil, losses, rho)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	kl := risk(KL{}, .4).Risk
	var last float64 = 1
	for _, k := range []float64{1.1, 1.01, 1.001, 1.0001, 1 + 1e-9} {
		off := math.Abs(risk(CressieRead{k}, .4).Risk/kl - 1)
		if off > k-1 || off > last {
			t.Errorf("k %v: %g away from KL", k, off)
		}
		last = off
	}
	for _, mu := range []float64{.1, .3} {
		bound := SmoothedCVaR{mu}.Saturation()
		got, want := risk(SmoothedCVaR{mu}, bound), risk(CVaR{mu}, 1)
		if !within(got.Risk, want.Risk, 1e-15) {
			t.Errorf("mu %v: risk %v at saturation, CVaR %v", mu, got.Risk, want.Risk)
		}
		if !got.Saturated {
			t.Errorf("mu %v: not saturated at ρ_sat", mu)
		}
		if got := risk(SmoothedCVaR{mu}, bound*(1-1e-9)); got.Saturated || got.Z.Lambda == 0 {
			t.Errorf("mu %v: saturated below ρ_sat with μn an integer", mu)
		}
	}
}

// Penalised at the λ* of the constrained problem has the same solution, and its value is below the
// value at any other η.
func TestPenalised(t *testing.T) {
	losses := exponential(testRand(6), 200)
	ratios := make([]float64, len(losses))
	for _, set := range testSets() {
		if !set.HasRadius() {
			if _, err := Penalised(set, nil, losses, 1); err == nil ||
				!strings.Contains(err.Error(), "lambda") {
				t.Errorf("%v: error %v", set, err)
			}
			continue
		}
		w, err := WorstCase(set, nil, losses, .2)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Penalised(set, ratios, losses, w.Z.Lambda)
		if err != nil {
			t.Fatal(err)
		}
		if !within(got.Risk, w.Risk, 1e-11) {
			t.Errorf("%v: risk %v penalised, want %v as constrained", set, got.Risk, w.Risk)
		}
		if !within(got.Divergence, .2, 1e-9) {
			t.Errorf("%v: divergence %v penalised, want .2 as constrained", set, got.Divergence)
		}
		if !within(got.Z.Eta, w.Z.Eta, 1e-9) {
			t.Errorf("%v: η̃ = %v penalised, want %v as constrained", set, got.Z.Eta, w.Z.Eta)
		}
		p := Problem{Set: set, Rho: 1e-300, Coordinates: Unshifted}
		value := got.Risk - got.Z.Lambda*got.Divergence
		for _, shift := range []float64{-.1, -.001, 0, .001, .1} {
			f := p.Evaluate(nil, losses, Z{got.Z.Lambda, got.Z.Eta + shift}).Value
			if f < value-1e-12 || shift == 0 && !within(f, value, 1e-12) {
				t.Errorf("%v: dual %v at shift %v, value %v", set, f, shift, value)
			}
		}
	}
	if w, err := Penalised(KL{}, nil, []float64{3, 3}, .1); err != nil || w.Risk != 3 {
		t.Errorf("equal losses: %+v, %v", w, err)
	}
}

func TestWorstCaseExamples(t *testing.T) {
	ten := []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	w, err := WorstCase(CVaR{.2}, nil, ten, 0)
	if err != nil {
		t.Fatalf("CVaR of 0..9 at .2: %v", err)
	}
	if w.Risk != 8.5 {
		t.Errorf("CVaR of 0..9 at .2 is %v, want 8.5", w.Risk)
	}
	if got := w.EffectiveSampleSize; !within(got, 2, 1e-15) {
		t.Errorf("CVaR of 0..9 at .2 is the mean of %v samples, want 2", got)
	}
	// The paper's display, η inside the factor 1/μ, for the same η (math.md §3).
	display := math.Inf(1)
	for _, eta := range ten {
		var sum float64
		for _, l := range ten {
			sum += math.Max(0, l-eta) + eta
		}
		display = math.Min(display, sum/10/.2)
	}
	if display != 22.5 {
		t.Errorf("the paper's CVaR display: %v, want 22.5", display)
	}
	for mu, want := range map[float64]float64{.1: 3.25, .3: 2.04} {
		if got := (SmoothedCVaR{mu}).Saturation(); math.Abs(got-want) > .005 {
			t.Errorf("ρ_sat of μ = %v: %v, want %v", mu, got, want)
		}
	}
}

// The best λ for a fixed η, with the losses {.1,.5,1.2,3}, ρ = 1, η = −.3 and k = 1.5, is .8931,
// where the appendix's formula gives .7411 (math.md §3).
func TestLambdaGivenEta(t *testing.T) {
	p := Problem{Set: CressieRead{1.5}, Rho: 1, Coordinates: Paper}
	losses := []float64{.1, .5, 1.2, 3}
	lo, hi := .01, 10.0
	for range 100 {
		mid := (lo + hi) / 2
		if p.Evaluate(nil, losses, Z{mid, -.3}).Grad.Lambda < 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	if math.Abs(lo-.8931) > 5e-5 {
		t.Errorf("λ*(η) = %v, want .8931", lo)
	}
	x, star := 1+1.5*.5*1, 3.0
	var m float64
	for _, l := range losses {
		m += math.Pow(l+.3, star) / 4
	}
	if right := .5 * math.Pow(x, -1/star) * math.Pow(m, 1/star); math.Abs(right-lo) > 1e-9 {
		t.Errorf("closed form %v, root %v", right, lo)
	}
	if appendix := .5 / math.Pow(x, 1/1.5) * math.Pow(m, 1/star); math.Abs(appendix-.7411) > 5e-5 {
		t.Errorf("the appendix's form gives %v, want .7411", appendix)
	}
}

func TestWorstCaseErrors(t *testing.T) {
	ok := []float64{1, 2}
	for _, c := range []struct {
		set    Set
		ratios []float64
		losses []float64
		rho    float64
		want   string
	}{
		{KL{}, nil, nil, 1, "losses: none given"},
		{KL{}, nil, []float64{1, math.NaN()}, 1, "losses[1] NaN"},
		{KL{}, nil, []float64{math.Inf(1)}, 1, "losses[0] +Inf"},
		{KL{}, nil, []float64{1, 2, -3}, 1, "losses[2] -3"},
		{KL{}, nil, ok, 0, "rho 0"},
		{KL{}, nil, ok, math.NaN(), "rho NaN"},
		{KL{}, nil, ok, math.Inf(1), "rho +Inf"},
		{KL{}, make([]float64, 3), ok, 1, "ratios: length 3"},
		{CressieRead{1}, nil, ok, 1, "k 1:"},
		{CressieRead{2.5}, nil, ok, 1, "k 2.5"},
		{SmoothedCVaR{0}, nil, ok, 1, "mu 0"},
		{CVaR{1}, nil, ok, 1, "mu 1"},
	} {
		t.Run(c.want, func(t *testing.T) {
			_, err := WorstCase(c.set, c.ratios, c.losses, c.rho)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v %v %v: error %v, want one with %q", c.set, c.losses, c.rho,
					err, c.want)
			}
		})
	}
	if _, err := Curve(KL{}, ok, []float64{1, -1}); err == nil ||
		!strings.Contains(err.Error(), "rhos[1]") {
		t.Errorf("curve: error %v", err)
	}
	if _, err := Penalised(KL{}, nil, ok, 0); err == nil ||
		!strings.Contains(err.Error(), "lambda 0") {
		t.Errorf("penalised: error %v", err)
	}
}

// A large batch takes the solver's start from a share of its losses, which must not change the
// result, whether the losses are sorted or not.
func TestLargeBatch(t *testing.T) {
	losses := exponential(testRand(7), 3*subsampleMin)
	losses[1] = 1e6 // not in the share
	for _, set := range testsize.Few[Set](2, CressieRead{1.3}, KL{}, CressieRead{2},
		SmoothedCVaR{.1}) {
		for _, rho := range []float64{1e-6, .3, 5} {
			w, err := WorstCase(set, nil, losses, rho)
			if err != nil {
				t.Fatal(err)
			}
			s, err := newSample(losses)
			if err != nil {
				t.Fatal(err)
			}
			var in interior
			if in.prepare(set, s); in.divergence <= rho {
				continue
			}
			in.start = Z{1, .5}
			if cold := in.solve(nil, rho); !within(w.Risk, cold.Risk, 1e-11) {
				t.Errorf("%v rho %v: %v with the share's start, %v without", set, rho, w.Risk,
					cold.Risk)
			}
			p := Problem{Set: set, Rho: rho, Coordinates: Unshifted}
			f := p.Evaluate(nil, losses, w.Z).Value
			if !within(f, w.Risk, 1e-11) {
				t.Errorf("%v rho %v: dual %v, primal %v", set, rho, f, w.Risk)
			}
		}
	}
}

// S is the slope of the exact risk in √ρ as ρ falls. CVaR and total variation have none.
func TestSensitivityIsTheSlopeOfTheRisk(t *testing.T) {
	losses := exponential(testRand(141), 300)
	for _, set := range []Set{CressieRead{1.1}, CressieRead{1.5}, CressieRead{2}, KL{},
		SmoothedCVaR{.2}, SmoothedCVaR{.7}} {
		s, ok := Sensitivity(set, losses)
		for _, rho := range []float64{1e-6, 1e-10} {
			w, err := WorstCase(set, nil, losses, rho)
			if err != nil {
				t.Fatal(err)
			}
			slope := (w.Risk - w.MeanLoss) / math.Sqrt(rho)
			if !ok || math.Abs(s-slope) > 3*math.Sqrt(rho)*s {
				t.Errorf("%v: S is %v (%v), the slope at ρ %v is %v", set, s, ok, rho, slope)
			}
		}
	}
	for _, set := range []Set{CVaR{.2}, TV{}} {
		if s, ok := Sensitivity(set, losses); ok {
			t.Errorf("%v has the sensitivity %v, want none", set, s)
		}
	}
}
