package record

import (
	"drolab/runner"
	"drolab/runner/record/internal/disk"
	"drolab/runner/record/internal/eventlog"
)

// averageBudget is the number of bytes at the end of a log that are read for its last evaluations.
// The steps of some epochs lie between these.
const averageBudget = 16 << 20

// Average returns the mean of the run's last evaluations, as the paper reports it, or nil before
// the first evaluation. It reads the log, so that runs of any version have an average.
func (r *Run) Average() (*runner.Average, error) {
	if r.packed != nil { // its log is small
		h, err := ReadHistory(r.Tail(), nil)
		return runner.AverageOf(h.Evals), err
	}
	in, err := disk.OpenFolder(r.open, r.Dir)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	enough := func(e *eventlog.End) bool { return len(e.Evals) >= runner.AverageWindow }
	e, err := eventlog.ReadBack(in, averageBudget, r.passed, enough)
	if err != nil {
		return nil, err
	}
	return runner.AverageOf(e.Evals), nil
}
