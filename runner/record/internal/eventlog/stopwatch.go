package eventlog

import (
	"time"

	"drolab/runner"
)

// stopwatch counts the time that a run has trained. It excludes pauses, and the time between a stop
// and a resume. It includes the training that a resume takes back.
type stopwatch struct {
	Seconds float64
	since   time.Time // of the last event that counted; zero while the run does not train
}

func (w *stopwatch) add(e runner.Event) {
	h := e.Header()
	switch e := e.(type) {
	case *runner.ResumeEvent, *ForkEvent:
		w.since = time.Time{}
	case *runner.StatusEvent:
		if w.since.IsZero() && e.Status != runner.Running {
			return
		}
		w.tick(h.Time)
		if e.Status != runner.Running {
			w.since = time.Time{}
		}
	case *runner.StepEvent, *runner.EvalEvent:
		w.tick(h.Time)
	}
}

func (w *stopwatch) tick(now time.Time) {
	if !w.since.IsZero() {
		w.Seconds += max(0, now.Sub(w.since).Seconds())
	}
	w.since = now
}
