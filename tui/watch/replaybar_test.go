package watch

import (
	"strings"
	"testing"

	"drolab/runner/eventlog"
	"drolab/tui/kit"
	"drolab/tui/lab"
)

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
		{0, false, nil, " ┃─────────── "},
		{50, true, nil, " ━━━━━━┃───── "},
		{100, false, nil, " ━━━━━━━━━━━┃ "},
		{50, true, []eventlog.Mark{mark(0, "eval"), mark(100, "checkpoint"), mark(80, "warning")},
			" ╵━━━━━┃──!─▪ "},
		// Of several marks in a cell, the most important is shown.
		{0, false, []eventlog.Mark{mark(90, "warning"), mark(90, "eval"), mark(91, "checkpoint")},
			" ┃─────────!─ "},
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
		"  ! warning  ▪ checkpoint  ╵ evaluation ") {
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

// TestReplayBar: a click on the bar moves the replay there. In a replay by steps, the header counts
// steps.
func TestReplayBar(t *testing.T) {
	w, r := replaying(t, lab.Replay{Steps: true})
	r.Press("space")
	w.View(120, 38)
	bar := w.layout().head.Y
	if line := w.View(120, 38)[bar]; !strings.Contains(line, "┃") ||
		!strings.Contains(line, "evaluation") {
		t.Errorf("the bar is %q, want the place and a legend in it", line)
	}
	r.Send(kit.Click{X: 60, Y: bar})
	r.Wait(frameTime, frameTime)
	if at := w.logs.clock.Now / w.logs.clock.End.Seconds; at < 0.4 || at > 0.9 {
		t.Errorf("a click about the middle leads to %v of the whole, want .4 to .9", at)
	}
	if d := w.Digest(80); !strings.Contains(d, " steps/s · ") || strings.Contains(d, "×") {
		t.Errorf("by steps the header says %q, want steps/s and no × in it", d)
	}
}
