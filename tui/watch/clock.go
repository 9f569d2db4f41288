package watch

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"drolab/runner/eventlog"
	"drolab/runner/page"
	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/lab"
)

// clock is the place and the speed of a replay. The runs share it: each is shown as it was after
// the same number of seconds of training or, by steps, at the same step.
//
// Place and speed change at once with a key. The logs follow at the next read, which Due asks for.
// The field fromStart must be set whenever the place moves to before the last read, because a log
// gives events only forwards.
type clock struct {
	lab.Replay
	Now       float64                   // the place, in seconds of the longest run, 0 to End
	Playing   bool                      // whether time passes; else it stands, ready to be scrubbed
	Ready     bool                      // whether all tapes are there
	tapes     map[string]*eventlog.Tape // by run
	End       eventlog.Moment           // the end of the longest run
	Ticked    time.Time                 // the time of the last tick; zero before the first
	read      float64                   // the place that was asked for last; NaN for none
	fromStart bool                      // whether the logs must be read from their start
	untimed   bool                      // a log tells no times: the runs are aligned by step
}

// frameTime is the time between two frames of a replay that plays. The renderer rounds it up, which
// still gives twelve frames a second or more.
const frameTime = time.Second / 13

// newClock returns the clock of a replay that plays as soon as its runs are read.
func newClock(r lab.Replay) *clock {
	return &clock{Replay: r, Playing: true, tapes: map[string]*eventlog.Tape{}, read: math.NaN()}
}

// Load takes the tape of a run; with the last tape the replay starts. It waits for all of them,
// because the longest run decides the length of the whole and the speed that shows it in a minute.
func (c *clock) Load(id string, tape *eventlog.Tape, runs int) {
	if tape == nil || c.Ready {
		return
	}
	c.tapes[id] = tape
	c.End.Seconds = max(c.End.Seconds, tape.End.Seconds)
	c.End.Step = max(c.End.Step, tape.End.Step)
	c.untimed = c.untimed || tape.End.Seconds <= 0 && tape.End.Step > 0
	c.begin(runs)
}

// forget takes away the tape of a run that is gone; so many runs are left. The length of the whole
// stays. It does nothing without a replay.
func (c *clock) forget(id string, runs int) {
	if c == nil {
		return
	}
	delete(c.tapes, id)
	c.begin(runs)
}

// begin starts the replay if the tapes of all runs are there.
func (c *clock) begin(runs int) {
	if c.Ready || len(c.tapes) < runs {
		return
	}
	c.Ready = true
	const aMinute = 60
	if c.untimed {
		c.Steps, c.End.Seconds = true, max(c.End.Seconds, aMinute)
	}
	c.Now = c.From.Seconds(c.End)
	// Rounded up to a whole number, the speed reads well and the replay is over within a minute.
	if c.Speed == 0 {
		c.Speed = max(lab.LeastSpeed, min(lab.MostSpeed, math.Ceil(c.End.Seconds/aMinute)))
	}
}

