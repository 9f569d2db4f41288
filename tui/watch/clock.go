package watch

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"drolab/runner"
	"drolab/runner/record"
	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/watch/track"

	tea "charm.land/bubbletea/v2"
)

// clock is how far a replay has come. It belongs to the page, and a command that reads gets the
// moment alone. It limits what is read of the logs, and that
// is all that a replay is. The runs share it: each is shown as it was so many seconds
// of training after its own start or, by steps, all of them at the same step.
//
// Place and speed change at once with a key. The logs follow at the next read, which due asks for.
// The field back has to be set whenever the moment moves to before what was read: a log
// gives events forwards only.
type clock struct {
	lab.Replay
	at      float64                 // seconds of training, of the longest run's; 0 to end
	playing bool                    // else it stands, ready to be scrubbed
	ready   bool                    // the tapes are there
	tapes   map[string]*record.Tape // by run
	end     record.Moment           // of the longest
	ticked  time.Time               // when time was last let pass; zero before the first tick
	read    float64                 // what was asked for last; NaN: nothing
	back    bool                    // the logs have to be read from their start
}

// frame is how often a replay that plays is shown: with what the renderer rounds up to,
// twelve times a second and more.
const frame = time.Second / 13

// newClock is the clock of a replay that plays as soon as its runs were read.
func newClock(r lab.Replay) *clock {
	return &clock{Replay: r, playing: true, tapes: map[string]*record.Tape{}, read: math.NaN()}
}

// load takes in the tape of a run; with that of the last the replay starts. It waits for all of
// them, because the longest says how long the whole is and how fast it goes in a minute.
func (c *clock) load(id string, tape *record.Tape, runs int) {
	if tape == nil || c.ready {
		return
	}
	c.tapes[id] = tape
	c.end.Seconds = max(c.end.Seconds, tape.End.Seconds)
	c.end.Step = max(c.end.Step, tape.End.Step)
	if c.ready = len(c.tapes) == runs; !c.ready {
		return
	}
	c.at = c.From.Seconds(c.end)
	// Rounded up to a whole number, the speed reads well and the replay is over within a minute.
	if c.Speed == 0 {
		const aMinute = 60
		c.Speed = max(lab.LeastSpeed, min(lab.MostSpeed, math.Ceil(c.end.Seconds/aMinute)))
	}
}

// speeds is the ladder that the keys climb. A speed given on the command line may lie between two
// rungs, and the keys go on from there.
func speeds() []float64 {
	return []float64{lab.LeastSpeed, 2, 5, 10, 20, 50, 100, 200, 500, lab.MostSpeed}
}

// faster takes the next speed of the ladder, or the one before; at its ends nothing.
func (c *clock) faster(by int) {
	ladder := speeds()
	if by < 0 {
		slices.Reverse(ladder)
	}
	for _, s := range ladder {
		if (s-c.Speed)*float64(by) > 0 {
			c.Speed = s
			return
		}
	}
}

// tick lets time pass, and stops at the end. A look that comes late makes no leap: a terminal that
// was in the background for an hour goes on where it was.
func (c *clock) tick(now time.Time) {
	// The clock may be set back while a replay plays; it stands still then, and goes on.
	passed := min(now.Sub(c.ticked), time.Second)
	if c.ticked.IsZero() {
		passed = 0
	}
	if passed >= 0 {
		c.ticked = now
	}
	if passed <= 0 || !c.playing || !c.ready {
		return
	}
	c.at = min(c.end.Seconds, c.at+passed.Seconds()*c.Speed)
	c.playing = c.at < c.end.Seconds
}

// play goes on or pauses; at the end it begins again.
func (c *clock) play() {
	if c.playing = !c.playing; c.playing && c.at >= c.end.Seconds {
		c.seek(0)
	}
}

// seek goes somewhere else, within the whole. Playing or not, it stays so.
func (c *clock) seek(at float64) {
	c.at = max(0, min(at, c.end.Seconds))
	c.back = c.back || c.at < c.read
}

