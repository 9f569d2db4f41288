package watch

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"drolab/runner/eventlog"
	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/watch/panel"

	tea "charm.land/bubbletea/v2"
)

// Clock is the place and the speed of a replay. The runs share it: each is shown as it was after
// the same number of seconds of training or, by steps, at the same step.
//
// Place and speed change at once with a key. The logs follow at the next read, which Due asks for.
// The field fromStart must be set whenever the place moves to before the last read, because a log
// gives events only forwards.
type Clock struct {
	lab.Replay
	At        float64                   // the place, in seconds of the longest run, 0 to End
	Playing   bool                      // whether time passes; else it stands, ready to be scrubbed
	Ready     bool                      // whether all tapes are there
	tapes     map[string]*eventlog.Tape // by run
	End       eventlog.Moment           // the end of the longest run
	Ticked    time.Time                 // the time of the last tick; zero before the first
	read      float64                   // the place that was asked for last; NaN for none
	fromStart bool                      // whether the logs must be read from their start
}

// Frame is the time between two frames of a replay that plays. The renderer rounds it up, which
// still gives twelve frames a second or more.
const Frame = time.Second / 13

// newClock returns the clock of a replay that plays as soon as its runs are read.
func newClock(r lab.Replay) *Clock {
	return &Clock{Replay: r, Playing: true, tapes: map[string]*eventlog.Tape{}, read: math.NaN()}
}

// Load takes the tape of a run; with the last tape the replay starts. It waits for all of them,
// because the longest run decides the length of the whole and the speed that shows it in a minute.
func (c *Clock) Load(id string, tape *eventlog.Tape, runs int) {
	if tape == nil || c.Ready {
		return
	}
	c.tapes[id] = tape
	c.End.Seconds = max(c.End.Seconds, tape.End.Seconds)
	c.End.Step = max(c.End.Step, tape.End.Step)
	if c.Ready = len(c.tapes) == runs; !c.Ready {
		return
	}
	c.At = c.From.Seconds(c.End)
	// Rounded up to a whole number, the speed reads well and the replay is over within a minute.
	if c.Speed == 0 {
		const aMinute = 60
		c.Speed = max(lab.LeastSpeed, min(lab.MostSpeed, math.Ceil(c.End.Seconds/aMinute)))
	}
}

