package dro

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// afr is automatic feature reweighting: it trains by ERM, then refits the last layer to held-out
// samples. The less sure ERM is of a sample's class, the more the sample weighs. It does not use
// groups.
func afr() Method {
	return Method{
		Name: "afr",
		Doc: "ERM, then the last layer refitted to held-out samples, weighted by ERM's " +
			"confidence",
		Source: "Qiu, Potapczynski, Izmailov, Wilson 2023 (arXiv 2306.11074), both stages; " +
			"the last layer goes to its minimum, not a fixed number of steps",
		Uses: "labels", CrossEntropy: true, Refits: true,
		Settings: []Setting{
			{Key: "afr_gamma",
				Doc: "γ in a sample's weight exp(−γ p), where p is ERM's probability of " +
					"its class",
				Default: Fixed(4), Want: "a number ≥ 0",
				Check: func(x float64) bool { return x >= 0 }},
			{Key: "afr_lambda", Doc: "λ in λ‖W − ERM's W‖², which keeps the last layer near " +
				"ERM's",
				Default: Fixed(.001), Want: "a number > 0", Check: above0},
			{Key: "afr_split", Choices: []string{refitVal, refitTrain},
				Doc: "samples for the last layer: val, or a fifth of train, which ERM then " +
					"does without",
				Want: "val or train", Default: Fixed(0), Fixed: true},
		},
		New: newAFR,
	}
}

func newAFR(t Task) (Trainer, error) {
	a := &confident{refitting: refitting{split: refitVal},
		gamma: t.Number("afr_gamma"), lambda: t.Number("afr_lambda")}
	if t.Number("afr_split") == 1 {
		a.split, a.apart = refitTrain, setApart(t.Samples)
		return a, nil
	}
	if len(t.Val) == 0 {
		return nil, fmt.Errorf("there is no validation split to fit the last layer to: set " +
			"val_fraction, use data with a validation split, or set afr_split to train")
	}
	return a, nil
}

type confident struct {
	refitting
	gamma, lambda float64
	apart         []bool // training samples kept for the last layer; nil if it is fitted to val
}

// apartShare is the share of the training samples that is set apart for the last layer. As in the
// source, ERM has the other four fifths.
const apartShare = .2

// setApart draws the part of n training samples that the last layer is fitted to. The draw depends
// on n alone, so all seeds share it and a resumed run repeats it.
func setApart(n int) []bool {
	apart := make([]bool, n)
	order := rand.New(rand.NewPCG(uint64(n), 0x616672)).Perm(n)
	for _, i := range order[:int(apartShare*float64(n))] {
		apart[i] = true
	}
	return apart
}

// Weights implements Trainer. Samples that are set apart weigh 0, and all others weigh the same.
// The mean over the training split is 1.
func (a *confident) Weights(w []float64, b Batch) {
	a.refitting.Weights(w, b)
	if a.apart == nil {
		return
	}
	n := len(a.apart)
	scale := float64(n) / float64(n-int(apartShare*float64(n)))
	for i, sample := range b.Index {
		w[i] = scale
		if a.apart[sample] {
			w[i] = 0
		}
	}
}

// Samplewise implements Trainer. It returns nil where samples are set apart, because a weight then
// depends on the sample's index.
func (a *confident) Samplewise() func(w, losses []float64) {
	if a.apart != nil {
		return nil
	}
	return a.refitting.Samplewise()
}

// Refit implements Refitter. The layer minimises Σ μ_i ℓ_i + λ‖(W, b) − (W, b)_ERM‖², with
// μ_i ∝ exp(−γ p_i)/n_y and Σ μ_i = 1. Here p_i is ERM's probability of i's class, and n_y the
// number of samples of that class. Nothing is drawn at random.
func (a *confident) Refit(at Layer, on Held, _ uint64) (to Layer, how string, err error) {
	if a.apart != nil {
		on = on.only(a.apart)
	}
	rows, classes := on.wide(), len(at.Bias)
	if len(rows) == 0 {
		return at, "", fmt.Errorf("afr: there is no sample to fit the last layer to")
	}
	mu := a.weights(&at, rows, on.Labels)
	f := newSoftmaxFit(rows, on.Labels, mu, flat(at), classes)
	f.ridge, f.start = a.lambda, flat(at)
	f.run()
	a.done = true
	how = fmt.Sprintf("cross-entropy weighted by exp(−%g p) over the size of the class, held "+
		"near ERM's layer by λ = %g", a.gamma, a.lambda)
	if a.apart != nil {
		how += fmt.Sprintf("; it used the %d samples that are set apart", len(rows))
	}
	return layerOf(f.w, classes), how, nil
}

// weights returns the weights μ of Refit, one for each row; at is ERM's layer.
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
