package watch

import (
	"slices"

	"drolab/tui/kit"
	"drolab/tui/watch/track"
)

// watchLayout is where the parts of the Watch page are, in cells from the page's own corner. From
// the top: runs, head, panels, log. They cover the page and do not overlap.
type watchLayout struct {
	runs   kit.Rect   // a line for each row of the table, below a line of heads
	head   kit.Rect   // the headline; H is 0 without it
	panels []kit.Rect // the panels that are shown
	eye    kit.Rect   // the adversary's eye under the panels; H is 0 without it
	log    kit.Rect   // the log pane; H is 0 without it
}

// layWatch divides w by h cells among so many runs, panels (1, 2, 4 or 6), lines of headline and
// lines of the eye, and the log pane if log is true.
//
// The table gets a fifth of the page at most, and scrolls: curves need their rows more. The pane
// takes a third of what is left, ten lines at most.
func layWatch(w, h, runs, panels, head, eye int, log bool) watchLayout {
	var l watchLayout
	rows := min(runs, max(1, h/5)) + 1 // and the heads
	if h < kit.LeastHeight {           // how runs do comes before how they came to it
		rows = min(runs, 4) + 1
	}
	l.runs, l.head = kit.Area(0, 0, w, rows), kit.Area(0, rows, w, head)
	rows += head
	rest := kit.Area(0, rows, w, h-rows)
	if log {
		l.log = kit.Area(0, 0, w, max(3, min(rest.H/3, 10)))
		rest.H -= l.log.H // panels get smaller, not fewer
		l.log.Y = rest.Y + rest.H
	}
	rest.H -= eye
	l.eye = kit.Area(0, rest.Y+rest.H, w, eye)
	columns, lines := grid(panels, rest.W, rest.H)
	l.panels = kit.Tile(rest, columns, lines)
	return l
}

// grid returns the numbers of columns and lines of panels in w by h cells. A cell is about twice as
// high as wide, so w >= 3*h is an area that is clearly wider than high on the glass.
func grid(panels, w, h int) (columns, lines int) {
	const narrow = 70 // for two panels beside each other
	switch {
	case w < narrow && h >= panels*leastPanel:
		return 1, panels
	case panels >= 6 && w >= 3*h:
		return 3, 2
	case panels >= 6:
		return 2, 3
	case panels >= 4:
		return 2, 2
	case panels >= 2 && w >= 3*h:
		return 2, 1
	case panels >= 2:
		return 1, 2
	}
	return 1, 1
}

// panelsFor returns the number of panels that suit a page of w by h cells, if the user has chosen
// none. A plot of less than about 50 columns has more labels than curve.
func panelsFor(w, h int) int {
	switch {
	case w >= 160 && h >= 44:
		return 6
	case w >= 100 && h >= 30:
		return 4
	case w >= 70:
		return 2
	// Narrow and high, such as half of a screen: panels stand in one column.
	case h >= 4*leastPanel+leastPanel: // and the table
		return 4
	case h >= 3*leastPanel:
		return 2
	}
	return 1
}

// leastPanel is the least height of panels that stand one above the other, in lines: a box, an
// axis, and nine rows of plot.
const leastPanel = 13

// eyeRows returns the height of the adversary's eye under the panels, in lines: 0 where there is no
// room, where no evaluation names samples, and where its own panel is in view.
func (w *Page) eyeRows() int {
	const rows, leastW, leastH = 10, 100, 52
	p := w.EyeAt()
	inView := p >= w.first() && p < w.first()+w.count()
	if w.zoomed || w.Body.W < leastW || w.Body.H < leastH || p < 0 || inView || !w.gazed() {
		return 0
	}
	return rows
}

// gazed reports whether an evaluation of a watched run names samples, or may do so later. Room for
// the eye is kept until then, because all panels would be sent again to make it.
func (w *Page) gazed() bool {
	return slices.ContainsFunc(w.Tracks, func(t *track.Track) bool {
		if t.Eval == nil {
			return !t.Status.Ended()
		}
		return len(t.Eval.Heaviest) > 0
	})
}

// fitInView fits only the axes that are shown, as a replay wants it many times a second. Axes out
// of view catch up at the next key, since every key fits all.
func (w *Page) fitInView() {
	var names []string
	for i, r := range w.layout().panels {
		names = append(names, w.Shows(w.first()+i).Drawn(w.room(r))...)
	}
	w.FitThese(names)
}

// hiddenBars returns the number of a panel's bars that have no room, so that they can be scrolled;
// 0 for a panel out of view, for curves, and for views that are shown whole.
func (w *Page) hiddenBars(p int) int {
	if p >= len(w.Panels) {
		return 0
	}
	i, v, t := p-w.first(), w.Shows(p), w.Run()
	panels := w.layout().panels
	if v.Bars == "" || v.Whole() || t == nil || i < 0 || i >= len(panels) {
		return 0
	}
	_, rows := kit.Inside(kit.Boxed(w.Body.H), panels[i].W, panels[i].H)
	// These are the rows of the inside, by which the bars are laid out, too.
	if v.Films() {
		rows-- // its heads are always there
	}
	return max(0, len(t.Places(v.Of(t.Meta)))-rows)
}

// scrollBars moves the bars of a panel. The last bar goes no higher than the last row, whatever
// the room was when it was scrolled.
func (w *Page) scrollBars(p, by int) {
	w.Panels[p].First = max(0, min(w.Panels[p].First+by, w.hiddenBars(p)))
}
