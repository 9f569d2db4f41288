package watch

import (
	"math"
	"slices"

	"drolab/tui/plot"
	"drolab/tui/watch/panel"
)

// The crosshair reads all plots at one x; zooming and panning moves the x of all of them, too. The
// Board has its place (Cross, Picked), in the unit of the horizontal axis. Here cells of the page
// become that unit and back.

// plotCells returns the width of the focused plot in cells; 0 where no plot is focused. Of two
// plots it takes the first; both are as wide, but for a cell.
func (w *Page) plotCells() int {
	v := w.Board.CurrentView(w.screen.focus)
	r, ok := w.inside(w.screen.focus)
	if !ok || !v.Plots() || len(w.Runs.Tracks) == 0 {
		return 0
	}
	p := w.Board.Plots(w.screen.focus, v, r.W, r.H)[0]
	return p.Cells(p.Rect.W, p.Rect.H)
}

// side moves the crosshair of a plot by a column; elsewhere it goes to the next panel. A step is
// one cell of the screen, whatever the zoom: one cannot see less than that. At the edge of
// what is zoomed the view moves along.
func (w *Page) side(by int) {
	n := w.plotCells()
	if n == 0 {
		w.nextPanel(by)
		return
	}
	r := w.Board.Span()
	column := (r.Hi - r.Lo) / float64(n)
	if !w.Board.Cross.On { // begin where the run is
		last := w.Board.Last(w.Runs.Run())
		w.Board.Cross = plot.Cross{On: true, X: max(r.Lo, min(r.Hi, last))}
		w.Board.Picked = w.Runs.Cursor
		return
	}
	// All of the axis can be reached, zoomed or not.
	x := max(w.Board.X.Lo, min(w.Board.X.Hi, w.Board.Cross.X+float64(by)*column))
	w.Board.Cross.X = x
	if !r.Contains(x) && w.Board.ZoomX != (plot.Range{}) {
		w.Board.Pan(x - max(r.Lo, min(r.Hi, x)))
	}
}

// upOrDown moves the cursor by a row; at the crosshair it picks the line above or below. The picked
// run is drawn in front, and only Enter puts the cursor on it: the other panels must not change
// while one reads a plot.
func (w *Page) upOrDown(by int) {
	if !w.Board.Cross.On || w.plotCells() == 0 {
		w.move(by)
		return
	}
	list := w.Board.CrossValues(w.screen.focus)
	i := slices.IndexFunc(list, func(c panel.CrossValue) bool { return c.Run == w.Board.Picked })
	i = max(0, min(len(list)-1, i+by))
	if i < len(list) {
		w.Board.Picked = list[i].Run
	}
}

// enter makes the run at the crosshair the one under the cursor; else it zooms. Picked is checked,
// because the runs may have been replaced by fewer since the crosshair was set.
func (w *Page) enter() {
	if w.Board.Cross.On && w.Board.Picked != w.Runs.Cursor && w.Board.Picked < len(w.Runs.Tracks) {
		w.Runs.Pick(w.Board.Picked)
		return
	}
	w.zoom()
}

// point puts the crosshair at a place of the page, on the line that is nearest to it; off the plots
// it removes the crosshair. It reports whether the screen looks different.
func (w *Page) point(x, y int) bool {
	before, picked := w.Board.Cross, w.Board.Picked
	_, at, height, c := w.plotUnder(x, y)
	if c == nil {
		w.Board.Cross.On = false
		return before.On
	}
	w.Board.Cross = plot.Cross{On: true, X: at}
	w.Board.Picked = w.Runs.Cursor
	// The nearest line is found by height on the screen, which is what the eye goes by, and not
	// by value: on a log axis these differ.
	best := math.Inf(1)
	for _, read := range w.Board.Readings(c.Q) {
		if far := math.Abs(c.Height(read.Value) - height); far < best {
			best, w.Board.Picked = far, read.Run
		}
	}
	return w.Board.Cross != before || w.Board.Picked != picked
}