// scrub goes on or back by parts of the whole, a fiftieth each: a run of any length is passed
// through in as many presses.
func (c *clock) scrub(by int) {
	const part = 50
	c.seek(c.at + float64(by)*c.end.Seconds/part)
}

// jump goes to the next mark of a kind, or to the one before, and stays there; false
// where there is none. by is 1 or -1. A mark within a billionth of the whole is the one that the
// clock stands at, and does not count: rounding would hold the key there.
func (c *clock) jump(kind string, by float64) bool {
	best := math.Inf(1)
	for _, tape := range c.tapes {
		for _, m := range tape.Marks {
			away := by * (c.place(m.Moment) - c.at)
			if m.Kind == kind && away > 1e-9*c.end.Seconds {
				best = min(best, away)
			}
		}
	}
	if math.IsInf(best, 1) {
		return false
	}
	c.playing = false
	c.seek(c.at + by*best)
	return true
}

// place is where the clock is at a moment of a run: the inverse of until. By steps, seconds of
// the clock are parts of the longest run, and no seconds of anything.
func (c *clock) place(m record.Moment) float64 {
	if c.Steps && c.end.Step > 0 {
		return float64(m.Step) / float64(c.end.Step) * c.end.Seconds
	}
	return m.Seconds
}

// turn changes what the runs are side by side by. The place stays, as a part of the whole, but
// each run is now at another moment, before or after: the logs are read from their start.
func (c *clock) turn() {
	c.Steps = !c.Steps
	c.back, c.read = true, math.NaN()
}

// until is the moment that the logs are read up to. At the end there is no limit, so that what
// was logged after the last step, the status above all, is seen.
func (c *clock) until() record.Moment {
	m := record.Always()
	const slack = 1e-9 // of what was reckoned back and forth
	switch {
	case c.at >= c.end.Seconds:
	case c.Steps:
		m.Step = int64(c.at / c.end.Seconds * float64(c.end.Step) * (1 + slack))
	default:
		m.Seconds = c.at * (1 + slack)
	}
	return m
}

// due tells whether the logs have to be read. A replay that stands costs nothing: ticks come and
// go without a command. NaN is equal to nothing, so that a clock that was never read for is due.
func (c *clock) due() bool { return !c.ready || c.back || c.at != c.read }

// ended tells whether all is shown, and a run that was cut short may be called so.
func (c *clock) ended() bool { return c.ready && c.at >= c.end.Seconds }

// in is how the replay stands, "replay ×60 · 3:12 of 8:40", in w cells where it can: where
// they are few, in parts of the whole, or not at all.
func (c *clock) in(w int) string {
	name, at, end, state := "replay", "", "", ""
	if c.ready {
		name += fmt.Sprintf(" ×%g", c.Speed)
		at, end = clockTime(c.at), clockTime(c.end.Seconds)
		if c.Steps {
			at = fmt.Sprint(min(c.until().Step, c.end.Step))
			end = fmt.Sprintf("%d steps", c.end.Step)
		}
		end = " of " + end
	}
	switch {
	case c.ended():
		state = "end"
	case !c.playing:
		state = "paused"
	}
	var text string
	// From the longest words to the shortest; the last is taken even where it does not fit.
	part := fmt.Sprintf("%.0f %%", 100*c.at/max(c.end.Seconds, 1e-9))
	long := strings.Replace(state, "paused", "paused: Space plays", 1)
	for _, words := range [][]string{{name, at + end, long}, {name, at + end, state},
		{name, part, state}, {name, state}, {"replay", state}, {"replay"}} {
		text = strings.Join(slices.DeleteFunc(words, func(s string) bool { return s == "" }), " · ")
		if cell.Width(text) <= w {
			break
		}
	}
	return text
}

// clockTime is a time of training. A broken record may hold any number of seconds, and a duration
// of more than some hundred years overflows.
func clockTime(seconds float64) string {
	return kit.Clock(time.Duration(min(seconds, 1e9) * float64(time.Second)))
}

