package record

import (
	"slices"
	"time"

	"drolab/runner"
)

// Standing is how a run stands: what its summary needs, from its log.
type Standing struct {
	Status runner.Status // as last written, so never Interrupted; Queued before that
	Cause  string        // of that status
	Step   int64         // finished training steps
	// Last and Eval are the last events that stand; nil: there is none.
	Last *runner.StepEvent
	Eval *runner.EvalEvent
	// Selected is the evaluation that the run has selected, if any.
	Selected *runner.EvalEvent
}

// Progress is how a run stands and how fast it comes on, from the events of its
// log in their order, as Tail and Lineage give them. It applies the rule of a
// resume: step and eval events above the step where the run went on are
// discarded. Its size is bounded, however long the run: where a resume goes
// back further than the last goBack events, none of them stands. readEnd comes
// to the same Standing from the log's end.
type Progress struct {
	Standing
	Spec runner.Spec // with the knobs that were turned
	// Seconds is the time of training: pauses, and what lies between a stop and
	// a resume, do not count.
	Seconds float64

	meta  *runner.Meta
	steps []*runner.StepEvent // the last that stand, Last too
	evals []*runner.EvalEvent
	// selected are those that were selected.
	selected []*runner.EvalEvent
	times    []moment  // of both, and of when the clock started and stopped
	from     moment    // where it started last
	clock    time.Time // of the last event that counted; zero while the run does not train
}

// moment is the Seconds at a step.
type moment struct {
	step    int64
	seconds float64
}

// goBack is how many events of a kind a resume can bring back, at least.
const goBack = 128

// NewProgress returns the Progress of a run before its first event.
func NewProgress(m *runner.Meta) *Progress {
	return &Progress{Standing: Standing{Status: runner.Queued}, Spec: m.Spec, meta: m}
}

// Add takes in the next event.
func (p *Progress) Add(e runner.Event) {
	h := e.Header()
	switch e := e.(type) {
	case *runner.ResumeEvent:
		p.rewind(e.Step)
	case *ForkEvent: // the parent's settings, state and selection are not the fork's
		p.Spec = p.meta.Spec
		p.Selected, p.selected = nil, nil
		p.Status, p.Cause, p.clock = runner.Queued, "", time.Time{}
	case *runner.StatusEvent:
		p.setStatus(e.Status, e.Cause, h)
	case *runner.StepEvent:
		p.train(h)
		p.Last, p.steps = e, push(p.steps, e)
	case *runner.EvalEvent:
		p.train(h)
		p.Eval, p.evals = e, push(p.evals, e)
		if e.Selected {
			p.Selected, p.selected = e, push(p.selected, e)
		}
	case *runner.KnobEvent:
		p.turn(e)
	}
	p.Step = max(0, h.Step)
}

// setStatus changes the state; the clock runs while the run does.
func (p *Progress) setStatus(s runner.Status, cause string, at *runner.Head) {
	if !p.clock.IsZero() {
		p.tick(at)
	}
	p.Status, p.Cause, p.clock = s, cause, time.Time{}
	if s == runner.Running {
		p.tick(at)
	}
}

// train takes note of an event that only a run that trains writes.
func (p *Progress) train(at *runner.Head) {
	p.Status, p.Cause = runner.Running, ""
	p.tick(at)
}

// tick starts the clock, or adds the time since the event before.
func (p *Progress) tick(at *runner.Head) {
	if p.clock.IsZero() {
		p.from = moment{at.Step, p.Seconds}
	} else {
		p.Seconds += max(0, at.Time.Sub(p.clock).Seconds())
	}
	p.clock, p.times = at.Time, push(p.times, moment{at.Step, p.Seconds})
}

// rewind discards what a run that goes on from step does again.
func (p *Progress) rewind(step int64) {
	p.steps = upTo(p.steps, func(e *runner.StepEvent) bool { return e.Step > step })
	above := func(e *runner.EvalEvent) bool { return e.Step > step }
	p.evals, p.selected = upTo(p.evals, above), upTo(p.selected, above)
	p.Last, p.Eval, p.Selected = last(p.steps), last(p.evals), last(p.selected)
	p.rewindClock(step)
	p.Status, p.Cause = runner.Queued, ""
}

// rewindClock sets Seconds to what they were at a step, between the times that
// were taken before and behind it.
func (p *Progress) rewindClock(step int64) {
	kept := upTo(p.times, func(m moment) bool { return m.step > step })
	before, behind := moment{}, moment{p.Step, p.Seconds}
	if n := len(kept); n > 0 {
		before = kept[n-1]
	}
	if len(kept) < len(p.times) {
		behind = p.times[len(kept)]
	}
	p.times, p.clock = kept, time.Time{}
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

// turn takes note of a setting that was changed. What this program cannot set it
// cannot show either: the log has it.
func (p *Progress) turn(e *runner.KnobEvent) {
	_ = e.Apply(&p.Spec)
}

// Remaining returns how long the rest takes at the mean speed since the run
// last began or went on, evaluations included; ok is false before there is a
// speed, and where it is years.
func (p *Progress) Remaining() (left time.Duration, ok bool) {
	done, took := p.Step-p.from.step, p.Seconds-p.from.seconds
	if p.Status != runner.Running || done <= 0 || took <= 0 {
		return 0, false
	}
	seconds := took / float64(done) * float64(max(0, p.meta.Steps-p.Step))
	const longest = 1e8
	if seconds > longest {
		return 0, false
	}
	return time.Duration(seconds * float64(time.Second)), true
}

// push appends to a list of the last goBack values, or more.
func push[T any](list []T, v T) []T {
	if len(list) == 2*goBack {
		list = slices.Clone(list[goBack:])
	}
	return append(list, v)
}

// latestKept is how many events of a kind Settle leaves.
const latestKept = 8

// Settle forgets events that a resume could bring back, but for the last few. It is for
// a viewer of many runs, once one has ended: most never go on.
func (p *Progress) Settle() {
	p.steps, p.evals, p.selected = latest(p.steps), latest(p.evals), latest(p.selected)
}

func latest[T any](list []T) []T { return slices.Clone(list[max(0, len(list)-latestKept):]) }

// upTo drops the last values while they are above.
func upTo[T any](list []T, above func(T) bool) []T {
	for len(list) > 0 && above(list[len(list)-1]) {
		list = list[:len(list)-1]
	}
	return list
}

func last[T any](list []*T) *T {
	if len(list) == 0 {
		return nil
	}
	return list[len(list)-1]
}
