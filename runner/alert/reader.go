package alert

import (
	"maps"
	"time"

	"drolab/runner"
)

// quiet is the time within which the same alert of a run is not told again.
const quiet = time.Hour

// mostTold bounds what a Reader remembers of a log, which may come from anybody. As much again is
// for the ends of the run, which are told however many warnings the log has.
const mostTold = 1000

// EventTypes are the types of events that a Reader needs. Resumes are among them.
func EventTypes() []string { return []string{"status", "warning", "alert", "checkpoint"} }

// Reader finds the alerts in the log of one run. The zero Reader has seen no event.
type Reader struct {
	told   map[string]time.Time // by key
	status runner.Status        // as logged last
	last   runner.Head          // of the last event, for one that a resume follows
	found  bool                 // the present interruption is in the log
}

// Add takes in the next event of the log. It returns the alert that follows, unless the log has had
// the same one within the hour before. resumed says that the run goes on, so that the alerts before
// were told by others. The alert is then that the run was interrupted, if it was.
func (r *Reader) Add(e runner.Event) (a Alert, ok, resumed bool) {
	h := *e.Header()
	switch e := e.(type) {
	case *runner.ResumeEvent:
		a, ok = r.interrupted(r.last)
		resumed = true
		r.status, r.found = runner.Queued, false
	case *runner.StatusEvent:
		a, ok = Of(e)
		r.status, r.found = e.Status, false
	default:
		a, ok = Of(e)
		if ok && a.Name == Interrupted {
			ok = !r.found
			r.found = true
		}
	}
	r.last = h
	return a, ok && r.news(&a), resumed
}

// Interrupted returns the alert of a run whose log ends here and that nobody trains, unless the log
// has it. The head has the time and the step of the end.
func (r *Reader) Interrupted(end runner.Head) (a Alert, ok bool) {
	a, ok = r.interrupted(end)
	return a, ok && r.news(&a)
}

// interrupted returns the alert that the run was interrupted, unless the log has it or says how the
// run ended.
func (r *Reader) interrupted(end runner.Head) (a Alert, ok bool) {
	if r.found || r.status == "" || r.status.Ended() {
		return a, false
	}
	r.found = true
	return ofEvent(New(end, Interrupted, end.Step))
}

// news reports whether an alert was not told within the hour before, and remembers it.
func (r *Reader) news(a *Alert) bool {
	key := a.key()
	before, told := r.told[key]
	if told && a.Time.Sub(before).Abs() < quiet {
		return false
	}
	most := mostTold
	if End.Wants(*a) || a.Name == Interrupted {
		most += mostTold
	}
	if len(r.told) >= most {
		maps.DeleteFunc(r.told, func(_ string, at time.Time) bool {
			return a.Time.Sub(at) >= quiet
		})
	}
	if len(r.told) >= most {
		return false
	}
	if r.told == nil {
		r.told = map[string]time.Time{}
	}
	r.told[key] = a.Time
	return true
}
