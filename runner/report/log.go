package report

import (
	"fmt"

	"drolab/runner"
	"drolab/runner/eventlog"
	"drolab/runner/record"
)

// loggedRun is a run with the content of its log.
type loggedRun struct {
	*record.Run
	evals   []*runner.EvalEvent
	ticks   []tick
	seconds float64 // of training, evaluations included
	timed   bool    // the log tells these seconds
	// selected says that the page has the run's figures of its selected step, not of the last one.
	selected bool
}

// results returns the measures of the run at the step that the page compares.
func (r *loggedRun) results() *runner.Results {
	if r.selected {
		return &r.Summary().Selected.Results
	}
	return &r.Summary().Results
}

func (r *loggedRun) seed() uint64 { return r.Meta.Spec.Seed }

// readLog returns a run with its evaluations and steps, without those that a resume has taken back,
// and with the time that it trained.
func readLog(r *record.Run) (*loggedRun, error) {
	p := eventlog.NewProgress(&r.Meta)
	h, err := eventlog.ReadHistory(r.Tail(), func(e runner.Event) {
		p.Add(e)
		if s, ok := e.(*runner.StepEvent); ok { // only their pace is used
			s.Values, s.Min, s.Max = nil, nil, nil
		}
	})
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", r.Meta.ID, err)
	}
	out := &loggedRun{Run: r, evals: h.Evals, seconds: p.Seconds, timed: p.Timed()}
	for _, s := range h.Steps {
		if speed := s.ImagesPerSecond.Float(); speed > 0 {
			out.ticks = append(out.ticks, tick{s.Time, float64(r.Meta.Spec.Batch) / speed})
		}
	}
	return out, nil
}
