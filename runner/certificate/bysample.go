package certificate

import (
	"fmt"

	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/internal/memory"
	"drolab/runner/measure"
	"drolab/runner/train"
)

// Samples has the predictions for the samples of a split, one by one: of a checkpoint's network, or
// of another program. Losses are nil where they are not known, as without labels; Probabilities are
// nil where they were not asked for.
type Samples struct {
	measure.Pass
	Rows    []int // the samples' places in their files: see data.Row
	Classes int
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
		of, err := predictedSplit(m, s, split)
		if err == nil && how.Probabilities && of.Probabilities == nil {
			err = fmt.Errorf("run %s has no probabilities: import a table with p_ and each class",
				m.ID)
		}
		return of, err
	}
	how.Probabilities = how.Probabilities || how.Scores && len(d.Classes) > 2
	perSample := 56 // bytes
	if how.Probabilities {
		perSample += 4 * len(d.Classes)
	}
	err := memory.Ask(float64(train.Source(d, split).Len())*float64(perSample),
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
	pass, err := r.Predict(split, true, how.Probabilities, how.Progress)
	if err != nil {
		return nil, err
	}
	src := train.Source(d, split)
	out := &Samples{Pass: *pass, Classes: len(d.Classes), Rows: make([]int, src.Len())}
	for i := range out.Rows {
		out.Rows[i] = data.Row(src, i)
	}
	if d.Unlabelled { // a loss means nothing
		out.Losses = nil
	}
	return out, nil
}

// predictedSplit returns a split of an imported run, whose losses must be known.
func predictedSplit(m *runner.Meta, s *runner.State, split string) (*Samples, error) {
	of, err := importedSplit(m, s, split)
	if err == nil && of.Losses == nil {
		err = fmt.Errorf("run %s has no losses: import a table with a column loss, or with p_ and "+
			"each class", m.ID)
	}
	return of, err
}

// Of returns the probabilities of a sample, one for each class. They must have been asked for.
func (s *Samples) Of(i int) []float32 { return s.Probabilities[i*s.Classes:][:s.Classes] }
