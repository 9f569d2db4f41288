package dro

import (
	"math"
	"testing"
)

// scdro takes its steps as the paper's formulas state them, computed here with plain exponentials:
// y and the weights before λ moves, on the losses of the x-batch, and the average of ∂F/∂λ from 0.
func TestSCDROTakesTheStepsOfItsSource(t *testing.T) {
	rng := testRand(130)
	const beta, rho, rate = .3, .2, .05
	p := klProblem(rho)
	trainer := newTrainer(t, "scdro", p, map[string]Auto{"scdro_beta": Fixed(beta)})
	lambda, y, v := 1., 0., 0.
	w := make([]float64, 12)
	for i := range 40 {
		b, m, lm := Batch{Losses: exponential(rng, 12)}, 0., 0.
		for _, l := range b.Losses {
			m += math.Exp(l/lambda) / 12
			lm += l * math.Exp(l/lambda) / 12
		}
		if y = (1-beta)*y + beta*m; i == 0 {
			y = m
		}
		step(trainer, w, b, Step{T: int64(i + 1), Rate: rate})
		for j, l := range b.Losses {
			if want := math.Exp(l/lambda) / y; !within(w[j], want, 1e-12) {
				t.Errorf("step %d: weight %d is %v, want %v", i+1, j, w[j], want)
			}
		}
		v = (1-beta)*v + beta*(math.Log(y)+rho-lm/(lambda*y))
		lambda = math.Max(.05, lambda-rate*v)
		if got := trainer.(Dual).Z().Lambda; !within(got, lambda, 1e-12) {
			t.Errorf("step %d: λ is %v, want %v", i+1, got, lambda)
		}
	}
	if v == 0 || lambda == 1 {
		t.Error("λ has not moved: the test cannot tell")
	}
}

// λ stays between its bounds, at the start, after steps and after a change of the bounds.
func TestSCDROKeepsLambdaInItsBox(t *testing.T) {
	p := klProblem(.5)
	p.Box.Lambda = [2]float64{.5, 2}
	for _, start := range []float64{.1, 9} {
		trainer := newTrainer(t, "scdro", p, map[string]Auto{"lambda": Fixed(start)})
		rng, w := testRand(131), make([]float64, 8)
		for i := range 20 {
			if z := trainer.(Dual).Z(); z.Lambda < .5 || z.Lambda > 2 {
				t.Fatalf("from %v, step %d: λ is %v, want one in [.5, 2]", start, i, z.Lambda)
			}
			step(trainer, w, Batch{Losses: exponential(rng, 8)}, Step{T: int64(i + 1), Rate: 50})
		}
	}
}

// Where λ has risen, weights may all but vanish, down to the least numbers. No measure fails on
// them, and a warning says why the network stands still.
func TestSCDROBesideAStaleAverage(t *testing.T) {
	for _, nu := range []float64{100, 600, 740, 2000} {
		trainer := newTrainer(t, "scdro", klProblem(.1), nil)
		err := trainer.Restore(State{Numbers: map[string]float64{"lambda": 1, "lambda_slope": 0,
			"nu": nu, "begun": 1}})
		if err != nil {
			t.Fatal(err)
		}
		b := Batch{Losses: []float64{2, 2, 0, 0}}
		step(trainer, make([]float64, 4), b, Step{T: 1})
		got, want := reported(trainer)["effective_batch"], 0.0
		if nu < 740 {
			want = 2 * (math.E*math.E + 1) * (math.E*math.E + 1) / (math.Exp(4) + 1)
		}
		if nu != 740 && !within(got, want, 1e-12) || !(got >= 0 && got <= 4) {
			t.Errorf("ν = %v: the effective batch is %v, want %v", nu, got, want)
		}
		if trainer.(Warner).Warning() == "" {
			t.Errorf("ν = %v: no warning of weights that vanish", nu)
		}
	}
}

// With full batches scdro comes to the least exact risk of KL, with a gap of 0: its λ and η are
// then those of the exact worst case.
func TestSCDROReachesTheOptimum(t *testing.T) {
	l := newRegressionProblem(testRand(132), 50, 2, square, func(m float64) float64 { return m })
	for _, rho := range []float64{.05, .3} {
		p := klProblem(rho)
		best := l.best(t, p.Set, rho, 2)
		trainer := newTrainer(t, "scdro", p, nil)
		_, risk, gap := l.train(t, trainer, p, 6000, .05)
		z := trainer.(Dual).Z()
		if !(risk <= best.Risk*(1+1e-6)) || !(gap <= best.Risk*1e-6) ||
			math.Abs(z.Lambda-best.Z.Lambda) > 1e-3 {
			t.Errorf("ρ %v: R %v, F − R %v at λ %v, want R %v and 0 at λ %v", rho, risk, gap,
				z.Lambda, best.Risk, best.Z.Lambda)
		}
	}
}
