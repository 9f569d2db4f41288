package watch

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"drolab/runner"
	"drolab/runner/eventlog"
	"drolab/tui/internal/tuitest"
	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/watch/panel"
)

// TestReplayTakesAMinute: a replay takes about a minute, however long the runs took, as far as the
// range of speeds allows.
func TestReplayTakesAMinute(t *testing.T) {
	for took, want := range map[float64]float64{20: 20, 60: 60, 75: 60, 2457: 60, 40_000: 60,
		120_000: 120} {
		c := newClock(lab.Replay{})
		c.Load("run", &eventlog.Tape{End: eventlog.Moment{Seconds: took}}, 1)
		if got := took / c.Speed; got > want || got < 0.6*want {
			t.Errorf("runs of %v s are over after %v s at ×%g, want %v", took, got, c.Speed, want)
		}
	}
}

// TestBar: the bar shows the part that was played, the part to come, and the marks of events.
func TestBar(t *testing.T) {
	theme := new(kit.Theme)
	mark := func(seconds float64, kind string) eventlog.Mark {
		return eventlog.Mark{Moment: eventlog.Moment{Seconds: seconds, Step: int64(10 * seconds)},
			Kind: kind}
	}
	for _, c := range []struct {
		at    float64
		steps bool
		marks []eventlog.Mark
		want  string
	}{
		{0, false, nil, " ●─────────── "},
		{50, true, nil, " ━━━━━━●───── "},
		{100, false, nil, " ━━━━━━━━━━━● "},
		{50, true, []eventlog.Mark{mark(0, "eval"), mark(100, "checkpoint"), mark(80, "warning")},
			" ╵━━━━━●──!─◆ "},
		// Of several marks in a cell, the most important is shown.
		{0, false, []eventlog.Mark{mark(90, "warning"), mark(90, "eval"), mark(91, "checkpoint")},
			" ●─────────!─ "},
	} {
		clock := newClock(lab.Replay{Steps: c.steps})
		clock.Load("run", &eventlog.Tape{End: eventlog.Moment{Seconds: 100, Step: 1000},
			Marks: c.marks}, 1)
		clock.Seek(c.at)
		if got := clock.Bar(theme, len([]rune(c.want))); got != c.want {
			t.Errorf("at %v: %q, want %q", c.at, got, c.want)
		}
	}
	// This many evaluations would hide the bar.
	var dense []eventlog.Mark
	for i := range 100 {
		dense = append(dense, mark(float64(i), "eval"))
	}
	clock := newClock(lab.Replay{})
	clock.Load("run", &eventlog.Tape{End: eventlog.Moment{Seconds: 100}, Marks: dense}, 1)
	if bar := clock.Bar(theme, 40); strings.Contains(bar, "╵") {
		t.Errorf("dense: %q", bar)
	}
	if bar := clock.Bar(theme, 120); !strings.HasSuffix(bar,
		"  ! warning  ◆ checkpoint  ╵ evaluation ") {
		t.Errorf("wide: %q", bar)
	}
}

// TestNear: a click leads to the place that the bar shows there.
func TestNear(t *testing.T) {
	theme := new(kit.Theme)
	clock := newClock(lab.Replay{})
	clock.Load("run", &eventlog.Tape{End: eventlog.Moment{Seconds: 100}}, 1)
	for x, want := range map[int]float64{0: 0, 1: 0, 38: 100, 39: 100} {
		if got := clock.PlaceAt(theme, x, 40); got != want {
			t.Errorf("column %d is at %v, want %v", x, got, want)
		}
	}
}

// TestSpeedBySteps: in a replay by steps, the speed is in steps, because runs are side by side by
// step, whatever time each took.
func TestSpeedBySteps(t *testing.T) {
	clock := newClock(lab.Replay{Steps: true, Speed: 10})
	clock.Load("run", &eventlog.Tape{End: eventlog.Moment{Seconds: 100, Step: 2000}}, 1)
	if got, want := clock.Words(80), "replay 200 steps/s · 0 of 2000 steps"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if clock.Turn(); clock.Words(80) != "replay ×10 · 0:00 of 1:40" {
		t.Errorf("by time: %q", clock.Words(80))
	}
}

// partly is a log of which a part was read.
type partly struct {
	lab.Log
	share float64
}

func (l partly) Share() float64 { return l.share }

