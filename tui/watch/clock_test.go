package watch

import (
	"testing"

	"drolab/runner/eventlog"
	"drolab/tui/lab"
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

// TestSpeedBySteps: in a replay by steps, the speed is in steps, because runs are side by side by
// step, whatever time each took.
func TestSpeedBySteps(t *testing.T) {
	clock := newClock(lab.Replay{Steps: true, Speed: 10})
	clock.Load("run", &eventlog.Tape{End: eventlog.Moment{Seconds: 100, Step: 2000}}, 1)
	if got, want := clock.Words(80), "replay 200 steps/s · 0 of 2000 steps"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if clock.Realign(); clock.Words(80) != "replay ×10 · 0s of 1m40s" {
		t.Errorf("by time: %q, want %q", clock.Words(80), "replay ×10 · 0s of 1m40s")
	}
}
