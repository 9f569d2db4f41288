package dro

import "math"

// focal minimises the focal loss (1 − e^{−ℓ})^γ ℓ, where e^{−ℓ} is the probability that the network
// gives the right class. A sample that is already right adds little to it.
func focal() Method {
	return Method{
		Name: "focal", Doc: "focal loss (1 − e^{−ℓ})^γ ℓ: samples that are already right " +
			"count less",
		Source: "Lin, Goyal, Girshick, He, Dollár 2017 (arXiv 1708.02002), " +
			"of the cross-entropy",
		CrossEntropy: true,
		Settings: []Setting{{
			Key: "focal_gamma", Doc: "γ of the focal loss; 0 would be ERM",
			Default: Fixed(2), Want: "a number ≥ 1", Check: atLeast1,
		}},
		Measures: []Measure{{
			Name: "focal_loss", Title: "focal loss",
			Unit: "nats", Scale: Log, Better: Lower, Noisy: true,
			Doc: "mean (1 − e^{−ℓ})^γ ℓ of the x-batch, which is minimised",
		}},
		New: func(t Task) (Trainer, error) {
			return &focalTrainer{gamma: t.Number("focal_gamma")}, nil
		},
	}
}

// focalTrainer weighs each sample by the derivative of its focal loss with respect to ℓ.
type focalTrainer struct {
	Base
	gamma float64
	loss  float64 // the mean focal loss of the last batch that was weighed
}

// Weights implements Trainer: with q = 1 − e^{−ℓ}, the derivative of q^γ ℓ is
// q^γ + γ q^{γ−1} e^{−ℓ} ℓ, which tends to 0 as ℓ does.
func (f *focalTrainer) Weights(w []float64, b Batch) {
	f.loss = 0
	for i, l := range b.Losses {
		q := -math.Expm1(-l)
		power := math.Pow(q, f.gamma-1)
		w[i] = power * (q + f.gamma*math.Exp(-l)*l)
		f.loss += power * q * l / float64(len(b.Losses))
	}
}

// Report implements Trainer.
func (f *focalTrainer) Report(record func(string, float64)) { record("focal_loss", f.loss) }

// Form implements Trainer.
func (f *focalTrainer) Form(into []float64) Form {
	return Form{Kind: FormFocal, Numbers: append(into, f.gamma)}
}
