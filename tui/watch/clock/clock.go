package clock

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"drolab/runner/record"
	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/lab"
)

// Clock is how far a replay has come. The runs share it: each is shown as it was so many seconds of
// training after its own start or, by steps, all of them at the same step.
//
// Place and speed change at once with a key. The logs follow at the next read, which Due asks for.
// The field back has to be set whenever the moment moves to before what was read: a log
// gives events forwards only.
type Clock struct {
	lab.Replay
	At      float64                 // seconds of training, of the longest run's; 0 to End
	Playing bool                    // else it stands, ready to be scrubbed
	Ready   bool                    // the tapes are there
	tapes   map[string]*record.Tape // by run
	End     record.Moment           // of the longest
	Ticked  time.Time               // when time was last let pass; zero before the first tick
	read    float64                 // what was asked for last; NaN: nothing
	back    bool                    // the logs have to be read from their start
}

// Frame is how often a replay that plays is shown: with what the renderer rounds up to,
// twelve times a second and more.
const Frame = time.Second / 13

// New returns the clock of a replay that plays as soon as its runs were read.
func New(r lab.Replay) *Clock {
	return &Clock{Replay: r, Playing: true, tapes: map[string]*record.Tape{}, read: math.NaN()}
}

// Load takes in the tape of a run; with that of the last the replay starts. It waits for all of
// them, because the longest says how long the whole is and how fast it goes in a minute.
func (c *Clock) Load(id string, tape *record.Tape, runs int) {
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

// speeds is the ladder that the keys climb. A speed given on the command line may lie between two
// rungs, and the keys go on from there.
func speeds() []float64 {
	return []float64{lab.LeastSpeed, 2, 5, 10, 20, 50, 100, 200, 500, lab.MostSpeed}
}

// Faster takes the next speed of the ladder, or the one before; at its ends nothing.
func (c *Clock) Faster(by int) {
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

// Tick lets time pass, and stops at the end. A look that comes late makes no leap: a terminal that
// was in the background for an hour goes on where it was.
func (c *Clock) Tick(now time.Time) {
	// The clock may be set back while a replay plays; it stands still then, and goes on.
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

// Play goes on or pauses; at the end it begins again.
func (c *Clock) Play() {
	if c.Playing = !c.Playing; c.Playing && c.At >= c.End.Seconds {
		c.Seek(0)
	}
}

// Seek goes somewhere else, within the whole. Playing or not, it stays so.
func (c *Clock) Seek(at float64) {
	c.At = max(0, min(at, c.End.Seconds))
	c.back = c.back || c.At < c.read
}

// Scrub goes on or back by parts of the whole, a fiftieth each: a run of any length is passed
// through in as many presses.
func (c *Clock) Scrub(by int) {
	const part = 50
	c.Seek(c.At + float64(by)*c.End.Seconds/part)
}

// Jump goes to the next mark of a kind, or to the one before, and stays there; false
// where there is none. by is 1 or -1. A mark within a billionth of the whole is the one that the
// clock stands at, and does not count: rounding would hold the key there.
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

// place is where the clock is at a moment of a run: the inverse of until. By steps, seconds of
// the clock are parts of the longest run, and no seconds of anything.
func (c *Clock) place(m record.Moment) float64 {
	if c.bySteps() {
		return float64(m.Step) / float64(c.End.Step) * c.End.Seconds
	}
	return m.Seconds
}

// Turn changes what the runs are side by side by. The place stays, as a part of the whole, but
// each run is now at another moment, before or after: the logs are read from their start.
func (c *Clock) Turn() {
	c.Steps = !c.Steps
	c.back, c.read = true, math.NaN()
}

// Until is the moment that the logs are read up to. At the end there is no limit, so that what
// was logged after the last step, the status above all, is seen.
func (c *Clock) Until() record.Moment {
	m := record.Always()
	const slack = 1e-9 // of what was reckoned back and forth
	switch {
	case c.At >= c.End.Seconds:
	case c.Steps:
		m.Step = int64(c.At / c.End.Seconds * float64(c.End.Step) * (1 + slack))
	default:
		m.Seconds = c.At * (1 + slack)
	}
	return m
}

// Due tells whether the logs have to be read. A replay that stands costs nothing: ticks come and
// go without a command. NaN is equal to nothing, so that a clock that was never read for is due.
func (c *Clock) Due() bool { return !c.Ready || c.back || c.At != c.read }

// Ended tells whether all is shown, and a run that was cut short may be called so.
func (c *Clock) Ended() bool { return c.Ready && c.At >= c.End.Seconds }

// In is how the replay stands, "replay ×60 · 3:12 of 8:40" or "replay 47 steps/s · 1200 of 2814
// steps", in w cells where it can: where they are few, in parts of the whole, or not at all.
func (c *Clock) In(w int) string {
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

// speed is how fast it goes: as a multiple of the training's own speed or, by steps, in steps, as
// the runs are side by side by those whatever each of them took.
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

// bySteps tells whether runs are side by side by their steps, which they need to have.
func (c *Clock) bySteps() bool { return c.Steps && c.End.Step > 0 }

// part is a place as a part of the whole, 0 to 1.
func (c *Clock) part(at float64) float64 { return max(0, min(1, at/max(c.End.Seconds, 1e-9))) }

// clockTime is a time of training. A broken record may hold any number of seconds, and a duration
// of more than some hundred years overflows.
func clockTime(seconds float64) string {
	return kit.Clock(time.Duration(min(seconds, 1e9) * float64(time.Second)))
}

// Asked is what a command that reads has to know: whether the logs begin anew, and up to where they
// are read. The clock counts it as read from then on.
func (c *Clock) Asked() (back bool, until record.Moment) {
	back, until = c.back, c.Until()
	c.back, c.read = false, c.At
	return back, until
}
