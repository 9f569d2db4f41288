package record

import (
	"slices"

	"drolab/runner"
)

// History gathers the events of one run. It applies the rule of a resume: step
// and eval events above the step where the run went on are discarded. The zero
// History is empty. A slice taken from it keeps its content when more is
// appended.
type History struct {
	Steps    []*runner.StepEvent // by step
	Evals    []*runner.EvalEvent // by step
	Warnings []*runner.WarningEvent

	Status   runner.Status // as last written, so never Interrupted; "" before the first event
	Cause    string        // of that status
	Progress int64         // finished training steps
	Resumes  int           // grows with every resume: what was derived from Steps and Evals is stale then
}

// Append takes in events in the order of the log.
func (h *History) Append(events []runner.Event) {
	for _, e := range events {
		h.add(e)
	}
}

func (h *History) add(e runner.Event) {
	switch e := e.(type) {
	case *runner.StepEvent:
		h.Steps = append(h.Steps, e)
	case *runner.EvalEvent:
		h.Evals = append(h.Evals, e)
	case *runner.WarningEvent:
		h.Warnings = append(h.Warnings, e)
	case *runner.StatusEvent:
		h.Status, h.Cause = e.Status, e.Cause
	case *runner.ResumeEvent:
		h.rewind(e.Step)
		return
	}
	h.Progress = max(h.Progress, e.Header().Step)
}

// rewind discards what a run that goes on from step will do again.
func (h *History) rewind(step int64) {
	h.Steps = upTo(h.Steps, step)
	h.Evals = upTo(h.Evals, step)
	h.Status, h.Cause, h.Progress = runner.Queued, "", max(0, step)
	h.Resumes++
}

// upTo drops the last events while they are above step. The result has no
// room to grow in, so that an append leaves earlier slices alone.
func upTo[E runner.Event](events []E, step int64) []E {
	n := len(events)
	for n > 0 && events[n-1].Header().Step > step {
		n--
	}
	return slices.Clip(events[:n])
}