// TestHalfRead: a run that is done is shown as done while its log is still being read, whatever the
// events so far say.
func TestHalfRead(t *testing.T) {
	a := tuitest.NewArchive(t)
	r, err := a.Folder.Find("shapes-sfk-s1")
	if err != nil {
		t.Fatal(err)
	}
	events, err := r.Tail().Read()
	if err != nil {
		t.Fatal(err)
	}
	w := New(tuitest.NewLab(t, a, lab.Config{RunsGoOn: true}, 120, 40))
	w.opened(openMsg{runs: []panel.Opened{{Run: r, Log: r.Tail(), At: r.Standing()}}})
	part := func(events []runner.Event, share float64) {
		w.reading = true
		w.addEvents(readMsg{round: w.round,
			parts: []part{{id: r.Meta.ID, log: partly{r.Tail(), share}, events: events}}})
	}
	w.Round = time.Hour // news is shown in turns, but not what was recorded before
	w.View(120, 40)
	half := len(events) / 2
	part(events[:half], 0.349)
	tr := w.Tracks[0]
	if tr.Status != runner.Done || tr.Step != r.Summary().Steps || tr.Eval == nil ||
		tr.Eval.Step != tr.Step {
		t.Errorf("half read it stands at %s, step %d, %+v", tr.Status, tr.Step, tr.Eval)
	}
	if s := tr.Stands(true); strings.Contains(s, " in ") {
		t.Errorf("half read it is %q", s)
	}
	if n := tr.Curves["test_loss"].Raw.Len(); n == 0 || n >= tuitest.Epochs {
		t.Errorf("half read there are %d points", n)
	}
	screen := strings.Join(w.View(120, 40), "\n")
	if strings.Contains(screen, "running") || !strings.Contains(screen, "done") {
		t.Errorf("half read it says\n%s", screen)
	}
	if d := w.Digest(80); d != "1 done · reading 34 %" {
		t.Errorf("the header says %q", d)
	}
	if w.noVerb("stop")(tr) == "" {
		t.Error("a run that is done can be stopped")
	}
	part(events[half:], 1)
	if s := strings.Join(w.View(120, 40), "\n"); !strings.Contains(s, "done after 8 epochs in ") {
		t.Errorf("all read it says\n%s", s)
	}
	if d := w.Digest(80); d != "1 done" || tr.Behind != nil || tr.Step != r.Summary().Steps {
		t.Errorf("all read: %q, step %d", d, tr.Step)
	}
}

// replaying returns a page that replays the scripted runs from the start, at ×1 unless ask says
// otherwise.
func replaying(t *testing.T, ask lab.Replay) (*Page, *tuitest.Rig) {
	t.Helper()
	s := tuitest.NewScript(t)
	s.Now = s.Now.Add(time.Hour)
	w := New(tuitest.NewLab(t, s, lab.Config{}, 120, 40))
	r := tuitest.NewRig(w.Lab, w)
	var ids []string
	for id := range s.Logs {
		ids = append(ids, id)
	}
	ask.Speed = max(1, ask.Speed)
	r.Send(lab.Watch{IDs: ids, Replay: &ask})
	for !w.clock.Ready {
		r.Wait(Frame, Frame)
	}
	r.Wait(Frame, Frame)
	return w, r
}

// due returns the step at which the script has run i after the given time.
func due(i int, seconds float64) int64 {
	steps := int64(seconds / (tuitest.Pace * (1 + 0.1*float64(i))))
	return min(steps/10*10, tuitest.Steps*tuitest.Epochs)
}

func checkSteps(t *testing.T, w *Page, what string) {
	t.Helper()
	for i, tr := range w.Tracks {
		want := due(i, w.clock.At)
		if got := tr.Step; got < want-10 || got > want+10 {
			t.Errorf("%s, at %.2f s: %s is at step %d, want about %d", what, w.clock.At, tr.Label,
				got, want)
		}
		if n := int64(tr.Curves["loss"].Raw.Len()); n != tr.Step/10 {
			t.Errorf("%s: %s has %d points at step %d", what, tr.Label, n, tr.Step)
		}
	}
}

func TestReplayUnfolds(t *testing.T) {
	w, r := replaying(t, lab.Replay{})
	r.Wait(5*time.Second, Frame)
	if at := w.clock.At; at < 4.8 || at > 5.3 {
		t.Errorf("after 5 s it is at %v s", at)
	}
	checkSteps(t, w, "played")
	if d := w.Digest(80); !strings.HasPrefix(d, "replay ×1 · 0:05 of 0:2") {
		t.Errorf("the header says %q", d)
	}
	if w.Tracks[0].Status != runner.Running {
		t.Errorf("the run is %s", w.Tracks[0].Status)
	}
	if eta := w.progress()[1].Cell(w.Tracks); eta != "–" {
		t.Errorf("by the clock of now the run would end in %s", eta)
	}
	r.Press("space")
	at := w.clock.At
	r.Wait(2*time.Second, Frame)
	if w.clock.At != at || !strings.HasSuffix(w.Digest(80), "paused: Space plays") {
		t.Errorf("paused it has moved from %v to %v", at, w.clock.At)
	}
	for cells, want := range map[int]string{46: "replay ×1 · 0:05 of 0:21 · paused: Space plays",
		36: "replay ×1 · 0:05 of 0:21 · paused", 27: "replay ×1 · 24 % · paused",
		20: "replay ×1 · paused", 7: "replay"} {
		if got := w.Digest(cells); got != want {
			t.Errorf("in %d cells: %q, want %q", cells, got, want)
		}
	}
	keys := w.Keys()
	offered := func(k kit.Key) bool { return k.Hint != "" && k.Blocked() == "" }
	if k := keys[slices.IndexFunc(keys, offered)]; k.Name(false) != "," {
		t.Errorf("the first key that the footer offers is %s", k.Name(false))
	}
	r.Press("}")
	r.Press("space")
	r.Wait(time.Second, Frame)
	if moved := w.clock.At - at; moved < 1.9 || moved > 2.3 {
		t.Errorf("at ×2 it moves by %v s in one", moved)
	}
	r.Wait(time.Minute, Frame)
	if !w.clock.Ended() || w.Tracks[3].Status != runner.Done || w.clock.Playing {
		t.Errorf("at the end: %s, %s", w.Digest(80), w.Tracks[3].Status)
	}
	r.Press("space")
	r.Wait(time.Second, Frame)
	checkSteps(t, w, "begun again")
}

