package eventlog

import (
	"time"

	"drolab/runner"
	"drolab/runner/spec"
)

// Progress is how a run stands and how fast it goes, from the events of its log in their order, as
// Tail and Lineage return them. Its size is bounded, however long the run.
type Progress struct {
	History
	Spec spec.Spec // with the knob events applied
	// stopwatch counts the time of the training that stands.
	stopwatch

	meta  *runner.Meta
	times []clockMark // of steps, evaluations, and starts and stops of the stopwatch
	from  clockMark   // when the stopwatch last started
}

// clockMark is a step, with the Seconds of the stopwatch at it.
type clockMark struct {
	step    int64
	seconds float64
}

// minRewind is the least number of events of a kind that a resume can bring back.
const minRewind = 128

// NewProgress returns the Progress of a run before its first event.
func NewProgress(m *runner.Meta) *Progress {
	return &Progress{History: History{Standing: Standing{Status: runner.Queued}, Most: minRewind},
		Spec: m.Spec, meta: m, stopwatch: stopwatch{foreign: m.Imported != nil}}
}

// Add takes in the next event. It reports whether the run went back with it: see History.Add.
func (p *Progress) Add(e runner.Event) (back bool) {
	done, stood := p.Step, p.since.IsZero()
	p.stopwatch.add(e)
	if back = p.History.Add(e); back {
		p.rewindClock(p.Step, done)
		return true
	}
	switch e := e.(type) {
	case *ForkEvent: // the parent's settings are not the fork's
		p.Spec = p.meta.Spec
	case *runner.KnobEvent:
		_ = e.Apply(&p.Spec) // a setting that is unknown here stays in the log
	case *runner.StatusEvent, *runner.StepEvent, *runner.EvalEvent:
		p.time(clockMark{e.Header().Step, p.Seconds}, stood)
	}
	return false
}

// time records a moment at which the stopwatch ran. stood says that it had been stopped before.
func (p *Progress) time(m clockMark, stood bool) {
	switch {
	case p.since.IsZero() && stood:
		return
	case stood:
		p.from = m
	}
	p.times = appendBounded(p.times, m, minRewind)
}

// rewindClock sets Seconds to their value at a step, interpolated between the recorded moments
// before and behind it. done is the number of steps that the run had done.
func (p *Progress) rewindClock(step, done int64) {
	kept := len(p.times)
	for kept > 0 && p.times[kept-1].step > step {
		kept--
	}
	before, behind := clockMark{}, clockMark{done, p.Seconds}
	if kept > 0 {
		before = p.times[kept-1]
	}
	if kept < len(p.times) {
		behind = p.times[kept]
	}
	p.times = p.times[:kept]
	switch {
	case step >= behind.step:
		p.Seconds = behind.seconds
	case step <= before.step:
		p.Seconds = before.seconds
	default:
		part := float64(step-before.step) / float64(behind.step-before.step)
		p.Seconds = before.seconds + part*(behind.seconds-before.seconds)
	}
}

// Remaining returns how long the rest of the run takes at the mean speed since the run last began
// or went on, evaluations included. ok is false while there is no speed, where no number of steps
// is planned, during a refit, and where the rest takes years.
func (p *Progress) Remaining() (left time.Duration, ok bool) {
	done, took := p.Step-p.from.step, p.Seconds-p.from.seconds
	steps := p.Status == runner.Running && p.Refitting() == nil
	if !steps || done <= 0 || took <= 0 || p.meta.Steps <= 0 {
		return 0, false
	}
	seconds := took / float64(done) * float64(max(0, p.meta.Steps-p.Step))
	const longest = 1e8
	if seconds > longest {
		return 0, false
	}
	return time.Duration(seconds * float64(time.Second)), true
}

// Timed reports whether the log tells how long the run trained. The logs of many programs do not.
func (p *Progress) Timed() bool { return !p.foreign || p.told }

// stopwatch counts the time that a run has trained. It excludes pauses, and the time between a stop
// and a resume. It includes the training that a resume takes back. Of an imported run, it takes the
// time that the original log tells, if it tells any.
type stopwatch struct {
	Seconds float64
	since   time.Time // of the last event that counted; zero while the run does not train
	foreign bool      // the run is imported
	told    bool      // and its log tells times
}

// MostElapsed bounds the seconds that an event may tell: three decades.
const MostElapsed = 1e9

func (w *stopwatch) add(e runner.Event) {
	h := e.Header()
	if s, ok := e.(*runner.StatusEvent); ok && s.Foreign {
		w.foreign = true
	}
	if x := h.Elapsed.Float(); w.foreign && x >= 0 && x <= MostElapsed {
		w.Seconds, w.told = max(w.Seconds, x), true
	}
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
	case *runner.StepEvent, *runner.EvalEvent, *runner.RefitEvent:
		w.tick(h.Time)
	}
}

func (w *stopwatch) tick(now time.Time) {
	if !w.since.IsZero() && !w.foreign {
		w.Seconds += max(0, now.Sub(w.since).Seconds())
	}
	w.since = now
}
