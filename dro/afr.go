package dro

import (
	"fmt"
	"math"
)

// afr is automatic feature reweighting: ERM, and then the last layer again on held-out
// samples, of which those weigh more that ERM is less sure of. It knows no groups.
func afr() Method {
	return Method{
		Name: "afr",
		Doc:  "ERM, then the last layer again on held-out samples, weighted by ERM's confidence",
		Source: "Qiu, Potapczynski, Izmailov, Wilson 2023 (arXiv 2306.11074); the minimum in " +
			"place of so many steps towards it",
		Uses: "labels", CrossEntropy: true, Refits: true,
		Settings: []Setting{
			{Key: "afr_gamma",
				Doc:     "γ of a sample's weight exp(−γ p), p ERM's probability of its class",
				Default: Fixed(4), Want: "a number ≥ 0",
				Check: func(x float64) bool { return x >= 0 }},
			{Key: "afr_lambda", Doc: "λ of λ‖W − ERM's W‖², which holds the last layer near ERM's",
				Default: Fixed(.001), Want: "a number > 0", Check: above0},
		},
		New: func(t Task) (Trainer, error) {
			if len(t.Val) == 0 {
				return nil, fmt.Errorf("there is no validation split for the last layer to be " +
					"fitted to: give a val_fraction, or data that have one")
			}
			return &confident{refitting: refitting{split: refitVal},
				gamma: t.Number("afr_gamma"), lambda: t.Number("afr_lambda")}, nil
		},
	}
}

type confident struct {
	refitting
	gamma, lambda float64
}

// Refit implements Refitter: the least of Σ μ_i ℓ_i + λ‖(W, b) − (W, b)_ERM‖² with
// μ_i ∝ exp(−γ p_i)/n_y, n_y the samples of i's class, Σ μ_i = 1. Nothing is drawn.
func (a *confident) Refit(at Layer, on Held, _ uint64) (to Layer, how string, err error) {
	rows, classes := on.wide(), len(at.Bias)
	if len(rows) == 0 {
		return at, "", fmt.Errorf("afr: there is no sample to fit the last layer to")
	}
	mu := a.weights(&at, rows, on.Labels)
	f := newSoftmaxFit(rows, on.Labels, mu, flat(at), classes)
	f.ridge, f.start = a.lambda, flat(at)
	f.run()
	a.done = true
	return layerOf(f.w, classes), fmt.Sprintf("cross-entropy weighted by exp(−%g p) over the "+
		"size of the class, held near ERM's layer by λ = %g", a.gamma, a.lambda), nil
}

// weights are μ.
func (a *confident) weights(at *Layer, rows [][]float64, labels []int) []float64 {
	classes := len(at.Bias)
	counts, mu, sum := make([]float64, classes), make([]float64, len(rows)), 0.0
	for _, y := range labels {
		counts[y]++
	}
	f := newSoftmaxFit(rows, labels, mu, flat(*at), classes)
	f.logits()
	for i, y := range labels {
		p := f.e[y*len(rows)+i] / f.sum[i]
		mu[i] = math.Exp(-a.gamma*p) / counts[y]
		sum += mu[i]
	}
	for i := range mu {
		mu[i] /= sum
	}
	return mu
}
