package dro

import (
	"math"
	"slices"
)

// tilted minimises the tilted loss (1/t) log mean e^{tℓ} of each batch, which lies between the mean
// (t → 0) and the largest loss (t → ∞). It is the penalised problem of KL at λ = 1/t with the
// batch's own η.
func tilted() Method {
	return Method{
		Name: "tilted", Doc: "tilted loss (1/t) log mean e^{tℓ} of the batch: weights e^{tℓ}",
		Source: "Li, Beirami, Sanjabi, Smith 2021 (TERM, arXiv 2007.01162), batch form",
		Settings: []Setting{{
			Key: "tilt", Doc: "t of the tilted loss; near 0 it is the mean, at ∞ the largest " +
				"loss",
			Default: Fixed(1), Want: "a number > 0", Check: above0, Live: true,
		}},
		Measures: []Measure{
			{Name: "tilted_loss", Title: "tilted loss",
				Unit: "nats", Scale: Log, Better: Lower, Noisy: true,
				Doc: "(1/t) log mean e^{tℓ} of the x-batch: on average below its value over " +
					"all samples"},
			effectiveBatch(),
		},
		New: func(t Task) (Trainer, error) { return &tiltedTrainer{t: t.Number("tilt")}, nil },
	}
}

// tiltedTrainer has no state, since the mean is over the batch alone.
type tiltedTrainer struct {
	Base
	t               float64
	loss, effective float64 // of the last batch that was weighed
}

// Weights implements Trainer: e^{tℓ}/mean e^{tℓ}, computed relative to the largest loss, so that
// nothing overflows.
func (t *tiltedTrainer) Weights(w []float64, b Batch) {
	n, most := float64(len(b.Losses)), slices.Max(b.Losses)
	var sum, squares float64
	for i, l := range b.Losses {
		w[i] = math.Exp(t.t * (l - most))
		sum += w[i]
		squares += w[i] * w[i]
	}
	for i := range b.Losses {
		w[i] *= n / sum
	}
	t.loss, t.effective = most+math.Log(sum/n)/t.t, sum*sum/squares
}

// Report implements Trainer.
func (t *tiltedTrainer) Report(record func(string, float64)) {
	record("tilted_loss", t.loss)
	record("effective_batch", t.effective)
}

// Form implements Trainer.
func (t *tiltedTrainer) Form(into []float64) Form {
	return Form{Kind: FormTilted, Numbers: append(into, t.t)}
}
