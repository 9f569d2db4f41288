package watch

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"drolab/runner"
	"drolab/tui/internal/tuitest"
	"drolab/tui/kit"
	"drolab/tui/lab"
)

// replaying returns a page that replays the scripted runs from the start, at ×1 unless ask says
// otherwise.
func replaying(t *testing.T, ask lab.Replay) (*Page, *tuitest.Driver) {
	t.Helper()
	s := tuitest.NewScript(t)
	s.Now = s.Now.Add(time.Hour)
	w := New(tuitest.NewLab(t, s, lab.Config{}, 120, 40))
	r := tuitest.NewDriver(w.Board.Lab, w)
	var ids []string
	for id := range s.Logs {
		ids = append(ids, id)
	}
	ask.Speed = max(1, ask.Speed)
	r.Send(lab.Watch{IDs: ids, Replay: &ask})
	for !w.logs.clock.Ready {
		r.Wait(frameTime, frameTime)
	}
	r.Wait(frameTime, frameTime)
	return w, r
}

// due returns the step at which the script has run i after the given time.
func due(i int, seconds float64) int64 {
	steps := int64(seconds / (tuitest.Pace * (1 + 0.1*float64(i))))
	return min(steps/10*10, tuitest.Steps*tuitest.Epochs)
}

func checkSteps(t *testing.T, w *Page, what string) {
	t.Helper()
	for i, tr := range w.Runs.Tracks {
		want := due(i, w.logs.clock.Now)
		if got := tr.Step; got < want-10 || got > want+10 {
			t.Errorf("%s, at %.2f s: %s is at step %d, want about %d", what, w.logs.clock.Now,
				tr.Label, got, want)
		}
		if n := int64(tr.Curves["loss"].Raw.Len()); n != tr.Step/10 {
			t.Errorf("%s: %s has %d points at step %d, want %d", what, tr.Label, n, tr.Step,
				tr.Step/10)
		}
	}
}

func TestReplayUnfolds(t *testing.T) {
	w, r := replaying(t, lab.Replay{})
	r.Wait(5*time.Second, frameTime)
	if at := w.logs.clock.Now; at < 4.8 || at > 5.3 {
		t.Errorf("after 5 s the replay is at %v s, want about 5", at)
	}
	checkSteps(t, w, "played")
	if d := w.Digest(80); !strings.HasPrefix(d, "replay ×1 · 5s of 2") {
		t.Errorf("the header says %q", d)
	}
	if w.Runs.Tracks[0].Status != runner.Running {
		t.Errorf("the run is %s, want %v", w.Runs.Tracks[0].Status, runner.Running)
	}
	if eta := w.progress()[1].Cell(w.Runs.Tracks); eta != "–" {
		t.Errorf("by the clock of now the run would end in %s, want %q", eta, "–")
	}
	r.Press("space")
	at := w.logs.clock.Now
	r.Wait(2*time.Second, frameTime)
	if got := w.logs.clock.Now; got != at {
		t.Errorf("paused, the replay has moved from %v to %v", at, got)
	}
	if d := w.Digest(80); !strings.HasSuffix(d, "paused: Space plays") {
		t.Errorf("paused, the header says %q, want paused: Space plays at its end", d)
	}
	for cells, want := range map[int]string{46: "replay ×1 · 5s of 21s · paused: Space plays",
		36: "replay ×1 · 5s of 21s · paused", 27: "replay ×1 · 24 % · paused",
		20: "replay ×1 · paused", 7: "replay"} {
		if got := w.Digest(cells); got != want {
			t.Errorf("in %d cells: %q, want %q", cells, got, want)
		}
	}
	keys := w.Keys()
	offered := func(k kit.Key) bool { return k.Hint != "" && k.Blocked() == "" }
	if k := keys[slices.IndexFunc(keys, offered)]; k.Name(false) != "," {
		t.Errorf("the first key that the footer offers is %s, want %q", k.Name(false), ",")
	}
	r.Press("}")
	r.Press("space")
	r.Wait(time.Second, frameTime)
	if moved := w.logs.clock.Now - at; moved < 1.9 || moved > 2.3 {
		t.Errorf("at ×2 it moves by %v s in one, want about 2", moved)
	}
	r.Wait(time.Minute, frameTime)
	if !w.logs.clock.Ended() {
		t.Errorf("after a minute the replay is not at its end: %s", w.Digest(80))
	}
	if w.logs.clock.Playing {
		t.Errorf("at the end the replay still plays: %s", w.Digest(80))
	}
	if got := w.Runs.Tracks[3].Status; got != runner.Done {
		t.Errorf("at the end the last run is %s, want done", got)
	}
	r.Press("space")
	r.Wait(time.Second, frameTime)
	checkSteps(t, w, "begun again")
}

