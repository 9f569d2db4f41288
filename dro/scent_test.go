package dro

import (
	"math"
	"strings"
	"testing"
)

// klProblem is the problem of KL at a radius, with a box that contains the optimum of small losses.
func klProblem(rho float64) *Problem {
	p := &Problem{Set: KL{}, Rho: rho, Coordinates: Unshifted}
	p.Box = DefaultBox(p.Set, rho, p.Coordinates, .05, 10)
	return p
}

// nuOf returns ν after a step of scent on a batch, started at the given ν.
func nuOf(t *testing.T, alpha Auto, lambda, nu float64, b Batch) float64 {
	t.Helper()
	trainer := newTrainer(t, "scent", nil, map[string]Auto{"scent_alpha": alpha,
		"lambda": Fixed(lambda)})
	start := State{Numbers: map[string]float64{"nu": nu, "begun": 1, "log_alpha": 0}}
	if err := trainer.Restore(start); err != nil {
		t.Fatal(err)
	}
	trainer.Before(b)
	return trainer.State().Numbers["nu"]
}

// The step on ν is the minimum of α(m e^{−ν} + ν) + D(ν, ν_t), with D the Bregman distance of
// e^{−ν}: e^{−ν} − e^{−ν_t} + e^{−ν_t}(ν − ν_t). The slope of that function is bisected here.
func TestScentTakesTheProximalStep(t *testing.T) {
	rng := testRand(120)
	for range 300 {
		lambda, alpha, from := .2+rng.Float64(), math.Exp(4*rng.NormFloat64()), 3*rng.NormFloat64()
		b := Batch{Losses: exponential(rng, 1+rng.IntN(20))}
		m := 0.0
		for _, l := range b.Losses {
			m += math.Exp(l/lambda) / float64(len(b.Losses))
		}
		slope := func(nu float64) float64 {
			return alpha*(1-m*math.Exp(-nu)) - math.Exp(-nu) + math.Exp(-from)
		}
		low, high := -100., 100.
		for range 100 {
			if middle := (low + high) / 2; slope(middle) < 0 {
				low = middle
			} else {
				high = middle
			}
		}
		if got := nuOf(t, Fixed(alpha), lambda, from, b); !within(got, low, 1e-12) &&
			math.Abs(got-low) > 1e-12 {
			t.Errorf("λ %v, α %v, ν %v, m %v: ν becomes %v, the minimum is at %v", lambda, alpha,
				from, m, got, low)
		}
	}
}

// As α → ∞ a batch has its own denominator, as in tilted with t = 1/λ, and so has the first batch
// whatever α is. As α → 0 nothing moves.
func TestScentBetweenTiltedAndARest(t *testing.T) {
	rng := testRand(121)
	b := Batch{Losses: exponential(rng, 40)}
	w, want := make([]float64, 40), make([]float64, 40)
	newTrainer(t, "tilted", nil, map[string]Auto{"tilt": Fixed(1 / .3)}).Weights(want, b)
	for name, c := range map[string]struct {
		alpha Auto
		start float64
	}{"α 1e300": {Fixed(1e300), 1}, "the first batch": {Fixed(.01), 0}} {
		trainer := newTrainer(t, "scent", nil, map[string]Auto{"scent_alpha": c.alpha,
			"lambda": Fixed(.3)})
		trainer.Restore(State{Numbers: map[string]float64{"nu": 2, "begun": c.start,
			"log_alpha": 0}})
		trainer.Before(b)
		trainer.Weights(w, b)
		for i := range w {
			if !within(w[i], want[i], 1e-12) {
				t.Errorf("%s: weight %d is %v, want %v, as of tilted", name, i, w[i], want[i])
			}
		}
	}
	if nu := nuOf(t, Fixed(1e-300), .3, 2, b); nu != 2 {
		t.Errorf("α 1e-300: ν moves from 2 to %v", nu)
	}
}

// y = e^ν is a moving average with the share γ = αy/(1+αy) of the batch, and no weight exceeds n/γ.
// Where γ is fixed, as in scdro at a λ that cannot move, it is the average of SOX.
func TestAveragesOfExponentials(t *testing.T) {
	rng := testRand(122)
	p := klProblem(.1)
	p.Box.Lambda = [2]float64{.5, .5}
	const alpha, beta = .3, .2
	scent := newTrainer(t, "scent", p, map[string]Auto{"scent_alpha": Fixed(alpha),
		"lambda": Fixed(.5)})
	sox := newTrainer(t, "scdro", p, map[string]Auto{"scdro_beta": Fixed(beta)})
	var y, s float64
	w := make([]float64, 16)
	for i := range 50 {
		b, m := Batch{Losses: exponential(rng, 16)}, 0.0
		for _, l := range b.Losses {
			m += math.Exp(l/.5) / 16
		}
		gamma, share := alpha*y/(1+alpha*y), beta
		if i == 0 {
			gamma, share = 1, 1
		}
		y, s = (1-gamma)*y+gamma*m, (1-share)*s+share*m
		for _, c := range []struct {
			name    string
			trainer Trainer
			want    float64
			most    float64
		}{{"scent", scent, y, 16 / gamma}, {"scdro", sox, s, 16 / share}} {
			step(c.trainer, w, b, Step{T: int64(i + 1), Rate: .1})
			for j, l := range b.Losses {
				if want := math.Exp(l/.5) / c.want; !within(w[j], want, 1e-12) || w[j] > c.most {
					t.Errorf("%s, step %d: weight %d is %v, want %v, at most %v", c.name, i+1, j,
						w[j], want, c.most)
				}
			}
		}
	}
}

