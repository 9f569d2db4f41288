package watch

import (
	"time"

	"drolab/runner"
	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/watch/clock"
	"drolab/tui/watch/track"

	tea "charm.land/bubbletea/v2"
)

// A replay is the same page over runs whose logs are limited by a clock. Package clock has the
// clock, and package track has the limited logs (OpenReplay, Prepare).

// replayHint is said at the start: the footer has no room for these keys.
const replayHint = "Space plays, { } speed, , . scrub, u y J next evaluation, checkpoint, " +
	"warning, R ends it"

// Replaying reports whether the page shows a replay. A replay changes nothing: the model refuses
// the keys that alter runs meanwhile, and the header says that this is not the present.
func (w *Page) Replaying() bool { return w.clock != nil }

// Pace returns the time after which the page wants to look again while a replay plays; ok is false
// at other times, when the model looks as often as the runs log. Such a look reads no files,
// because a tape is in memory.
func (w *Page) Pace() (d time.Duration, ok bool) {
	return clock.Frame, w.clock != nil && w.clock.Playing
}

// replayKeys returns the rows that hold in a replay. They are always there, with a Why that says
// how to start one: a key that is not in the table would do nothing and say nothing.
func (w *Page) replayKeys() []kit.Key {
	in := func() string {
		switch {
		case w.clock == nil:
			return noReplay
		case !w.clock.Ready:
			return stillReading
		}
		return ""
	}
	jump := func(on, back, kind string) []kit.Key {
		return []kit.Key{
			{Keys: kit.On(on), Help: "replay: go to the next " + kind + " and pause",
				Why: in, Do: w.jump(kind, 1)},
			{Keys: kit.On(back), Help: "replay: go to the previous " + kind + " and pause",
				Why: in, Do: w.jump(kind, -1)},
		}
	}
	row := func(key, hint, help string, do func(*clock.Clock)) kit.Key {
		return kit.Key{Keys: kit.On(key), Hint: hint, Help: "replay: " + help, Why: in,
			Do: w.replay(func() { do(w.clock) })}
	}
	rows := []kit.Key{
		row(",", "back", "back by 2 %", func(c *clock.Clock) { c.Scrub(-1) }),
		row(".", "forward", "forward by 2 %", func(c *clock.Clock) { c.Scrub(1) }),
		row("{", "slower", "slower", func(c *clock.Clock) { c.Faster(-1) }),
		row("}", "faster", "faster", func(c *clock.Clock) { c.Faster(1) }),
		row("T", "", "align runs by step, or by time since their start",
			(*clock.Clock).Turn),
	}
	rows = append(rows, jump("u", "U", "evaluation")...)
	rows = append(rows, jump("y", "Y", "checkpoint")...)
	return append(rows, jump("J", "K", "warning")...)
}

// replay returns a Do that changes the clock by f. If the logs are due then, they are read at once,
// at the time of the last tick, so that the press itself lets no time pass.
func (w *Page) replay(f func()) func() tea.Cmd {
	return func() tea.Cmd {
		f()
		return w.read(w.clock.Ticked)
	}
}

// jump returns a Do that goes to the next mark of a kind or, if by is -1, to the one before. The
// kind is the word on the screen; the log's own word for an evaluation is shorter.
func (w *Page) jump(kind string, by float64) func() tea.Cmd {
	of := kind
	if kind == "evaluation" {
		of = (&runner.EvalEvent{}).Kind()
	}
	return func() tea.Cmd {
		if !w.clock.Jump(of, by) {
			side := map[bool]string{true: "after", false: "before"}[by > 0]
			return kit.Notify("No " + kind + " " + side + " this moment")
		}
		return w.read(w.clock.Ticked)
	}
}

// flipReplay replays the watched runs, or ends a replay. It opens the same runs anew, as if others
// were opened, which leaves no state of the one in the other.
func (w *Page) flipReplay() tea.Cmd {
	m := lab.Watch{}
	for _, t := range w.Tracks {
		m.IDs = append(m.IDs, t.ID)
	}
	if w.clock == nil {
		m.Replay = &lab.Replay{Steps: true}
	}
	return kit.Send(m)
}

// space hides the curves of the run under the cursor or, in a replay, plays and
// pauses, as in every player. Curves cannot be hidden then; those hidden before stay so.
func (w *Page) space() tea.Cmd {
	if w.clock == nil {
		w.hide()
		return nil
	}
	return w.replay(w.clock.Play)()
}

// again shows the runs from their start, and keeps what was chosen of them. Share is kept, because
// the log was read before: a track with Share 0 would be shown as still reading.
func (w *Page) again() {
	for i, old := range w.Tracks {
		t := track.New(old.Opened)
		t.Label, t.Short, t.Number = old.Label, old.Short, old.Number
		t.Briefs = old.Briefs
		t.Hidden, t.Share = old.Hidden, old.Share
		w.Prepare(t)
		w.Tracks[i] = t
	}
}

// barRows returns the number of lines of the replay's bar.
func (w *Page) barRows() int {
	const leastHeight = 14
	if w.clock == nil || w.Body.H < leastHeight {
		return 0
	}
	return 1
}
