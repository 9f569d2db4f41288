package eventlog

import (
	"cmp"
	"slices"

	"drolab/runner"
)

// Standing is how a run stands, as far as its summary needs it, from its log.
type Standing struct {
	Status runner.Status // as last written, so never Interrupted; empty before the log says one
	Cause  string        // of that status
	Step   int64         // finished training steps
	// Last and Eval are the last events that stand; nil: there is none.
	Last *runner.StepEvent
	Eval *runner.EvalEvent
	// Selected is the evaluation that the run has selected, if any.
	Selected *runner.EvalEvent
	// Refit is the fit of the last layer that goes on; nil: none does.
	Refit *runner.RefitEvent
}

// Refitting returns the fit of the last layer that goes on, or nil.
func (s *Standing) Refitting() *runner.RefitEvent {
	if s.Status != runner.Running { // nobody trains the run any more
		return nil
	}
	return s.Refit
}

// History is what stands of a log. A run that goes on from a checkpoint repeats the steps behind
// it: its resume takes back the earlier step and evaluation events above the checkpoint's step.
// This is decided here and nowhere else.
//
// A log is read from its start with Add, or from its end with Before, in pieces of any size. Both
// give the same Standing and Evals. The zero value has seen no event.
type History struct {
	Standing
	// Steps and Evals are the events that stand, in the order of the log. Of two evaluations at one
	// step the later one stands: a run that goes on evaluates its checkpoint's step again.
	Steps []*runner.StepEvent
	Evals []*runner.EvalEvent
	// Most bounds these lists to their last events: each has at most twice as many. A resume that
	// goes back further leaves them empty. 0 keeps all.
	Most int

	// Gap is the first place where lines of the log are lost; nil: none is known. The newest events
	// may be among them, so Last, Eval and Selected are only those behind the last such place.
	Gap *GapEvent

	lost     int64               // seq of the first event of the last gap; 0: there is none
	selected []*runner.EvalEvent // bounded separately, as one may be older than Evals
	begun    bool                // an event was seen
	limit    *int64              // for Before: the least step of the later resumes
}

// ReadHistory reads the rest of a log. It passes each event to see before the event counts. see may
// be nil; it may remove from the event what need not be kept.
func ReadHistory(l Log, see func(runner.Event)) (*History, error) {
	h := &History{}
	for {
		events, err := l.Read()
		if err != nil || len(events) == 0 {
			return h, err
		}
		for _, e := range events {
			if see != nil {
				see(e)
			}
			h.Add(e)
		}
	}
}

// Add takes in the next event. It reports whether the run went back with it: then nothing that the
// caller has kept of steps above Step stands any more.
func (h *History) Add(e runner.Event) (back bool) {
	if g, ok := e.(*GapEvent); ok {
		h.Gap, h.lost = cmp.Or(h.Gap, g), g.Seq
		h.forgetLost()
		return false
	}
	h.Step, h.begun = max(0, e.Header().Step), true
	switch e := e.(type) {
	case *runner.ResumeEvent:
		h.rewind(e.Step)
		return true
	case *ForkEvent: // the parent's state and selection are not the fork's
		h.Selected, h.selected, h.lost = nil, nil, 0
		h.turn(runner.Queued, "")
	case *runner.StatusEvent:
		h.turn(e.Status, e.Cause)
	case *runner.RefitEvent:
		h.turn(runner.Running, "")
		h.Refit = e
	case *runner.StepEvent:
		h.turn(runner.Running, "")
		h.Last, h.Steps = e, appendBounded(h.Steps, e, h.Most)
	case *runner.EvalEvent:
		h.turn(runner.Running, "")
		h.Eval, h.Evals = e, appendEval(h.Evals, e, h.Most)
		if e.Selected {
			h.Selected, h.selected = e, appendEval(h.selected, e, h.Most)
		}
	}
	return false
}

// turn sets the status. A refit that went on before does so no more.
func (h *History) turn(s runner.Status, cause string) {
	h.Status, h.Cause, h.Refit = s, cause, nil
}

