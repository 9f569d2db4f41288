package clock

import (
	"strings"
	"testing"

	"drolab/runner/record"
	"drolab/tui/kit"
	"drolab/tui/lab"
)

// TestReplayTakesAMinute: a replay takes about a minute, however long the runs took, as far as the
// range of speeds allows.
func TestReplayTakesAMinute(t *testing.T) {
	for took, want := range map[float64]float64{20: 20, 60: 60, 75: 60, 2457: 60, 40_000: 60,
		120_000: 120} {
		c := New(lab.Replay{})
		c.Load("run", &record.Tape{End: record.Moment{Seconds: took}}, 1)
		if got := took / c.Speed; got > want || got < 0.6*want {
			t.Errorf("runs of %v s are over after %v s at ×%g, want %v", took, got, c.Speed, want)
		}
	}
}

// TestBar: the bar shows the part that was played, the part to come, and the marks of events.
func TestBar(t *testing.T) {
	theme := new(kit.Theme)
	mark := func(seconds float64, kind string) record.Mark {
		return record.Mark{Moment: record.Moment{Seconds: seconds, Step: int64(10 * seconds)},
			Kind: kind}
	}
	for _, c := range []struct {
		at    float64
		steps bool
		marks []record.Mark
		want  string
	}{
		{0, false, nil, " ●─────────── "},
		{50, true, nil, " ━━━━━━●───── "},
		{100, false, nil, " ━━━━━━━━━━━● "},
		{50, true, []record.Mark{mark(0, "eval"), mark(100, "checkpoint"), mark(80, "warning")},
			" ╵━━━━━●──!─◆ "},
		// Of several marks in a cell, the most important is shown.
		{0, false, []record.Mark{mark(90, "warning"), mark(90, "eval"), mark(91, "checkpoint")},
			" ●─────────!─ "},
	} {
		clock := New(lab.Replay{Steps: c.steps})
		clock.Load("run", &record.Tape{End: record.Moment{Seconds: 100, Step: 1000},
			Marks: c.marks}, 1)
		clock.Seek(c.at)
		if got := clock.Bar(theme, len([]rune(c.want))); got != c.want {
			t.Errorf("at %v: %q, want %q", c.at, got, c.want)
		}
	}
	// This many evaluations would hide the bar.
	var dense []record.Mark
	for i := range 100 {
		dense = append(dense, mark(float64(i), "eval"))
	}
	clock := New(lab.Replay{})
	clock.Load("run", &record.Tape{End: record.Moment{Seconds: 100}, Marks: dense}, 1)
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
	clock := New(lab.Replay{})
	clock.Load("run", &record.Tape{End: record.Moment{Seconds: 100}}, 1)
	for x, want := range map[int]float64{0: 0, 1: 0, 38: 100, 39: 100} {
		if got := clock.Near(theme, x, 40); got != want {
			t.Errorf("column %d is at %v, want %v", x, got, want)
		}
	}
}

// TestSpeedBySteps: in a replay by steps, the speed is in steps, because runs are side by side by
// step, whatever time each took.
func TestSpeedBySteps(t *testing.T) {
	clock := New(lab.Replay{Steps: true, Speed: 10})
	clock.Load("run", &record.Tape{End: record.Moment{Seconds: 100, Step: 2000}}, 1)
	if got, want := clock.In(80), "replay 200 steps/s · 0 of 2000 steps"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if clock.Turn(); clock.In(80) != "replay ×10 · 0:00 of 1:40" {
		t.Errorf("by time: %q", clock.In(80))
	}
}
