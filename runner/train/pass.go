package train

import (
	"slices"

	"drolab/dro/nn"
	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/data/loader"
	"drolab/runner/measure"
	"drolab/runner/spec"
)

// Pass runs the network over a split, in evaluation mode. If sure is set, it also records the
// confidence of each prediction, which costs some time. The error is a *BrokenError if a loss is
// not finite.
func (r *Run) Pass(split string, sure bool) (*measure.Pass, error) {
	each := sure && r.scores(Source(r.Data, split).Len())
	p, err := r.Predict(split, sure, each, nil)
	// the last steps broke the network, each at a finite loss
	if err == nil && !spec.AllFinite(p.Losses...) {
		wild := func(l float64) bool { return !spec.AllFinite(l) }
		first := p.Losses[slices.IndexFunc(p.Losses, wild)]
		err = &BrokenError{r.step, "the loss of a sample", first, r.cure()}
	}
	return p, err
}

// Predict is Pass, but lets losses be anything. With each, it records the probability of every
// class. It calls progress, unless that is nil, after each batch with the number of samples that
// are done, and the number of all. An error from progress ends it.
func (r *Run) Predict(
	split string, sure, each bool, progress func(done, of int) error,
) (*measure.Pass, error) {
	n, kinds := Source(r.Data, split).Len(), len(r.Data.Classes)
	p := &measure.Pass{
		Losses: make([]float64, n), Correct: make([]bool, n),
		Labels: make([]int, n), Groups: make([]int, n),
	}
	in := r.Data.MeasuredIn(Source(r.Data, split))
	if sure {
		p.Confidences, p.Predictions = make([]float64, n), make([]int, n)
	}
	if each {
		p.Probabilities = make([]float32, n*kinds)
	}
	classes := make([]int, len(r.losses))
	err := r.EachBatch(split, func(b Batch, from int) error {
		r.Net.Losses(p.Losses[from:], b, nil)
		o := Outputs{Classes: classes}
		if sure {
			o.Confidences, o.Classes = p.Confidences[from:], p.Predictions[from:]
		}
		if each {
			o.Probabilities = p.Probabilities[from*kinds:][:b.N*kinds]
		}
		r.Net.Outputs(o)
		for i := range b.N {
			p.Correct[from+i] = o.Classes[i] == b.Labels[i]
			p.Labels[from+i], p.Groups[from+i] = b.Labels[i], b.Groups[i]
			if r.Data.Members != nil {
				p.Members = append(p.Members, slices.Clone(in(from+i)))
			}
		}
		if err := r.Net.Err(); err != nil || progress == nil {
			return err
		}
		return progress(from+b.N, n)
	})
	return p, err
}

// scores reports whether a pass over so many samples keeps the probability of every class. With two
// classes the confidence has them already. A program would have to compute and send them at each
// evaluation, so they are requested from it only if the run selects by a measure that needs them.
func (r *Run) scores(samples int) bool {
	by, _ := r.Meta.Selector()
	kinds := len(r.Data.Classes)
	few := samples*kinds <= measure.MostScores && r.Meta.Program == nil
	return kinds > 2 && (few || by.Scores())
}

// Source returns the samples of a split of d; nil if d has no such split.
func Source(d *data.Dataset, split string) data.Source {
	switch split {
	case runner.SplitTest:
		return d.Test
	case runner.SplitVal:
		return d.Val
	}
	return d.Train
}

// EachBatch calls f with every batch of a split, in order and in evaluation mode, and with the
// index of the batch's first sample. An error of f ends it. The last batch may be shorter: unlike
// in an epoch of training, no sample is dropped. The batch is valid until f returns.
func (r *Run) EachBatch(split string, f func(b Batch, from int) error) error {
	src := Source(r.Data, split)
	loader, err := loader.NewSequential(src, r.LoaderOptions(split, nn.Evaluate, 0, len(r.losses)))
	if err != nil {
		return err
	}
	defer loader.Close()
	for from := 0; from < src.Len(); {
		b := Batch{split, nn.Evaluate, loader.Next()}
		if err := f(b, from); err != nil {
			return err
		}
		from += b.N
	}
	return nil
}

// GradNorm returns ‖mean w_i ∇ℓ_i‖ over the training split, with one weight per sample in the order
// of the split. It changes weights in place, and leaves that gradient in the network: a second
// array of that size for every run would be a tenth of all the memory.
func (r *Run) GradNorm(weights []float64) (float64, error) {
	n := len(weights)
	losses := make([]float64, len(r.losses))
	err := r.EachBatch(runner.SplitTrain, func(b Batch, from int) error {
		r.Net.Losses(losses, b, nil)
		part := weights[from:][:b.N]
		for i := range part {
			part[i] *= float64(b.N) / float64(n) // the batch's part of the mean
		}
		r.Net.Gradient(part, from > 0)
		return r.Net.Err()
	})
	norm := r.Net.GradNorm()
	if err == nil {
		err = r.Net.Err()
	}
	return norm, err
}