// rewind takes back the events that a run repeats when it goes on from step.
func (h *History) rewind(step int64) {
	h.Steps = slices.DeleteFunc(h.Steps, func(e *runner.StepEvent) bool { return e.Step > step })
	h.Evals, h.selected = evalsUpTo(h.Evals, step), evalsUpTo(h.selected, step)
	h.Last, h.Eval, h.Selected = last(h.Steps), last(h.Evals), last(h.selected)
	h.forgetLost()
	h.turn(runner.Queued, "")
}

// forgetLost drops the newest events if they stand before the last gap: newer ones may be lost.
func (h *History) forgetLost() {
	if h.Last != nil && h.Last.Seq < h.lost {
		h.Last = nil
	}
	if h.Eval != nil && h.Eval.Seq < h.lost {
		h.Eval = nil
	}
	if h.Selected != nil && h.Selected.Seq < h.lost {
		h.Selected = nil
	}
	if h.Refit != nil && h.Refit.Seq < h.lost {
		h.Refit = nil
	}
}

// Before takes in the event before all others that were taken in. It gathers no Steps, since the
// end of a log is read only for how the run stands.
func (h *History) Before(e runner.Event) {
	if g, ok := e.(*GapEvent); ok {
		h.Gap = g
		return
	}
	step := e.Header().Step
	if h.limit != nil && step > *h.limit {
		return
	}
	if !h.begun {
		h.Step, h.begun = max(0, step), true
	}
	switch e := e.(type) {
	case *runner.ResumeEvent:
		h.limit = &e.Step
		h.setFirst(runner.Queued, "")
	case *runner.StatusEvent:
		h.setFirst(e.Status, e.Cause)
	case *runner.RefitEvent:
		if h.Status == "" && h.Gap == nil {
			h.Refit = e
		}
		h.setFirst(runner.Running, "")
	case *runner.StepEvent:
		h.setFirst(runner.Running, "")
		if h.Gap == nil {
			h.Last = cmp.Or(h.Last, e)
		}
	case *runner.EvalEvent:
		h.setFirst(runner.Running, "")
		if h.Gap == nil {
			h.Eval = cmp.Or(h.Eval, e)
		}
		if len(h.Evals) == 0 || h.Evals[0].Step != step {
			h.Evals = slices.Insert(h.Evals, 0, e)
		}
		if e.Selected && h.Gap == nil {
			h.Selected = cmp.Or(h.Selected, e)
		}
	}
}

// setFirst sets the status if Before has met none yet: the first one met is the last in the log.
func (h *History) setFirst(s runner.Status, cause string) {
	if h.Status == "" {
		h.Status, h.Cause = s, cause
	}
}

// Settle drops all but the last few of the events that a resume could bring back. A viewer of many
// runs calls it for a run that has ended, since most never go on.
func (h *History) Settle() {
	h.Steps, h.Evals, h.selected = latest(h.Steps), latest(h.Evals), latest(h.selected)
}

// mostSettled is the number of events of each kind that Settle keeps.
const mostSettled = 8

func latest[T any](list []T) []T { return slices.Clone(list[max(0, len(list)-mostSettled):]) }

// appendEval appends an evaluation, or replaces the last one if that is at the same step.
func appendEval(list []*runner.EvalEvent, e *runner.EvalEvent, most int) []*runner.EvalEvent {
	if n := len(list); n > 0 && list[n-1].Step == e.Step {
		list = list[:n-1]
	}
	return appendBounded(list, e, most)
}

// appendBounded appends v to a list, of which at least the last most values are kept; 0 keeps all.
func appendBounded[T any](list []T, v T, most int) []T {
	if most > 0 && len(list) >= 2*most {
		list = slices.Clone(list[len(list)-most:])
	}
	return append(list, v)
}

// evalsUpTo drops the events above a step. If that makes two events at one step neighbours, the
// later one stays.
func evalsUpTo(list []*runner.EvalEvent, step int64) []*runner.EvalEvent {
	kept := list[:0]
	for _, e := range list {
		if e.Step <= step {
			kept = appendEval(kept, e, 0)
		}
	}
	clear(list[len(kept):])
	return kept
}

func last[T any](list []*T) *T {
	if len(list) == 0 {
		return nil
	}
	return list[len(list)-1]
}
