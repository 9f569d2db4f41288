package watch

import (
	"slices"
	"time"

	"drolab/tui/kit"
)

// What is new is shown in turns (Lab.Round): each part of the page, the table and every
// panel, takes in what the runs logged once a second, one after the other. What the user
// does is shown at once, everywhere.
//
// All parts at every look at the files would be more than a slow line carries. A fifth of a
// second's news of a panel costs about what those of a second do. And the renderer sends a line
// of the screen from its first change to its last, with all that lies between panels beside each
// other.

// evalTurn is how many turns of the others one is of what evaluations alone change.
const evalTurn = 2

// eyeTurn is how many one is of the adversary's eye, whose gallery takes it by itself, and
// stripTurn, for each picture that changed, where it is below other panels, which nobody has asked
// for: a new picture is more than half a kilobyte, which the rest of a slow run sends in two
// seconds.
const eyeTurn, stripTurn = 6, 15

// replayTurn is how often a replay shows what is no curve: figures are not read any faster.
const replayTurn = time.Second / 4

// turned is a part of the page as it was drawn last. Both fields are counts of turns.taken;
// a part owes a drawing as long as wanted or taken is ahead of what it shows.
type turned struct {
	kit.Drawn
	shown  int // how often something had been taken in by then
	wanted int // how often that is at least
}

// partOf is all that a part of the page in these places depends on. It is compared as a whole: a
// part that depends on something else has to have it here, or it shows what was.
type partOf struct {
	at, and kit.Rect
	theme   *kit.Theme
	body    kit.Rect
	touched int
	round   int
	shown   int
}

// kept are the lines of a part, drawn anew where its turn has come or the user did something. at
// and and are where the part is, of which table and log pane have two. Without a Round, as in
// most tests, nothing is kept and every frame shows all there is.
func (w *Page) kept(t *turned, at, and kit.Rect, draw func() []string) []string {
	if w.Round == 0 {
		return draw()
	}
	// Once due, a part shows all there is, also what came after its turn was told.
	if t.shown < t.wanted {
		t.shown = w.taken
	}
	return t.Get(partOf{at, and, w.Theme, w.Body, w.touched, w.round, t.shown}, draw)
}

// turns says whose turn it is. The counts grow only; that two frames have the same is all that
// is ever asked of them.
type turns struct {
	taken   int        // how often something new was taken in
	touched int        // how often the user did something
	since   time.Time  // the last look
	around  turned     // what stands around the panels
	drawn   []turned   // the panels
	placed  []kit.Rect // those that are shown, where they were drawn last
}

// touch has everything drawn in the next frame, whoever's turn it is.
func (w *Page) touch() { w.touched++ }

// piece is a part of the page with how often its turns are, and when within a Round.
type piece struct {
	*turned
	every, at time.Duration
}

// parts are those of the page now: what stands around the panels, and these. In a replay all
// curves move at every look, and what stands still is shown at once.
//
// Two panels beside each other that change in one frame send all that lies between them. So the
// turns of columns are spread evenly over the time, and a round has a look for each; panels that
// stand one above the other share a turn.
func (w *Page) parts(look time.Duration) []piece {
	columns := 0
	for _, r := range w.placed {
		if r.Y == w.placed[0].Y {
			columns++
		}
	}
	// Looks come a little late, each by another time, and a round has to stay as it is.
	round, even := w.Round, look.Round(time.Second/5)
	if even < round { // or each look shows all
		round = max(round, time.Duration(columns)*even)
	}
	// Bars and maps change with an evaluation alone, so they come half as often.
	table, curves, others := w.Round, round, evalTurn*round
	if c := w.clock; c != nil {
		table, curves, others = 0, 0, 0
		if c.Playing && w.Round > 0 {
			table, others = replayTurn, replayTurn
		}
	}
	list := []piece{{&w.around, table, 0}}
	for i := range w.count() {
		p, d, at := w.first()+i, curves, time.Duration(0)
		if i < len(w.placed) {
			at = round * time.Duration(w.placed[i].X) / time.Duration(max(1, w.Body.W))
		}
		switch v := w.Shows(p); {
		case v.Gazes():
			continue
		case !v.Plots() && !v.Phase:
			d = others
		}
		list = append(list, piece{&w.drawn[p], d, at})
	}
	return list
}

// takeTurns lets the parts show what there is whose turn came since the last look. It only notes
// what each has to show: View draws, and a part that is out of view by then is not drawn.
func (w *Page) takeTurns(now time.Time, changed bool) {
	if changed {
		w.taken++
	}
	for _, p := range w.parts(now.Sub(w.since)) {
		if cameBetween(w.since, now, p.every, p.at) {
			p.wanted = w.taken
		}
	}
	w.since = now
}

// Turns hang on the clock and not on the frame: looks may come late, or seldom.

// cameBetween tells whether a turn that comes once in a time, so long after its start, came between
// two moments.
func cameBetween(from, to time.Time, every, at time.Duration) bool {
	turn := func(t time.Time) int64 { return (t.UnixNano() - int64(at)) / int64(every) }
	return every == 0 || turn(from) != turn(to)
}

// owes tells whether a part does not show all there is. Then the next look counts as a change even
// if it brings nothing, so that the last news of a run that has ended are shown, too.
func (w *Page) owes() bool {
	return slices.ContainsFunc(w.parts(0), func(p piece) bool { return p.wanted < w.taken })
}