func TestReplayScrubs(t *testing.T) {
	w, r := replaying(t, lab.Replay{From: lab.Place{Part: 0.5}})
	w.Tracks[1].Hidden = true
	r.Press("space")
	checkSteps(t, w, "from the middle")
	for range 10 {
		r.Press(",")
	}
	if at := w.clock.At / w.clock.End.Seconds; math.Abs(at-0.3) > 0.02 {
		t.Errorf("ten steps back it is at %v", at)
	}
	checkSteps(t, w, "scrubbed back")
	r.Press(".")
	checkSteps(t, w, "scrubbed on")
	if !w.Tracks[1].Hidden {
		t.Error("what was hidden is shown again")
	}
	r.Press("u")
	first := w.clock.At
	if e := w.Tracks[0].Eval; e == nil {
		t.Error("no evaluation where one is")
	}
	r.Press("u", "U")
	if w.clock.At != first {
		t.Errorf("on and back it is at %v, not %v", w.clock.At, first)
	}
	r.Press("J")
	warned := false
	for _, tr := range w.Tracks {
		for _, n := range tr.Notes {
			warned = warned || n.Bad
		}
	}
	if !warned {
		t.Errorf("at %v no warning is there", w.clock.At)
	}
	r.Press("y")
	if !strings.Contains(r.Notice.Text, "No checkpoint after") {
		t.Errorf("without checkpoints: %q", r.Notice.Text)
	}
	r.Press("T")
	for i, tr := range w.Tracks[1:] {
		if tr.Step != w.Tracks[0].Step {
			t.Errorf("by step, run %d is at %d and the first at %d", i+1, tr.Step, w.Tracks[0].Step)
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
	m, ok := tuitest.Sent[lab.Watch](r)
	if !ok || m.Replay != nil || len(m.IDs) != 4 {
		t.Fatalf("R asks for %+v", m)
	}
	r.Send(m)
	if w.Replaying() || w.Tracks[0].Status != runner.Done {
		t.Errorf("the run is %s", w.Tracks[0].Status)
	}
}

// TestReplayTurns: while a replay plays, curves are drawn at every look, and figures only as often
// as they can be read. When it is paused, nothing changes.
func TestReplayTurns(t *testing.T) {
	w, r := replaying(t, lab.Replay{Speed: 5})
	w.Round = time.Second
	table, curves := 0, 0
	for range 26 { // two seconds
		before, curve := w.around.shown, w.drawn[0].shown
		r.Wait(Frame, Frame)
		w.View(120, 38)
		if w.around.shown != before {
			table++
		}
		if w.drawn[0].shown != curve {
			curves++
		}
	}
	if table < 6 || table > 9 || curves < 20 {
		t.Errorf("in two seconds the table was drawn %d times, curves %d times", table, curves)
	}
	r.Press("space")
	w.View(120, 38)
	if w.around.shown != w.turns.news {
		t.Error("paused, the table is not as it is")
	}
}

// TestReplayBar: a click on the bar moves the replay there. In a replay by steps, the header counts
// steps.
func TestReplayBar(t *testing.T) {
	w, r := replaying(t, lab.Replay{Steps: true})
	r.Press("space")
	w.View(120, 38)
	bar := w.layout().head.Y
	if line := w.View(120, 38)[bar]; !strings.Contains(line, "●") ||
		!strings.Contains(line, "evaluation") {
		t.Errorf("the bar is %q", line)
	}
	r.Send(kit.Click{X: 60, Y: bar})
	r.Wait(Frame, Frame)
	if at := w.clock.At / w.clock.End.Seconds; at < 0.4 || at > 0.9 {
		t.Errorf("a click about the middle leads to %v", at)
	}
	if d := w.Digest(80); !strings.Contains(d, " steps/s · ") || strings.Contains(d, "×") {
		t.Errorf("by steps the header says %q", d)
	}
}
