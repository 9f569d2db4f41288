package runner

import (
	"fmt"

	"drolab/dro"
	"drolab/runner/measure"
	"drolab/runner/spec"
)

// NewTrainer starts the method of s on data with the counts p, and returns it with the problem that
// it solves.
func NewTrainer(s *spec.Spec, p *measure.Parts) (dro.Trainer, *dro.Problem, error) {
	m, err := dro.Find(s.Algorithm())
	if err != nil {
		return nil, nil, err
	}
	task, err := s.Task(total(p.ClassCounts.Train), p.ClassCounts.Train, p.Counts(p.Main()).Train)
	if err != nil {
		return nil, nil, err
	}
	if task.Val = p.Refitted; task.Val == nil {
		task.Val = p.Counts(p.Main()).Val
	}
	t, err := m.New(task)
	if err != nil {
		return nil, nil, fmt.Errorf("algorithm %s: %w", m.Name, err)
	}
	return t, task.Problem, nil
}

func total(counts []int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}

// RefitsOnVal reports whether a method fits the last layer to the validation split.
func RefitsOnVal(t dro.Trainer) bool {
	r, ok := t.(dro.Refitter)
	return ok && r.RefitsOn() == SplitVal
}
