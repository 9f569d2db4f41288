package record

import (
	"drolab/runner"
	"drolab/runner/disk"
	"drolab/runner/eventlog"
	"drolab/runner/measure"
)

// Measures returns the measures of the runs' summaries: those of the table, then those that their
// programs define.
func Measures(runs ...*Run) []measure.Measure {
	return append(measure.SummaryMeasures(), UserMeasures(runs...)...)
}

// UserMeasures returns the measures that the runs' own programs define.
func UserMeasures(runs ...*Run) []measure.Measure {
	sides := runner.UserSides{}
	for _, r := range runs {
		if r.own {
			sides.Add(&r.Meta, r.Summary().Measures)
		}
	}
	return sides.Measures()
}

// Evaluations returns the evaluations in the run's log that no later resume has taken back.
func (r *Run) Evaluations() ([]*runner.EvalEvent, error) {
	evals, err := evaluations(r.Tail())
	if err != nil {
		return nil, runError(r.Meta.ID, err)
	}
	return evals, nil
}

// evaluations returns the evaluations that stand in a log.
func evaluations(log *eventlog.Tail) ([]*runner.EvalEvent, error) {
	log.Only((&runner.EvalEvent{}).Kind())
	h, err := eventlog.ReadHistory(log, nil)
	if err != nil {
		return nil, err
	}
	return h.Evals, nil
}

// averageBudget is the number of bytes at the end of a log that are read for its last evaluations.
// The steps of some epochs lie between these.
const averageBudget = 16 << 20

// Average returns the mean of the run's last evaluations, as the paper reports it, or nil before
// the first evaluation, and nil where one of the last evaluations may be lost. It reads the log, so
// that runs of any version have an average.
func (r *Run) Average() (*runner.Average, error) {
	if r.packed != nil { // its log is small
		h, err := eventlog.ReadHistory(r.Tail(), nil)
		if err != nil {
			return nil, err
		}
		return runner.AverageOf(&r.Meta, h.Evals), nil
	}
	in, err := disk.OpenFolder(r.open, r.Dir)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	enough := func(e *eventlog.End) bool { return len(e.Evals) >= runner.AverageWindow }
	e, err := eventlog.ReadBack(in, averageBudget, r.passed, enough)
	if err != nil || e.Gap != nil {
		return nil, err
	}
	return runner.AverageOf(&r.Meta, e.Evals), nil
}
