package dro

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
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
			{Key: "afr_split", Choices: []string{valSplit, trainSplit},
				Doc: "samples for the last layer: val, or a fifth of train, which ERM then " +
					"does without",
				Want: "val or train", Default: Fixed(0), Fixed: true},
		},
		New: newAFR,
	}
}

func newAFR(t Task) (Trainer, error) {
	a := &afrTrainer{refitBase: refitBase{on: FitTo{Split: valSplit, Share: 1}},
		gamma: t.Number("afr_gamma"), lambda: t.Number("afr_lambda")}
	if t.Number("afr_split") == 1 {
		a.on, a.flags = FitTo{Split: trainSplit, Share: apartShare}, setApart(t.Samples, t.Keys)
		kept := slices.DeleteFunc(slices.Clone(a.flags), func(apart bool) bool { return apart })
		if t.Keys != nil && (len(kept) == t.Samples || len(kept) == 0) {
			return nil, fmt.Errorf("a fifth of the training samples is set apart for the last "+
				"layer, which their keys do not allow: %w", errFewKeys)
		}
		a.plain = float64(t.Samples) / float64(len(kept)) // so that the weights have mean 1
		return a, nil
	}
	if len(t.Val) == 0 {
		return nil, fmt.Errorf("there is no validation split to fit the last layer to: set " +
			"val_fraction, use data with a validation split, or set afr_split to train")
	}
	return a, nil
}

// afrTrainer marks the training samples that are kept for the last layer. None are if the layer is
// fitted to the validation split.
type afrTrainer struct {
	refitBase
	flagWeights
	gamma, lambda float64
}

// apartShare is the share of the training samples that is set apart for the last layer. As in the
// source, ERM has the other four fifths.
const apartShare = .2

// setApart draws the part of n training samples that the last layer is fitted to. The draw depends
// on n and the keys alone, so all seeds share it and a resumed run repeats it.
func setApart(n int, keys []uint32) []bool {
	rng := rand.New(rand.NewPCG(uint64(n), 0x616672))
	if keys != nil {
		return drawKeys(rng, keys, apartShare)
	}
	apart := make([]bool, n)
	order := rng.Perm(n)
	for _, i := range order[:int(apartShare*float64(n))] {
		apart[i] = true
	}
	return apart
}

// Samplewise implements Trainer. It returns nil where samples are set apart, because a weight then
// depends on the sample's index.
func (a *afrTrainer) Samplewise() func(w, losses []float64) {
	if a.flags != nil {
		return nil
	}
	return a.refitBase.Samplewise()
}

// Refit implements Refitter. The layer minimises Σ μ_i ℓ_i + λ‖(W, b) − (W, b)_ERM‖², with
// μ_i ∝ exp(−γ p_i)/n_y and Σ μ_i = 1. Here p_i is ERM's probability of i's class, and n_y the
// number of samples of that class. Nothing is drawn at random.
func (a *afrTrainer) Refit(
	old Layer, of Splits, _ uint64, between func(Fit) error,
) (to Layer, how string, err error) {
	held, err := of(a.on.Split)
	if err != nil {
		return old, "", err
	}
	if a.flags != nil {
		var apart []int
		for i, is := range a.flags {
			if is {
				apart = append(apart, i)
			}
		}
		held = held.at(apart)
	}
	rows, classes := held.rows(), len(old.Bias)
	if len(rows) == 0 {
		return old, "", fmt.Errorf("afr: %w", errNoSample)
	}
	mu := a.weights(&old, rows, held.Labels)
	f := newSoftmaxFit(rows, held.Labels, mu, flatten(old), classes)
	f.ridge, f.start = a.lambda, flatten(old)
	count := fits{Fit{0, 1}, between}
	if err := f.run(count.next()); err != nil {
		return old, "", err
	}
	a.done = true
	how = fmt.Sprintf("cross-entropy weighted by exp(−%g p) over the size of the class, held "+
		"near ERM's layer by λ = %g", a.gamma, a.lambda)
	if a.flags != nil {
		how += fmt.Sprintf("; it used the %d samples that are set apart", len(rows))
	}
	return unflatten(f.w, classes), how, nil
}

// weights returns the weights μ of Refit, one for each row; old is ERM's layer.
func (a *afrTrainer) weights(old *Layer, rows [][]float64, labels []int) []float64 {
	classes := len(old.Bias)
	counts, mu := make([]float64, classes), make([]float64, len(rows))
	for _, y := range labels {
		counts[y]++
	}
	f := newSoftmaxFit(rows, labels, mu, flatten(*old), classes)
	f.logits()
	sum := 0.0
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