// A replay is the page as it is over runs whose logs are limited by a clock. The clock is in
// clock.go, and the limited logs are package track's (OpenReplay, Prepare).

// replayHint is said at the start: the footer has no room for these keys.
const replayHint = "Space plays, { } speed, , . scrub, u y J next evaluation, checkpoint, " +
	"warning, R ends it"

// Replaying tells whether what is shown is a replay, which changes nothing: the model refuses the
// keys that alter runs meanwhile, and the header says that this is not now.
func (w *Page) Replaying() bool { return w.clock != nil }

// Pace is how soon the page is to look again while a replay plays; ok is false at
// other times, when the model looks as often as the runs log. A look does not read files any
// more by then: a tape is in memory.
func (w *Page) Pace() (d time.Duration, ok bool) {
	return frame, w.clock != nil && w.clock.playing
}

// replayKeys are rows that hold in a replay. They are there always, with a Why that says how to
// start one: a key that is not in the table would do nothing and say nothing.
func (w *Page) replayKeys() []kit.Key {
	in := func() string {
		switch {
		case w.clock == nil:
			return "No replay is running: " +
				"R replays the watched runs, or those selected on page 3"
		case !w.clock.ready:
			return "the runs are still being read"
		}
		return ""
	}
	jump := func(on, back, kind string) []kit.Key {
		return []kit.Key{
			{Keys: kit.On(on), Help: "replay: on to the next " + kind + ", and stay",
				Why: in, Do: w.jump(kind, 1)},
			{Keys: kit.On(back), Help: "replay: back to the " + kind + " before, and stay",
				Why: in, Do: w.jump(kind, -1)},
		}
	}
	row := func(key, hint, help string, do func(*clock)) kit.Key {
		return kit.Key{Keys: kit.On(key), Hint: hint, Help: "replay: " + help, Why: in,
			Do: w.replay(func() { do(w.clock) })}
	}
	rows := []kit.Key{
		row(",", "back", "back by a fiftieth", func(c *clock) { c.scrub(-1) }),
		row(".", "on", "on by a fiftieth", func(c *clock) { c.scrub(1) }),
		row("{", "slower", "slower", func(c *clock) { c.faster(-1) }),
		row("}", "faster", "faster", func(c *clock) { c.faster(1) }),
		row("T", "", "runs side by side by step, or by time since their start", (*clock).turn),
	}
	rows = append(rows, jump("u", "U", "evaluation")...)
	rows = append(rows, jump("y", "Y", "checkpoint")...)
	return append(rows, jump("J", "K", "warning")...)
}

// replay is a Do of what changes the clock: what is due then is read at once, at the time of the
// last tick, so that the press itself lets no time pass.
func (w *Page) replay(f func()) func() tea.Cmd {
	return func() tea.Cmd {
		f()
		return w.read(w.clock.ticked)
	}
}

// jump is a Do that goes to the next mark of a kind or, by -1, to the one before. The kind is the
// word on the screen; the log's own word for an evaluation is shorter.
func (w *Page) jump(kind string, by float64) func() tea.Cmd {
	of := kind
	if kind == "evaluation" {
		of = (&runner.EvalEvent{}).Kind()
	}
	return func() tea.Cmd {
		if !w.clock.jump(of, by) {
			side := map[bool]string{true: "after", false: "before"}[by > 0]
			return kit.Notify("there is no " + kind + " " + side + " this moment")
		}
		return w.read(w.clock.ticked)
	}
}

// flipReplay replays what is watched, or shows it as it is. It opens the same runs anew, which
// takes the same way as opening others and leaves no state of the one in the other.
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
	return w.replay(w.clock.play)()
}

// again shows the runs from their start, with what was chosen of them. Share is kept, as the log
// was read before: a track at 0 would be said to be reading.
func (w *Page) again() {
	for i, old := range w.Tracks {
		t := track.New(old.Opened)
		t.Label, t.Short, t.Number = old.Label, old.Short, old.Number
		t.Hidden, t.Share = old.Hidden, old.Share
		w.Prepare(t)
		w.Tracks[i] = t
	}
}
