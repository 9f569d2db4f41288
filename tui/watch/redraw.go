package watch

import (
	"slices"
	"time"

	"drolab/runner/compare"
	"drolab/runner/lists"
	"drolab/tui/kit"

	tea "charm.land/bubbletea/v2"
)

// News is shown in turns (Lab.Round): once a second each part of the page, the table and every
// panel, takes in what the runs logged, one part after the other. What the user does is shown at
// once, everywhere, but for a move of the cursor (see follow). The story and its clock move half as
// often, and then the table and the panels that name epochs change together (see showOneClock).
//
// To draw all parts at every look at the files would be more than a slow line carries. The news of
// a fifth of a second costs a panel about as much as the news of a second. And the renderer sends a
// line of the screen from its first change to its last, with everything between panels that stand
// beside each other.

// evalTurn is the number of rounds between two turns of the parts that only evaluations change.
const evalTurn = 2

// eyeTurn is the number of rounds between two turns of the adversary's eye, whose gallery takes its
// turns by itself. stripTurn is that number for each picture that changed, if the eye is below
// other panels and nobody has asked for it. A new picture is more than half a kilobyte, which the
// rest of a slow run sends in two seconds.
const eyeTurn, stripTurn = 6, 15

// replayTurn is the time between two drawings of the parts of a replay that are no curves: figures
// are not read any faster.
const replayTurn = time.Second / 4

// drawnPart is the last drawing of a part of the page, which stands until the user does something
// or the part's turn comes. Everything else that a part shows changes only with one of these two.
//
// Finer drawings to keep, of charts by a fingerprint, of their rows and of their lines, were
// measured at four runs and at forty (BenchmarkLive, BenchmarkScreen). While runs go on they saved
// nothing. Parts save two fifths of the bytes that are sent. A fingerprint that forgets something
// would show an old chart.
type drawnPart struct {
	lines   []string // nil before the first drawing
	place   kit.Rect // where they were drawn
	touched int      // the value of schedule.touched then
	shown   int      // the value of schedule.news at the part's last turn
	wanted  int      // the value of schedule.news that the part must show at least
}

// isDue reports whether a part is drawn anew: its turn has come, the user did something, or its
// place is another. Without a Round, as in most tests, every frame shows all there is.
func (w *Page) isDue(p *drawnPart, place kit.Rect) bool {
	return w.Round == 0 || p.lines == nil || p.shown < p.wanted || p.touched != w.turns.touched ||
		p.place != place
}

// keep keeps the lines of a part that was due. Once due, a part shows all there is, also news that
// came after its turn.
func (w *Page) keep(p *drawnPart, place kit.Rect, lines []string) {
	p.lines, p.place, p.touched = lines, place, w.turns.touched
	if p.shown < p.wanted {
		p.shown = w.turns.news
	}
}

// part returns the drawing of a panel.
func (w *Page) part(panel int) *drawnPart {
	for len(w.turns.drawn) <= panel {
		w.turns.drawn = append(w.turns.drawn, &drawnPart{})
	}
	return w.turns.drawn[panel]
}

// schedule is the state of the turns. Its counts only grow; they are only compared with earlier
// values.
type schedule struct {
	news    int           // the number of looks that brought something new
	touched int           // the number of calls of touch
	since   time.Time     // the time of the last look
	moves   int           // the number of moves of the cursor
	behind  bool          // whether panels have yet to follow the cursor
	above   drawnPart     // table and headline
	log     drawnPart     // the log pane
	drawn   []*drawnPart  // the panels, by their index; see part
	placed  []kit.Rect    // the places of the panels that are shown, where they were drawn last
	clock   compare.Clock // of the figures that were drawn last
}

// isByClock reports whether a panel shows figures by the clock of the story, and no curves.
func (w *Page) isByClock(panel int) bool {
	v := w.Board.CurrentView(panel)
	return !v.Plots() && !v.Phase && !v.ShowsSamples()
}

// showOneClock makes the table and all panels of figures due if one of them is and the clock has
// moved since they were drawn: no two parts of a frame name other epochs.
func (w *Page) showOneClock(l watchLayout) {
	now := w.Runs.Clock
	drawn := w.turns.clock
	if slices.Equal(now.Epochs, drawn.Epochs) && slices.Equal(now.Runs, drawn.Runs) {
		return
	}
	of, due := []*drawnPart{&w.turns.above}, w.isDue(&w.turns.above, w.abovePlace(l))
	for i, r := range l.panels {
		if p := w.first() + i; w.isByClock(p) {
			of = append(of, w.part(p))
			due = due || w.isDue(w.part(p), r)
		}
	}
	if !due {
		return
	}
	for _, p := range of {
		p.lines = nil
	}
	w.turns.clock = now
}

// touch makes the next frame draw everything, whoever's turn it is.
func (w *Page) touch() { w.turns.touched++ }

// A key that moves the cursor shows in the table and the headline at once. The panels follow once
// the keys rest, one column after the other. At 200 by 60 cells six panels and the eye are 16 kB,
// and without columns 19 kB, too much for each row that one only passes. Both times are parts of a
// Round. A sixth of it is about as long as a person takes between two deliberate keys.
const restShare, columnShare = 6, 15

