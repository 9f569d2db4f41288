package dro

// flagWeights weighs a sample by a flag. Without flags every sample weighs 1.
type flagWeights struct {
	Base
	flags         []bool  // one for each training sample, or nil
	plain, marked float64 // weights of the samples without the flag and with it
}

// Weights implements Trainer.
func (f *flagWeights) Weights(w []float64, b Batch) {
	fill(w[:len(b.Losses)], 1)
	if f.flags == nil {
		return
	}
	for i, sample := range b.Index {
		w[i] = f.plain
		if f.flags[sample] {
			w[i] = f.marked
		}
	}
}

// Form implements Trainer.
func (f *flagWeights) Form(into []float64) Form {
	if f.flags == nil {
		return Form{Kind: FormUniform, Numbers: into}
	}
	return Form{Kind: FormByFlag, Numbers: append(into, f.plain, f.marked), Flags: f.flags}
}