// Losses whose exponentials overflow or vanish keep their weights.
func TestScentIsStable(t *testing.T) {
	for _, base := range []float64{0, 1e6} {
		trainer := newTrainer(t, "scent", nil, map[string]Auto{"lambda": Fixed(.01)})
		w := make([]float64, 4)
		b := Batch{Losses: []float64{base, base + 1e4, base + 1e4, base + 5e3}}
		for range 2 {
			step(trainer, w, b, Step{})
			for i, want := range []float64{0, 2, 2, 0} {
				if math.Abs(w[i]-want) > 1e-6 {
					t.Errorf("from %v: weight %d is %v, want %v", base, i, w[i], want)
				}
			}
		}
	}
}

// After a first batch of large losses y falls slowly, so the weights of the next ones vanish, and a
// warning says so.
func TestScentWarnsOfNoGradient(t *testing.T) {
	trainer := newTrainer(t, "scent", nil, map[string]Auto{"lambda": Fixed(1)})
	w := make([]float64, 1)
	step(trainer, w, Batch{Losses: []float64{1000}}, Step{})
	if got := trainer.(Warner).Warning(); got != "" {
		t.Errorf("after the first batch: %q, want no warning", got)
	}
	step(trainer, w, Batch{Losses: []float64{1}}, Step{})
	if got := trainer.(Warner).Warning(); !strings.Contains(got, "raise lambda or scent_alpha") {
		t.Errorf("the weight is %v and the warning %q, want the remedy in it", w[0], got)
	}
}

// Where α is auto, half of y comes from the second batch, whatever the scale of the losses is. A
// resumed run has the α of its first batch, and an α that is set takes precedence.
func TestScentAlphaIsOfTheFirstBatch(t *testing.T) {
	for _, l := range []float64{.1, 3, 700} {
		trainer := newTrainer(t, "scent", nil, map[string]Auto{"lambda": Fixed(.5)})
		trainer.Before(Batch{Losses: []float64{l}})
		trainer.Before(Batch{Losses: []float64{l + .5*math.Log(3)}}) // 3 times y
		if got, want := trainer.State().Numbers["nu"], 2*l+math.Log(2); !within(got, want, 1e-12) {
			t.Errorf("ℓ = %v: ν is %v after two batches, want %v", l, got, want)
		}
		resumed := newTrainer(t, "scent", nil, map[string]Auto{"lambda": Fixed(.5),
			"scent_alpha": Fixed(7)})
		if err := resumed.Restore(trainer.State()); err != nil {
			t.Fatal(err)
		}
		if got := resumed.State().Numbers["log_alpha"]; got != math.Log(7) {
			t.Errorf("log α is %v where α is set, want log 7", got)
		}
	}
}

// With full batches scent comes to the minimum of λ log mean e^{ℓ/λ} over x and to the η that is
// the best there, as the exact solver of the penalised problem finds it. Its F is then that
// solver's value.
func TestScentReachesTheOptimum(t *testing.T) {
	l := newRegressionProblem(testRand(123), 80, 2, square, func(m float64) float64 { return m })
	p := klProblem(.1)
	trainer := newTrainer(t, "scent", p, map[string]Auto{"lambda": Fixed(.5)})
	x, _, _ := l.train(t, trainer, p, 4000, .05)
	values, slopes := make([]float64, 80), make([]float64, 80)
	l.losses(values, slopes, x, l.all())
	want, err := Penalised(p.Set, nil, values, .5)
	if err != nil {
		t.Fatal(err)
	}
	z := trainer.(Dual).Z()
	if math.Abs(z.Eta-want.Z.Eta) > 1e-9 || z.Lambda != .5 {
		t.Errorf("z is %v, want λ = .5 and η = %v", z, want.Z.Eta)
	}
	value := want.Risk + .5*(p.Rho-want.Divergence)
	if got := reported(trainer)["objective"]; !within(got, value, 1e-9) {
		t.Errorf("F is %v, want %v", got, value)
	}
	ratios, gradient := make([]float64, 80), make([]float64, 2)
	p.Evaluate(ratios, values, z)
	if l.descend(gradient, ratios, slopes, l.all(), 1); length(gradient) > 1e-8 {
		t.Errorf("‖∇_x F‖ is %v at the end, want at most 1e-8", length(gradient))
	}
}

// Only in runs whose uncertainty set is KL do the methods of KL have a z: F of another set is the
// objective of another problem.
func TestMethodsOfKLHaveTheirZInKLAlone(t *testing.T) {
	for _, m := range Methods() {
		if !m.KL {
			continue
		}
		for _, p := range testProblems(.5) {
			if m.Applies(p.Set) != nil {
				continue
			}
			_, kl := p.Set.(KL)
			trainer := newTrainer(t, m.Name, p, nil)
			step(trainer, make([]float64, 3), Batch{Losses: []float64{1, 2, 3}}, Step{T: 1})
			if _, dual := trainer.(Dual); dual != kl {
				t.Errorf("%s on %v has a z: %v, want %v", m.Name, p, dual, kl)
			}
			if _, shown := reported(trainer)["objective"]; shown != kl {
				t.Errorf("%s on %v shows its objective: %v, want %v", m.Name, p, shown, kl)
			}
		}
	}
}
