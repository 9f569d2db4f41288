package record

import (
	"slices"

	"drolab/runner"
)

// averageBudget is how far from its end a log is read for its last evaluations,
// in bytes: between them are the steps of some epochs.
const averageBudget = 16 << 20

// Average returns the mean of the run's last evaluations, as the paper reports
// it, from the log, so that runs of any version have it; nil before the first.
func (r *Run) Average() (*runner.Average, error) {
	if r.packed != nil {
		return r.averagePacked()
	}
	in, err := openFolder(r.open, r.Dir)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	enough := func(e *end) bool { return len(e.evals) >= runner.AverageWindow }
	e, err := readBack(in, averageBudget, r.passed, enough)
	if err != nil {
		return nil, err
	}
	slices.Reverse(e.evals)
	return runner.AverageOf(e.evals), nil
}

// averagePacked reads the whole log, which is small there.
func (r *Run) averagePacked() (*runner.Average, error) {
	var evals []*runner.EvalEvent
	for t := r.Tail(); ; {
		events, err := t.Read()
		if err != nil || len(events) == 0 {
			return runner.AverageOf(evals), err
		}
		for _, e := range events {
			if e, ok := e.(*runner.EvalEvent); ok {
				evals = append(evals, e)
			}
		}
	}
}
