package record

import (
	"slices"
	"testing"

	"drolab/runner"
	"drolab/runner/eventlog"
)

// prepared returns a replay that is ready.
func prepared(t *testing.T, l eventlog.Log) *eventlog.Replay {
	t.Helper()
	r := eventlog.NewReplay(l)
	for r.Share() < 1 {
		events, err := r.Read()
		must(t, err)
		if len(events) > 0 {
			t.Fatalf("while it prepares it gives %d events, want none", len(events))
		}
	}
	return r
}

// TestReplay checks that a replay gives, at each moment, the events that had been logged by then,
// in parts or from the start.
func TestReplay(t *testing.T) {
	run := longLog(t)
	r := prepared(t, run.Tail())
	tape := r.Tape()
	if end, least := tape.End, 5e-3*longEnough; end.Step != longEnough || end.Seconds < least {
		t.Errorf("it ends at step %d after %v s, want %d after %v or more", end.Step, end.Seconds,
			longEnough, least)
	}
	evals := 0
	for _, m := range tape.Marks {
		if m.Kind == "eval" {
			evals++
		}
	}
	if evals != 100 || len(tape.Marks) != 200 {
		t.Errorf("%d marks, %d of them evaluations, want 200 and 100", len(tape.Marks), evals)
	}
	var all []runner.Event
	for part := 1; part <= 4; part++ {
		until := tape.End.Seconds * float64(part) / 4
		moment := eventlog.LastMoment()
		moment.Seconds = until
		r.To(moment)
		events, err := r.Read()
		must(t, err)
		if len(events) == 0 {
			t.Fatalf("part %d gives no events", part)
		}
		all = append(all, events...)
		r.Rewind()
		again, err := r.Read()
		must(t, err)
		if !slices.Equal(again, all) {
			t.Fatalf("up to %v s: %d events from the start, want the %d that came in parts", until,
				len(again), len(all))
		}
	}
	checkWhole(t, "all parts", all)
	r.Rewind()
	moment := eventlog.LastMoment()
	moment.Step = longEnough / 2
	r.To(moment)
	half, err := r.Read()
	must(t, err)
	if last := half[len(half)-1].Header().Step; last > moment.Step || last < moment.Step-100 {
		t.Errorf("up to step %d it ends at %d, want at most 100 before", moment.Step, last)
	}
}

// TestReplayOfShortLog checks that a replay gives every event of a short log.
func TestReplayOfShortLog(t *testing.T) {
	s := newStore(t)
	m := newMeta(1)
	w := create(t, s, m)
	must(t, w.Append(status(0, runner.Running)))
	appendSteps(t, w, 1, 50)
	must(t, w.Append(&runner.ResumeEvent{Head: head(40)}))
	appendSteps(t, w, 41, 60)
	must(t, w.Close())
	run, err := Find(s.Dir(), m.ID)
	must(t, err)
	r := prepared(t, run.Tail())
	r.To(eventlog.LastMoment())
	events, err := r.Read()
	must(t, err)
	if want := readAll(t, run.Tail()); len(events) != len(want) {
		t.Errorf("%d events, want all %d", len(events), len(want))
	}
	// The clock of the tests moves on by a second an event; across the resume it
	// stands still.
	if got := r.Tape().End.Seconds; got != 69 {
		t.Errorf("it ends after %v s, want 69", got)
	}
}
