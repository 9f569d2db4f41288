package watch

import "drolab/tui/kit"

// counts returns the numbers of panels that can be shown at once: those that grid can lay out
// without a hole. The first stands for as many as suit the screen.
func counts() []int { return []int{0, 1, 2, 4, 6} }

// count returns the number of panels that are shown: 1, 2, 4 or 6. There are always more panels
// than that (BuiltIn and one more), so that first never goes below 0.
func (w *Page) count() int {
	switch {
	case w.screen.zoomed:
		return 1
	case w.screen.shown > 0:
		return counts()[w.screen.shown]
	}
	return panelsFor(w.Body.W, w.Body.H)
}

// first returns the first panel that is shown. Panels come in groups, and the last group is full,
// too. Tab moves the focus through all panels, and the group follows it, so the screen never
// scrolls by one panel.
func (w *Page) first() int {
	n := w.count()
	return min(w.screen.focus/n*n, len(w.Board.Panels)-n)
}

// layout returns the places of all parts now. Every caller computes it anew, the mouse included: it
// depends on so much that a kept one would be stale, and it costs little.
func (w *Page) layout() watchLayout {
	return layWatch(w.Body.W, w.Body.H, len(w.Runs.Rows()), w.count(), w.headlineRows(),
		w.eyeRows(), w.screen.logPane != noPane)
}

// panelInside returns the width and the height within a panel in r. Without boxes a blank is left
// between two panels. All code that asks what a panel has room for must ask here, or heading and
// drawing disagree.
func (w *Page) panelInside(r kit.Rect) (iw, ih int) {
	box := kit.Boxed(w.Body.H)
	iw, ih = kit.Inside(box, r.W, r.H)
	if !box && r.X+r.W < w.Body.W {
		iw--
	}
	return iw, ih
}

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

// inside returns the area within a panel that is shown; ok is false for a panel out of view. It
// must agree with what View gives to Draw, or the mouse points beside what is seen.
func (w *Page) inside(p int) (r kit.Rect, ok bool) {
	panels, i := w.layout().panels, p-w.first()
	if i < 0 || i >= len(panels) {
		return r, false
	}
	r = panels[i]
	iw, ih := w.panelInside(r)
	return kit.Area(r.X+(r.W-iw)/2, r.Y+1, iw, ih), true
}