// Faster takes the next speed of a ladder, or the one before; at the ends it does nothing. A speed
// given on the command line may lie between two rungs, and the keys go on from there.
func (c *Clock) Faster(by int) {
	ladder := []float64{lab.LeastSpeed, 2, 5, 10, 20, 50, 100, 200, 500, lab.MostSpeed}
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

// Tick lets time pass, at most a second, and stops at the end. A late tick makes no leap: a
// terminal that was in the background for an hour goes on where it was.
func (c *Clock) Tick(now time.Time) {
	// The system clock may be set back while a replay plays. The replay then stands until it has
	// caught up.
	passed := min(now.Sub(c.Ticked), time.Second)
	if c.Ticked.IsZero() {
		passed = 0
	}
	if passed >= 0 {
		c.Ticked = now
	}
	if passed <= 0 || !c.Playing || !c.Ready {
		return
	}
	c.At = min(c.End.Seconds, c.At+passed.Seconds()*c.Speed)
	c.Playing = c.At < c.End.Seconds
}

// Play plays or pauses the replay; at the end it begins again.
func (c *Clock) Play() {
	if c.Playing = !c.Playing; c.Playing && c.At >= c.End.Seconds {
		c.Seek(0)
	}
}

// Seek moves to another place within the whole. It neither plays nor pauses the replay.
func (c *Clock) Seek(at float64) {
	c.At = max(0, min(at, c.End.Seconds))
	c.fromStart = c.fromStart || c.At < c.read
}

// Scrub moves forwards or back by fiftieths of the whole, so fifty presses pass through a run of
// any length.
func (c *Clock) Scrub(by int) {
	const part = 50
	c.Seek(c.At + float64(by)*c.End.Seconds/part)
}

// Jump goes to the next mark of a kind if by is 1, or to the one before if by is -1, and pauses
// there. It returns false where there is none. A mark within a billionth of the whole is the one
// that the clock stands at, and does not count: rounding would hold the key there.
func (c *Clock) Jump(kind string, by float64) bool {
	best := math.Inf(1)
	for _, tape := range c.tapes {
		for _, m := range tape.Marks {
			away := by * (c.place(m.Moment) - c.At)
			if m.Kind == kind && away > 1e-9*c.End.Seconds {
				best = min(best, away)
			}
		}
	}
	if math.IsInf(best, 1) {
		return false
	}
	c.Playing = false
	c.Seek(c.At + by*best)
	return true
}

// place returns the place of the clock at a moment of a run: the inverse of Until. By steps, the
// seconds of the clock only measure parts of the longest run, and no time.
func (c *Clock) place(m eventlog.Moment) float64 {
	if c.bySteps() {
		return float64(m.Step) / float64(c.End.Step) * c.End.Seconds
	}
	return m.Seconds
}

// Turn switches between runs aligned by time and runs aligned by step. The place stays, as a part
// of the whole, but each run is now at another moment, earlier or later: the logs are read from
// their start.
func (c *Clock) Turn() {
	c.Steps = !c.Steps
	c.fromStart, c.read = true, math.NaN()
}

// Until returns the moment up to which the logs are read. At the end there is no limit, so that
// events after the last step are shown, the status above all.
func (c *Clock) Until() eventlog.Moment {
	m := eventlog.LastMoment()
	const slack = 1e-9 // relative, for rounding on the way to a place and back
	switch {
	case c.At >= c.End.Seconds:
	case c.Steps:
		m.Step = int64(c.At / c.End.Seconds * float64(c.End.Step) * (1 + slack))
	default:
		m.Seconds = c.At * (1 + slack)
	}
	return m
}

// Due reports whether the logs must be read. A replay that stands costs nothing: its ticks start no
// command. NaN equals nothing, so a clock for which nothing was read yet is due.
func (c *Clock) Due() bool { return !c.Ready || c.fromStart || c.At != c.read }

// Ended reports whether all is shown, so that a run that was cut short may be called interrupted.
func (c *Clock) Ended() bool { return c.Ready && c.At >= c.End.Seconds }

// Words says how the replay stands, as in "replay ×60 · 3:12 of 8:40" or "replay 47 steps/s · 1200
// of 2814 steps", in w cells where it can. Where there are few, the place is a percentage, or left
// out.
func (c *Clock) Words(w int) string {
	name, at, end, state := "replay", "", "", ""
	if c.Ready {
		name += " " + c.speed()
		at, end = clockTime(c.At), clockTime(c.End.Seconds)
		if c.bySteps() {
			at = fmt.Sprint(min(c.Until().Step, c.End.Step))
			end = fmt.Sprintf("%d steps", c.End.Step)
		}
		end = " of " + end
	}
	switch {
	case c.Ended():
		state = "end"
	case !c.Playing:
		state = "paused"
	}
	var text string
	// From the longest words to the shortest; the last is taken even where it does not fit.
	part := fmt.Sprintf("%.0f %%", 100*c.part(c.At))
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

// speed writes the speed: as a multiple of the training's own speed or, by steps, in steps a
// second, because the runs are then aligned by step, however long each of them took.
func (c *Clock) speed() string {
	if c.bySteps() && c.End.Seconds > 0 {
		perSecond := c.Speed * float64(c.End.Step) / c.End.Seconds
		if perSecond < 10 {
			return fmt.Sprintf("%.2g steps/s", perSecond)
		}
		return fmt.Sprintf("%.0f steps/s", perSecond)
	}
	return fmt.Sprintf("×%g", c.Speed)
}

// bySteps reports whether runs are aligned by step, for which they must have steps.
func (c *Clock) bySteps() bool { return c.Steps && c.End.Step > 0 }

// part returns a place as a part of the whole, 0 to 1.
func (c *Clock) part(at float64) float64 { return max(0, min(1, at/max(c.End.Seconds, 1e-9))) }

// clockTime writes a time of training. A broken record may hold any number of seconds, and a
// duration of more than some hundred years overflows.
func clockTime(seconds float64) string {
	return kit.Clock(time.Duration(min(seconds, 1e9) * float64(time.Second)))
}

// NextRead returns what a command needs to read the logs: whether to begin at their start, and the
// moment up to which to read. The clock counts that moment as read from then on.
func (c *Clock) NextRead() (back bool, until eventlog.Moment) {
	back, until = c.fromStart, c.Until()
	c.fromStart, c.read = false, c.At
	return back, until
}

// A replay is the same page over runs whose logs are limited by a clock. Package panel has the
// limited logs (OpenReplay, Prepare).

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
	return Frame, w.clock != nil && w.clock.Playing
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
	jump := func(key, side string, m mark, by float64) kit.Key {
		return kit.Key{Keys: kit.On(key), Why: in, Act: w.jump(m, by),
			Help: "replay: go to the " + side + " " + m.name + " and pause"}
	}
	row := func(key, hint, help string, do func(*Clock)) kit.Key {
		return kit.Key{Keys: kit.On(key), Hint: hint, Help: "replay: " + help, Why: in,
			Act: w.replay(func() { do(w.clock) })}
	}
	rows := []kit.Key{
		row(",", "back", "back by 2 %", func(c *Clock) { c.Scrub(-1) }),
		row(".", "forward", "forward by 2 %", func(c *Clock) { c.Scrub(1) }),
		row("{", "slower", "slower", func(c *Clock) { c.Faster(-1) }),
		row("}", "faster", "faster", func(c *Clock) { c.Faster(1) }),
		row("T", "", "align runs by step, or by time since their start", (*Clock).Turn),
	}
	for _, m := range marks() {
		rows = append(rows, jump(m.next, "next", m, 1), jump(m.previous, "previous", m, -1))
	}
	return rows
}

// replay returns an Act that changes the clock by f. If the logs are due then, they are read at
// once, at the time of the last tick, so that the press itself lets no time pass.
func (w *Page) replay(f func()) func() tea.Cmd {
	return func() tea.Cmd {
		f()
		return w.read(w.clock.Ticked)
	}
}

// jump returns an Act that goes to the next mark of a kind or, if by is -1, to the one before.
func (w *Page) jump(m mark, by float64) func() tea.Cmd {
	return func() tea.Cmd {
		if !w.clock.Jump(m.kind, by) {
			side := map[bool]string{true: "after", false: "before"}[by > 0]
			return kit.Notify("No " + m.name + " " + side + " this moment")
		}
		return w.read(w.clock.Ticked)
	}
}

// flipReplay replays the watched runs, or ends a replay. It opens the same runs anew, as if others
// were opened, which leaves no state of the one in the other.
func (w *Page) flipReplay() tea.Cmd {
	m := lab.Watch{IDs: w.IDs()}
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

// restart shows the runs from their start, and keeps what was chosen of them. Share is kept,
// because the log was read before: a track with Share 0 would be shown as still reading.
func (w *Page) restart() {
	for i, old := range w.Tracks {
		w.Tracks[i] = w.trackAgain(old, old.Opened)
		w.Tracks[i].Share = old.Share
	}
}

// trackAgain returns the track of a run that is read again from its start, in the place of the old
// one.
func (w *Page) trackAgain(old *panel.Track, o panel.Opened) *panel.Track {
	t := panel.NewTrack(o)
	t.Names, t.Hidden = old.Names, old.Hidden
	w.Prepare(t)
	return t
}

// barRows returns the number of lines of the replay's bar.
func (w *Page) barRows() int {
	const leastHeight = 14
	if w.clock == nil || w.Body.H < leastHeight {
		return 0
	}
	return 1
}

// mark is a kind of place that the bar shows and keys jump to.
type mark struct {
	kind           string // of the event
	name           string
	glyph          string // one cell
	next, previous string // the keys that jump
}

// marks returns the kinds from the least to the most important: of several in a cell the last is
// drawn.
func marks() []mark {
	return []mark{{"eval", "evaluation", "╵", "u", "U"},
		{"checkpoint", "checkpoint", "◆", "y", "Y"}, {"warning", "warning", "!", "J", "K"}}
}

// knob is the glyph at the place of the replay.
const knob = "●"

// margin is the number of cells left blank on either side of the bar.
const margin = 1

// Bar draws the replay as a line of w cells: the part that was played, the part to come, and the
// marks on both. A legend of the marks stands behind it where there is room.
func (c *Clock) Bar(t *kit.Theme, w int) string {
	cells := c.cells(t, w)
	if !c.Ready || cells <= 0 {
		return kit.Blanks(w)
	}
	on, kinds := c.places(cells), marks()
	at := c.cellOf(c.At, cells)
	line := kit.Blanks(margin)
	for i, k := range on {
		glyph, style := "─", t.Dim
		if i < at {
			glyph, style = "━", t.Accent
		}
		if k >= 0 {
			glyph = kinds[k].glyph
		}
		switch {
		case i == at:
			glyph, style = knob, t.Title
		case k == len(kinds)-1:
			style = t.Warn
		}
		line += style.Paint(t.Greek(glyph))
	}
	if legend := legend(t); cells < w-2*margin {
		line += "  " + t.Dim.Paint(legend)
	}
	return kit.Left(line, w)
}

// PlaceAt returns the place of the replay at column x of a bar of w cells.
func (c *Clock) PlaceAt(t *kit.Theme, x, w int) float64 {
	return c.End.Seconds * max(0, min(1, float64(x-margin)/float64(max(1, c.cells(t, w)-1))))
}

// cells returns the number of cells of the bar itself in a line of w.
func (c *Clock) cells(t *kit.Theme, w int) int {
	const wide = 100 // enough for the legend beside a bar
	if w < wide {
		return w - 2*margin
	}
	return w - 2*margin - 2 - cell.Width(legend(t))
}

// cellOf returns the cell of a place in a bar of so many cells.
func (c *Clock) cellOf(at float64, cells int) int {
	return int(c.part(at)*float64(cells-1) + .5)
}

// places returns the kind of mark in each cell, as an index into marks; -1 for none. Evaluations
// that would fill more than half of the bar are left out, because they tell nothing then.
func (c *Clock) places(cells int) []int {
	on := slices.Repeat([]int{-1}, cells)
	for k, of := range marks() {
		taken := map[int]bool{}
		for _, tape := range c.tapes {
			for _, m := range tape.Marks {
				if m.Kind == of.kind {
					taken[c.cellOf(c.place(m.Moment), cells)] = true
				}
			}
		}
		if k == 0 && 2*len(taken) > cells {
			continue
		}
		for i := range taken {
			on[i] = max(on[i], k)
		}
	}
	return on
}

// legend says what the marks are.
func legend(t *kit.Theme) string {
	var words []string
	for _, m := range slices.Backward(marks()) {
		words = append(words, t.Greek(m.glyph)+" "+m.name)
	}
	return strings.Join(words, "  ")
}
