package eventlog

import (
	"testing"
	"time"

	"drolab/runner"
	"drolab/runner/measure"
)

func progress(events ...runner.Event) *Progress {
	p := NewProgress(newMeta(1))
	for _, e := range events {
		p.Add(e)
	}
	return p
}

// timed sets an event's time to a number of seconds on the clock.
func timed(seconds float64, e runner.Event) runner.Event {
	e.Header().Time = time.Unix(1000, 0).Add(time.Duration(seconds * float64(time.Second)))
	return e
}

func TestProgressAppliesResume(t *testing.T) {
	first, second := stepEvent(2), evalEvent(1)
	p := progress(status(0, runner.Running), second, first, stepEvent(3), evalEvent(3),
		&runner.WarningEvent{Head: head(3), Message: "odd"}, stepEvent(4),
		&runner.ResumeEvent{Head: head(2)})
	if p.Last != first || p.Eval != second || p.Step != 2 || p.Status != runner.Queued {
		t.Errorf("after the resume: %+v", p.Standing)
	}
	p.Add(status(2, runner.Running))
	p.Add(stepEvent(3))
	if p.Last.Step != 3 || p.Eval != second || p.Step != 3 || p.Status != runner.Running {
		t.Errorf("going on: %+v", p.Standing)
	}
	p.Add(&runner.ResumeEvent{})
	if p.Last != nil || p.Eval != nil || p.Step != 0 {
		t.Errorf("after a resume from the start: %+v", p.Standing)
	}
}

// TestProgressIsBounded checks that a long run costs no more memory than a short one, and that a
// resume that goes back a little finds the events that stand.
func TestProgressIsBounded(t *testing.T) {
	p := progress(status(0, runner.Running))
	for step := range int64(10_000) {
		p.Add(stepEvent(step + 1))
		p.Add(evalEvent(step + 1))
	}
	if n := max(cap(p.Steps), cap(p.Evals), cap(p.times)); n > 4*goBack {
		t.Errorf("%d events are kept", n)
	}
	p.Add(&runner.ResumeEvent{Head: head(10_000 - goBack/2)})
	if p.Last == nil || p.Last.Step != 10_000-goBack/2 || p.Eval == nil {
		t.Errorf("after a resume: %+v", p.Standing)
	}
	last := p.Standing
	p.Settle()
	if p.Standing != last || len(p.Steps) > latestKept || len(p.Evals) > latestKept {
		t.Errorf("settled: %+v", p.Standing)
	}
	p.Add(&runner.ResumeEvent{Head: head(p.Step - 2)})
	if p.Last.Step != last.Step-2 || p.Eval == nil {
		t.Errorf("settled and resumed: %+v", p.Standing)
	}
	p.Add(&runner.ResumeEvent{Head: head(5)})
	if p.Last != nil || p.Eval != nil || p.Step != 5 {
		t.Errorf("after a resume from long ago: %+v", p.Standing)
	}
}

func TestProgressKnowsItsPace(t *testing.T) {
	p := progress(timed(0, status(0, runner.Running)), timed(1, stepEvent(10)))
	see := func(when string, seconds float64, left time.Duration) {
		t.Helper()
		if got, ok := p.Remaining(); p.Seconds != seconds || got != left || ok != (left > 0) {
			t.Errorf("%s: %g s, %v left (%v), want %g and %v", when, p.Seconds, got, ok,
				seconds, left)
		}
	}
	see("at step 10 of 500", 1, 49*time.Second)
	p.Add(timed(3, status(20, runner.Paused)))
	see("paused", 3, 0)
	p.Add(timed(100, status(20, runner.Running)))
	p.Add(timed(101, evalEvent(20))) // counts as well
	see("after a pause", 4, 0)
	p.Add(timed(102, stepEvent(30)))
	see("further on", 5, 94*time.Second)
	p.Add(timed(5000, &runner.ResumeEvent{Head: head(25)})) // half-way from 4 s to 5 s
	see("after a resume", 4.5, 0)
	p.Add(timed(5000, status(25, runner.Running)))
	p.Add(timed(5000.5, stepEvent(30)))
	see("going on", 5, 47*time.Second)
	p.Add(timed(9000, &ForkEvent{Head: head(30)}))
	see("at a fork", 5, 0)
	p.Add(timed(9000, status(30, runner.Running)))
	p.Add(timed(9001, stepEvent(40)))
	see("in a fork", 6, 46*time.Second)
}

func TestProgressHasTheKnobs(t *testing.T) {
	turn := &runner.KnobEvent{Head: head(3), Key: "lr", New: measure.Num(0.5)}
	p := progress(turn,
		&runner.KnobEvent{Head: head(3), Key: "nothing"},
		&runner.KnobEvent{Head: head(4), Key: "c", New: measure.Num(9)})
	if p.Spec.LR != 0.5 || p.Spec.Text("c") != "9" {
		t.Errorf("lr %v, c %s", p.Spec.LR, p.Spec.Text("c"))
	}
	if p.Add(&ForkEvent{}); p.Spec.LR == 0.5 {
		t.Error("a fork has the knobs that its parent was given")
	}
}
