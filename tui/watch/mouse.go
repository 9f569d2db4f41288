package watch

import (
	"drolab/tui/kit"
	"drolab/tui/plot"
	"drolab/tui/watch/panel"
)

// click focuses a panel or moves to a run; on the focused one it zooms, and in a plot it
// puts the crosshair there. Places are within the page, as in layout.
func (w *Page) click(m kit.Click) {
	l := w.layout()
	if l.runs.Contains(m.X, m.Y) {
		rows, i := w.Runs.Rows(), w.firstRow(l.runs.H)+m.Y-l.runs.Y-1
		if m.Y > l.runs.Y && i < len(rows) {
			w.Runs.Pick(rows[i][0])
		}
		return
	}
	if w.barRows() > 0 && m.Y == l.head.Y {
		w.logs.clock.Seek(w.logs.clock.PlaceAt(w.Theme, m.X, l.head.W))
		return
	}
	w.grip = grip{} // a press elsewhere lets go
	if p, _, _, c := w.plotUnder(m.X, m.Y); c != nil {
		w.screen.focus, w.grip = p, grip{m.X, c.Cells(c.Rect.W, c.Rect.H), w.Board.Span()}
		w.point(m.X, m.Y)
		return
	}
	for i, r := range l.panels {
		if p := w.first() + i; r.Contains(m.X, m.Y) {
			w.screen.zoomed = w.screen.zoomed != (p == w.screen.focus && len(w.Runs.Tracks) > 0)
			w.screen.focus = p
		}
	}
}

// wheel scrolls the part that is under it, and zooms a plot. The focus stays where it was: a wheel
// turns by accident more often than a button is pressed.
func (w *Page) wheel(m kit.Wheel) {
	l, by := w.layout(), m.By()
	switch {
	case l.runs.Contains(m.X, m.Y):
		w.move(by)
	case l.log.Contains(m.X, m.Y):
		w.screen.logBack = max(0, w.screen.logBack-by)
	default:
		if _, at, _, c := w.plotUnder(m.X, m.Y); c != nil {
			w.Board.ZoomAt(at, -by)
			return
		}
		for i, r := range l.panels {
			if r.Contains(m.X, m.Y) {
				w.scrollBars(w.first()+i, by)
			}
		}
	}
}

// plotUnder returns the plot at a place of the page: its panel, the x there, and how high the place
// lies in the plot, 0 to 1. The chart is nil where there is no plot, on borders and labels as well.
func (w *Page) plotUnder(x, y int) (p int, at, height float64, chart *panel.PlacedChart) {
	if len(w.Runs.Tracks) == 0 {
		return 0, 0, 0, nil
	}
	for i := range w.layout().panels {
		p = w.first() + i
		r, ok := w.inside(p)
		v := w.Board.CurrentView(p)
		if !ok || !r.Contains(x, y) || !v.Plots() {
			continue
		}
		for _, c := range w.Board.Plots(p, v, r.W, r.H) {
			at, height, ok = c.ColumnX(x-r.X-c.Rect.X, y-r.Y-c.Rect.Y, c.Rect.W, c.Rect.H)
			if ok {
				return p, at, height, &c
			}
		}
	}
	return 0, 0, 0, nil
}

// Point moves the crosshair with the mouse while its button is up, and reports whether the screen
// looks different. Terminals report every cell that is passed, and most of these moves cost no
// frame.
func (w *Page) Point(m kit.Hover) bool {
	if !w.point(m.X, m.Y) {
		return false
	}
	w.touch()
	return true
}

// drag pans by as much as the mouse moved since it was pressed on a plot. It goes from the view at
// the press each time; small moves added up would drift by their rounding.
func (w *Page) drag(m kit.Drag) {
	if w.grip.cells == 0 {
		return
	}
	r := w.grip.span
	w.Board.ShowX(r)
	w.Board.Pan(float64(w.grip.x-m.X) * (r.Hi - r.Lo) / float64(w.grip.cells))
}

// grip is the plot that the mouse has hold of, from one press to the next; cells is 0 if the press
// was not on a plot.
type grip struct {
	x, cells int        // the column of the press, and the width of the plot
	span     plot.Range // the part of x that was shown then
}
