package watch

import (
	"fmt"
	"time"

	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/watch/panel"

	tea "charm.land/bubbletea/v2"
)

// A replay is the same page over runs whose logs are limited by a clock. Package panel has the
// limited logs (OpenReplay, Prepare).

// Replaying reports whether the page shows a replay. A replay changes nothing: the model refuses
// the keys that alter runs meanwhile, and the header says that this is not the present.
func (w *Page) Replaying() bool { return w.logs.clock != nil }

// Pace returns the time after which the page wants to look again while a replay plays; ok is false
// at other times, when the model looks as often as the runs log. Such a look reads no files,
// because a tape is in memory.
func (w *Page) Pace() (d time.Duration, ok bool) {
	return frameTime, w.logs.clock != nil && w.logs.clock.Playing
}

// replayKeys returns the rows that hold in a replay. They are always there, with a Why that says
// how to start one: a key that is not in the table would do nothing and say nothing.
func (w *Page) replayKeys() []kit.Key {
	in := func() string {
		switch {
		case w.logs.clock == nil:
			return "No replay is running. R replays the watched runs, or those selected on page 3"
		case !w.logs.clock.Ready:
			return "Still reading the runs"
		}
		return ""
	}
	jump := func(key, side string, m markKind, by float64) kit.Key {
		return kit.Key{Keys: kit.On(key), Why: in, Act: w.jump(m, by),
			Help: "replay: go to the " + side + " " + m.name + " and pause"}
	}
	row := func(key, hint, help string, do func(*clock)) kit.Key {
		return kit.Key{Keys: kit.On(key), Hint: hint, Help: "replay: " + help, Why: in,
			Act: w.replay(func() { do(w.logs.clock) })}
	}
	rows := []kit.Key{
		row(",", "back", "back by 2 %", func(c *clock) { c.Scrub(-1) }),
		row(".", "forward", "forward by 2 %", func(c *clock) { c.Scrub(1) }),
		row("{", "slower", "slower", func(c *clock) { c.Faster(-1) }),
		row("}", "faster", "faster", func(c *clock) { c.Faster(1) }),
		row("T", "", "align runs by step, or by time since their start", (*clock).Realign),
	}
	for _, m := range markKinds() {
		rows = append(rows, jump(m.next, "next", m, 1), jump(m.previous, "previous", m, -1))
	}
	return rows
}

// replay returns an Act that changes the clock by f. If the logs are due then, they are read at
// once, at the time of the last tick, so that the press itself lets no time pass.
func (w *Page) replay(f func()) func() tea.Cmd {
	return func() tea.Cmd {
		f()
		return w.read(w.logs.clock.Ticked)
	}
}

// jump returns an Act that goes to the next mark of a kind or, if by is -1, to the one before.
func (w *Page) jump(m markKind, by float64) func() tea.Cmd {
	return func() tea.Cmd {
		if !w.logs.clock.Jump(m.kind, by) {
			if by > 0 {
				return kit.Notify(fmt.Sprintf("No %s after this moment", m.name))
			}
			return kit.Notify(fmt.Sprintf("No %s before this moment", m.name))
		}
		return w.read(w.logs.clock.Ticked)
	}
}

// flipReplay replays the watched runs, or ends a replay. It opens the same runs anew, as if others
// were opened, which leaves no state of the one in the other.
func (w *Page) flipReplay() tea.Cmd {
	m := lab.Watch{IDs: w.Runs.IDs()}
	if w.logs.clock == nil {
		m.Replay = &lab.Replay{Steps: true}
	}
	return kit.Send(m)
}

// hideOrPlay hides the curves of the run under the cursor or, in a replay, plays and
// pauses, as in every player. Curves cannot be hidden then; those hidden before stay so.
func (w *Page) hideOrPlay() tea.Cmd {
	if w.logs.clock == nil {
		w.hide()
		return nil
	}
	return w.replay(w.logs.clock.Play)()
}

// restart shows the runs from their start, and keeps what was chosen of them. Share is kept,
// because the log was read before: a track with Share 0 would be shown as still reading.
func (w *Page) restart() {
	for i, old := range w.Runs.Tracks {
		w.Runs.Tracks[i] = w.trackAgain(old, old.RunLog)
		w.Runs.Tracks[i].Share = old.Share
	}
}

// trackAgain returns the track of a run that is read again from its start, in the place of the old
// one.
func (w *Page) trackAgain(old *panel.Track, o panel.RunLog) *panel.Track {
	t := panel.NewTrack(o)
	t.Names, t.Hidden = old.Names, old.Hidden
	w.Board.Prepare(t)
	return t
}
