package dro

// erm is empirical risk minimisation: the mean loss.
func erm() Method {
	return Method{
		Name: ERM, Baseline: true, Doc: "empirical risk minimisation: the mean loss",
		New: func(Task) (Trainer, error) { return &ermTrainer{}, nil },
	}
}

// ermTrainer weighs every sample with 1.
type ermTrainer struct{ Base }

// Weights implements Trainer.
func (*ermTrainer) Weights(w []float64, b Batch) { fill(w[:len(b.Losses)], 1) }

// Samplewise implements Trainer.
func (*ermTrainer) Samplewise() func(w, losses []float64) {
	return func(w, _ []float64) { fill(w, 1) }
}

// Form implements Trainer.
func (*ermTrainer) Form(into []float64) Form { return Form{Kind: FormUniform, Numbers: into} }

func fill(w []float64, v float64) {
	for i := range w {
		w[i] = v
	}
}