// Faster takes the next speed of a ladder, or the one before; at the ends it does nothing. A speed
// given on the command line may lie between two rungs, and the keys go on from there.
func (c *clock) Faster(by int) {
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
func (c *clock) Tick(now time.Time) {
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
	c.Now = min(c.End.Seconds, c.Now+passed.Seconds()*c.Speed)
	c.Playing = c.Now < c.End.Seconds
}

// Play plays or pauses the replay; at the end it begins again.
func (c *clock) Play() {
	c.Playing = !c.Playing
	if c.Playing && c.Now >= c.End.Seconds {
		c.Seek(0)
	}
}

// Seek moves to another place within the whole. It neither plays nor pauses the replay.
func (c *clock) Seek(at float64) {
	c.Now = max(0, min(at, c.End.Seconds))
	c.fromStart = c.fromStart || c.Now < c.read
}

// Scrub moves forwards or back by fiftieths of the whole, so fifty presses pass through a run of
// any length.
func (c *clock) Scrub(by int) {
	const part = 50
	c.Seek(c.Now + float64(by)*c.End.Seconds/part)
}

// Jump goes to the next mark of a kind if by is 1, or to the one before if by is -1, and pauses
// there. It returns false where there is none. A mark within a billionth of the whole is the one
// that the clock stands at, and does not count: rounding would hold the key there.
func (c *clock) Jump(kind string, by float64) bool {
	best := math.Inf(1)
	for _, tape := range c.tapes {
		for _, m := range tape.Marks {
			away := by * (c.place(m.Moment) - c.Now)
			if m.Kind == kind && away > 1e-9*c.End.Seconds {
				best = min(best, away)
			}
		}
	}
	if math.IsInf(best, 1) {
		return false
	}
	c.Playing = false
	c.Seek(c.Now + by*best)
	return true
}

// place returns the place of the clock at a moment of a run: the inverse of Until. By steps, the
// seconds of the clock only measure parts of the longest run, and no time.
func (c *clock) place(m eventlog.Moment) float64 {
	if c.bySteps() {
		return float64(m.Step) / float64(c.End.Step) * c.End.Seconds
	}
	return m.Seconds
}

// Realign switches between runs aligned by time and runs aligned by step. The place stays, as a
// part of the whole, but each run is now at another moment, earlier or later: the logs are read
// from their start. A log without times can be aligned by step alone.
func (c *clock) Realign() {
	if c.untimed {
		return
	}
	c.Steps = !c.Steps
	c.fromStart, c.read = true, math.NaN()
}

// Until returns the moment up to which the logs are read. At the end there is no limit, so that
// events after the last step are shown, the status above all.
func (c *clock) Until() eventlog.Moment {
	m := eventlog.LastMoment()
	const slack = 1e-9 // relative, for rounding on the way to a place and back
	switch {
	case c.Now >= c.End.Seconds:
	case c.Steps:
		m.Step = int64(c.Now / c.End.Seconds * float64(c.End.Step) * (1 + slack))
	default:
		m.Seconds = c.Now * (1 + slack)
	}
	return m
}

// Due reports whether the logs must be read. A replay that stands costs nothing: its ticks start no
// command. NaN equals nothing, so a clock for which nothing was read yet is due.
func (c *clock) Due() bool { return !c.Ready || c.fromStart || c.Now != c.read }

// Ended reports whether all is shown, so that a run that was cut short may be called interrupted.
func (c *clock) Ended() bool { return c.Ready && c.Now >= c.End.Seconds }

// Words says how the replay stands, as in "replay ×60 · 3:12 of 8:40" or "replay 47 steps/s · 1200
// of 2814 steps", in w cells where it can. Where there are few, the place is a percentage, or left
// out.
func (c *clock) Words(w int) string {
	name, at, end, state := "replay", "", "", ""
	if c.Ready {
		name += " " + c.speed()
		at, end = clockTime(c.Now), clockTime(c.End.Seconds)
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
	part := fmt.Sprintf("%.0f %%", 100*c.part(c.Now))
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
func (c *clock) speed() string {
	if c.bySteps() && c.End.Seconds > 0 {
		perSecond := c.Speed * float64(c.End.Step) / c.End.Seconds
		if perSecond < 10 {
			return fmt.Sprintf("%.2g steps/s", perSecond)
		}
		return fmt.Sprintf("%.0f steps/s", perSecond)
	}
	return page.Factor(c.Speed)
}

// bySteps reports whether runs are aligned by step, for which they must have steps.
func (c *clock) bySteps() bool { return c.Steps && c.End.Step > 0 }

// part returns a place as a part of the whole, 0 to 1.
func (c *clock) part(at float64) float64 { return max(0, min(1, at/max(c.End.Seconds, 1e-9))) }

// clockTime writes a time of training. A broken record may hold any number of seconds, and a
// duration of more than some hundred years overflows.
func clockTime(seconds float64) string {
	return kit.Duration(time.Duration(min(seconds, 1e9) * float64(time.Second)))
}

// NextRead returns what a command needs to read the logs: whether to begin at their start, and the
// moment up to which to read. The clock counts that moment as read from then on.
func (c *clock) NextRead() (back bool, until eventlog.Moment) {
	back, until = c.fromStart, c.Until()
	c.fromStart, c.read = false, c.Now
	return back, until
}
