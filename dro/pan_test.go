package dro

import (
	"math"
	"testing"
)

// pan with smoothed CVaR is the "safe KL" of Gladin and others (arXiv 2509.24894), which minimises
// η + (λ/μ) mean log(1 + μ e^{(ℓ−η)/λ}): at η + λ log(1−μ) in the place of η, its weights are those
// of pan to the last digits, and its objective differs by a constant.
func TestPANOnSmoothedCVaRIsSafeKL(t *testing.T) {
	rng := testRand(140)
	for range 200 {
		mu, lambda := rng.Float64(), .1+3*rng.Float64()
		p := &Problem{Set: SmoothedCVaR{mu}, Rho: .3, Coordinates: Unshifted}
		p.Box = Box{Lambda: [2]float64{lambda, lambda}, Eta: [2]float64{-20, 20}}
		trainer := newTrainer(t, PAN, p, startAt(Z{lambda, 4 * rng.NormFloat64()}))
		b, w := Batch{Losses: exponential(rng, 20)}, make([]float64, 20)
		trainer.Weights(w, b)
		eta, mean := trainer.(Dual).Z().Eta+lambda*math.Log1p(-mu), 0.0
		for i, l := range b.Losses {
			e := math.Exp((l - eta) / lambda)
			if want := e / (1 + mu*e); math.Abs(w[i]-want) > 1e-14*(1+want) {
				t.Errorf("μ %v, λ %v: weight %d is %v, that of safe KL %v", mu, lambda, i, w[i],
					want)
			}
			mean += math.Log1p(mu*e) / 20
		}
		constant := lambda*p.Rho + lambda*math.Log1p(-mu)*(1/mu-1)
		value := eta + lambda/mu*mean + constant
		got := reported(trainer)["objective"]
		if math.Abs(got-value) > 1e-10*(1+math.Abs(constant)) {
			t.Errorf("μ %v, λ %v: F is %v, that of safe KL with the constant %v", mu, lambda, got,
				value)
		}
	}
}