func TestReplayScrubs(t *testing.T) {
	w, r := replaying(t, lab.Replay{From: lab.Place{Part: 0.5}})
	w.Runs.Tracks[1].Hidden = true
	r.Press("space")
	checkSteps(t, w, "from the middle")
	for range 10 {
		r.Press(",")
	}
	if at := w.logs.clock.Now / w.logs.clock.End.Seconds; math.Abs(at-0.3) > 0.02 {
		t.Errorf("ten steps back it is at %v", at)
	}
	checkSteps(t, w, "scrubbed back")
	r.Press(".")
	checkSteps(t, w, "scrubbed on")
	if !w.Runs.Tracks[1].Hidden {
		t.Error("what was hidden is shown again")
	}
	r.Press("u")
	first := w.logs.clock.Now
	if e := w.Runs.Tracks[0].Eval; e == nil {
		t.Error("no evaluation where one is")
	}
	r.Press("u", "U")
	if w.logs.clock.Now != first {
		t.Errorf("on and back it is at %v, want %v", w.logs.clock.Now, first)
	}
	r.Press("J")
	warned := false
	for _, tr := range w.Runs.Tracks {
		for _, n := range tr.Notes {
			warned = warned || n.Bad
		}
	}
	if !warned {
		t.Errorf("at %v no warning is there", w.logs.clock.Now)
	}
	r.Press("y")
	if !strings.Contains(r.Notice.Text, "No checkpoint after") {
		t.Errorf("without checkpoints: %q", r.Notice.Text)
	}
	r.Press("T")
	for i, tr := range w.Runs.Tracks[1:] {
		if tr.Step != w.Runs.Tracks[0].Step {
			t.Errorf("by step, run %d is at %d and the first at %d", i+1, tr.Step,
				w.Runs.Tracks[0].Step)
		}
	}
}

// TestReplayEnds: after the end of a replay, the page shows the runs as they are now.
func TestReplayEnds(t *testing.T) {
	w, r := replaying(t, lab.Replay{})
	if !w.Replaying() {
		t.Fatal("no replay")
	}
	r.Press("R")
	m, _ := tuitest.Sent[lab.Watch](r)
	if m.Replay != nil {
		t.Fatalf("R asks for a replay, %+v, want its end", m.Replay)
	}
	if len(m.IDs) != 4 {
		t.Fatalf("R asks for the runs %v, want the same 4", m.IDs)
	}
	r.Send(m)
	if w.Replaying() {
		t.Error("Replaying() = true after the end of the replay")
	}
	if got := w.Runs.Tracks[0].Status; got != runner.Done {
		t.Errorf("after the replay the run is %s, want done", got)
	}
}

// TestReplayTurns: while a replay plays, curves are drawn at every look, and figures only as often
// as they can be read. When it is paused, nothing changes.
func TestReplayTurns(t *testing.T) {
	w, r := replaying(t, lab.Replay{Speed: 5})
	w.Round = time.Second
	table, curves := 0, 0
	for range 26 { // two seconds
		before, curve := w.turns.above.shown, w.turns.drawn[0].shown
		r.Wait(frameTime, frameTime)
		w.View(120, 38)
		if w.turns.above.shown != before {
			table++
		}
		if w.turns.drawn[0].shown != curve {
			curves++
		}
	}
	if table < 6 || table > 9 {
		t.Errorf("in two seconds the table was drawn %d times, want 6 to 9", table)
	}
	if curves < 20 {
		t.Errorf("in two seconds curves were drawn %d times, want at least 20", curves)
	}
	r.Press("space")
	w.View(120, 38)
	if w.turns.above.shown != w.turns.news {
		t.Error("paused, the table is not as it is")
	}
}