// follow shows a move of the cursor, and has the panels follow.
func (w *Page) follow() tea.Cmd {
	w.turns.moves++
	w.turns.behind = true
	w.turns.above.lines, w.turns.log.lines = nil, nil // the pane may show what its program printed
	return w.followAfter(w.Round/restShare, followMsg{move: w.turns.moves})
}

func (w *Page) followAfter(d time.Duration, m followMsg) tea.Cmd {
	return w.after(d, func(time.Time) tea.Msg { return m })
}

// catchUp has a column of panels show the run under the cursor, unless the cursor has moved on. The
// adversary's eye follows last.
func (w *Page) catchUp(m followMsg) tea.Cmd {
	if m.move != w.turns.moves {
		return nil
	}
	columns := lists.Map(w.turns.placed, func(r kit.Rect) int { return r.X })
	slices.Sort(columns)
	columns = slices.Compact(columns)
	if m.column >= len(columns) {
		w.turns.behind = false
		w.redrawEye()
		return nil
	}
	for i, r := range w.turns.placed {
		if r.X == columns[m.column] {
			w.part(w.first() + i).lines = nil
		}
	}
	return w.followAfter(w.Round/columnShare, followMsg{m.move, m.column + 1})
}

// scheduledPart is a part of the page with the time between its turns, and when they come within a
// Round.
type scheduledPart struct {
	*drawnPart
	every, offset time.Duration
}

// parts returns the parts of the page now: table and headline, the log pane, and the panels. The
// pane changes seldom, since something must happen to a run, and then at every look. In a replay
// that plays, all curves move at every look; in one that stands, everything is shown at once.
//
// Two panels beside each other that change in one frame send all that lies between them. So the
// turns of columns are spread evenly over the time, with one more turn for the table and the panels
// of figures, and a round has a look for each; plots that stand one above the other share a turn.
func (w *Page) parts(look time.Duration) []scheduledPart {
	round, slot, columns := w.slots(look)
	story := slot * columns
	table, curves, figures := round, round, evalTurn*round
	if w.logs.clock != nil {
		story, table, curves, figures = 0, w.storyTurn(round), 0, w.storyTurn(round)
	}
	list := []scheduledPart{{&w.turns.above, table, story}, {&w.turns.log, 0, 0}}
	for i := range w.count() {
		p, d, at := w.first()+i, curves, time.Duration(0)
		if i < len(w.turns.placed) {
			at = slot * (columns * time.Duration(w.turns.placed[i].X) /
				time.Duration(max(1, w.Body.W)))
		}
		switch {
		case w.Board.CurrentView(p).ShowsSamples():
			continue
		case w.isByClock(p):
			d, at = figures, story
		}
		list = append(list, scheduledPart{w.part(p), d, at})
	}
	return list
}

// slots returns the length of a round, the time between two turns within it, and the number of
// columns of panels, which have a turn each before that of the table.
func (w *Page) slots(look time.Duration) (round, slot, columns time.Duration) {
	for _, r := range w.turns.placed {
		if r.Y == w.turns.placed[0].Y {
			columns++
		}
	}
	// Looks come a little late, by varying times, and a round must keep its length.
	round, even := w.Round, look.Round(time.Second/5)
	if even < round { // or each look shows all
		round = max(round, (columns+1)*even)
	}
	return round, round / (columns + 1), columns
}

// storyTurn returns the time between two turns of the story, whose clock all figures of evaluations
// have. Live, only an evaluation changes them, so they come half as often as curves.
func (w *Page) storyTurn(round time.Duration) time.Duration {
	switch c := w.logs.clock; {
	case c == nil:
		return evalTurn * round
	case c.Playing && w.Round > 0:
		return replayTurn
	}
	return 0
}

// isStoryTurn reports whether the story's turn came since the last look.
func (w *Page) isStoryTurn(now time.Time) bool {
	round, slot, columns := w.slots(now.Sub(w.turns.since))
	at := slot * columns
	if w.logs.clock != nil {
		at = 0
	}
	return turnBetween(w.turns.since, now, w.storyTurn(round), at)
}

// noteTurns notes the news for the parts whose turn came since the last look. It only notes what
// each has to show: View draws, and a part that is out of view by then is not drawn.
func (w *Page) noteTurns(now time.Time, changed bool) {
	if changed {
		w.turns.news++
	}
	for _, p := range w.parts(now.Sub(w.turns.since)) {
		if turnBetween(w.turns.since, now, p.every, p.offset) {
			p.wanted = w.turns.news
		}
	}
	w.turns.since = now
}

// turnBetween reports whether a turn came between two moments. Turns come at intervals of every,
// offset by at; with an interval of 0 one always came. They depend on the clock and not on the
// frame, because looks may come late, or seldom.
func turnBetween(from, to time.Time, every, at time.Duration) bool {
	turn := func(t time.Time) int64 { return (t.UnixNano() - int64(at)) / int64(every) }
	return every == 0 || turn(from) != turn(to)
}

// hasUnshown reports whether some part does not show all there is. Then the next look counts as a
// change even if it brings nothing, so that the last news of a run that has ended is shown, too.
func (w *Page) hasUnshown() bool {
	return slices.ContainsFunc(w.parts(0),
		func(p scheduledPart) bool { return p.wanted < w.turns.news })
}
