package certificate

import (
	"fmt"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/foreign"
	"drolab/runner/internal/room"
	"drolab/runner/measure"
	"drolab/runner/train"
)

// Samples has the predictions of a checkpoint's network for some samples, one by one:
// unaugmented, in evaluation mode. The slices are parallel, in the split's order.
type Samples struct {
	Rows          []int // the samples' places in their files: see data.Row
	Labels        []int
	Groups        []int
	Predictions   []int
	Losses        []float64 // nil where the samples have no labels
	Confidences   []float64 // of the predictions; nil where an import does not know them
	Probabilities []float32 // [sample][class]; nil where they were not asked for
	Classes       int
}

// Inspection has the options of Inspect.
type Inspection struct {
	Threads       int
	Network       train.NewNetwork // nil: drolab's own
	Probabilities bool             // probabilities of every class, four bytes a sample and class
	Scores        bool             // the scores that measures sort by, as far as they are known
	// Progress, if it is not nil, is called after each batch with the number of samples that are
	// done, and the number of all. An error from it ends the inspection.
	Progress func(done, of int) error
}

// Inspect uses the network of a checkpoint of the run on a split of d. The split must have samples,
// and d stays the caller's. Inspect asks for memory first: a split may have millions of samples,
// and their probabilities many values each. It fails if memory is short, if the checkpoint does not
// fit d, or if Progress fails.
func Inspect(m *runner.Meta, s *runner.State, d *data.Dataset, split string,
	how Inspection) (*Samples, error) {
	if m.Imported != nil {
		return samplesOf(m, s, split, how)
	}
	how.Probabilities = how.Probabilities || how.Scores && len(d.Classes) > 2
	perSample := 56 // bytes
	if how.Probabilities {
		perSample += 4 * len(d.Classes)
	}
	err := room.Ask(float64(train.Source(d, split).Len())*float64(perSample),
		"what the network says of the samples")
	if err != nil {
		return nil, err
	}
	if how.Network == nil {
		how.Network = train.Native
	}
	r, err := train.Measuring(m, d, how.Network, s, how.Threads, false)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return inspect(r, split, how)
}

// predicted returns a split of an imported run, whose losses must be known.
func predicted(m *runner.Meta, s *runner.State, split string) (*foreign.Split, error) {
	of, err := foreign.Open(m, s, split)
	if err == nil && of.Losses == nil {
		err = fmt.Errorf("run %s has no losses: import a table with a column loss, or with p_ and "+
			"each class", m.ID)
	}
	return of, err
}

// samplesOf is Inspect for an imported run.
func samplesOf(m *runner.Meta, s *runner.State, split string, how Inspection) (*Samples, error) {
	of, err := predicted(m, s, split)
	if err != nil {
		return nil, err
	}
	if how.Probabilities && of.Probabilities == nil {
		return nil, fmt.Errorf("run %s has no probabilities: import a table with p_ and each class",
			m.ID)
	}
	return &Samples{Rows: of.Rows, Labels: of.Labels, Groups: of.Groups, Losses: of.Losses,
		Predictions: of.Predictions, Probabilities: of.Probabilities, Classes: len(m.Classes)}, nil
}

// inspect goes over a split, batch by batch. Without labels a loss means nothing, and
// none is returned.
func inspect(r *train.Run, split string, how Inspection) (*Samples, error) {
	src, classes := train.Source(r.Data, split), len(r.Data.Classes)
	n := src.Len()
	ints := func() []int { return make([]int, n) }
	out := &Samples{Rows: ints(), Labels: ints(), Groups: ints(), Predictions: ints(),
		Losses: make([]float64, n), Confidences: make([]float64, n), Classes: classes}
	if how.Probabilities {
		out.Probabilities = make([]float32, n*classes)
	}
	err := r.EachBatch(split, func(b train.Batch, from int) error {
		r.Net.Losses(out.Losses[from:], b, nil)
		o := train.Outputs{Classes: out.Predictions[from:], Confidences: out.Confidences[from:]}
		if how.Probabilities {
			o.Probabilities = out.Probabilities[from*classes:][:b.N*classes]
		}
		r.Net.Outputs(o)
		for i := range b.N {
			out.Rows[from+i] = data.Row(src, from+i)
			out.Labels[from+i], out.Groups[from+i] = b.Labels[i], b.Groups[i]
		}
		if err := r.Net.Err(); err != nil || how.Progress == nil {
			return err
		}
		return how.Progress(from+b.N, n)
	})
	if r.Data.Unlabelled {
		out.Losses = nil
	}
	return out, err
}

// Of returns the probabilities of a sample, one for each class. They must have been asked for.
func (s *Samples) Of(i int) []float32 { return s.Probabilities[i*s.Classes:][:s.Classes] }

// Ratios returns the likelihood ratios of the exact worst case of the samples' losses at a radius,
// and the worst case. The samples must have labels.
func (s *Samples) Ratios(set dro.Set, rho float64) ([]float64, dro.Worst, error) {
	ratios := make([]float64, len(s.Losses))
	w, err := set.WorstCase(ratios, s.Losses, rho)
	return ratios, w, err
}

// Pass returns the samples, which must have labels, as the measures of evaluations take them.
func (s *Samples) Pass() *measure.Pass {
	p := &measure.Pass{Losses: s.Losses, Confidences: s.Confidences, Predictions: s.Predictions,
		Probabilities: s.Probabilities, Labels: s.Labels, Groups: s.Groups}
	for i, of := range s.Predictions {
		p.Correct = append(p.Correct, of == s.Labels[i])
	}
	return p
}

// Accuracy returns the share of right predictions per class or group, and the
// number of samples of each. A part without samples has no accuracy. The samples must
// have labels.
func (s *Samples) Accuracy(of []int, kinds int) (accuracy []measure.Number, counts []int) {
	right := make([]float64, len(s.Predictions))
	for i, p := range s.Predictions {
		if p == s.Labels[i] {
			right[i] = 1
		}
	}
	return measure.MeansOf(kinds, right, func(i int) int { return of[i] })
}
