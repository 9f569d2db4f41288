package watch

import (
	"slices"

	"drolab/tui/cell"
	"drolab/tui/kit"
)

// View implements the interface's page: rows lines of cols cells each.
//
// It changes nothing but the kept drawings and their places. Table and headline are one part,
// because they show the same news, and a turn of its own for each would cost more than it saves.
func (w *Page) View(cols, rows int) []string {
	if len(w.Runs.Tracks) == 0 {
		return w.empty(cols, rows)
	}
	l := w.layout()
	w.showOneClock(l)
	blocks := []kit.Block{w.aboveBlock(l), w.logBlock(l)}
	w.turns.placed = l.panels
	for i, r := range l.panels {
		p := w.first() + i
		// A single panel has no focus to show: nothing else could have it.
		blocks = append(blocks, w.panelBlock(p, r, p == w.screen.focus && w.count() > 1))
	}
	if l.eye.H > 0 {
		blocks = append(blocks, w.panelBlock(w.Board.EyeAt(), l.eye, false))
	}
	return kit.Compose(cols, rows, blocks)
}

// aboveBlock returns table and headline.
func (w *Page) aboveBlock(l watchLayout) kit.Block {
	above, r := &w.turns.above, w.abovePlace(l)
	if w.isDue(above, r) {
		w.keep(above, r, slices.Concat(w.table(l.runs), w.headline(r.W)))
	}
	return kit.Block{Rect: r, Lines: above.lines}
}

// abovePlace returns the place of table and headline.
func (w *Page) abovePlace(l watchLayout) kit.Rect {
	return kit.Area(0, 0, w.Body.W, l.runs.H+l.head.H)
}

// logBlock returns the log pane; without lines if it is closed.
func (w *Page) logBlock(l watchLayout) kit.Block {
	log := &w.turns.log
	switch {
	case l.log.H == 0:
		log.lines = nil
	case w.isDue(log, l.log):
		w.keep(log, l.log, w.drawLog(l.log, kit.Boxed(w.Body.H)))
	}
	return kit.Block{Rect: l.log, Lines: log.lines}
}

// panelBlock returns a panel in a place of the page.
func (w *Page) panelBlock(p int, r kit.Rect, focused bool) kit.Block {
	part := w.part(p)
	if w.isDue(part, r) {
		iw, ih := w.panelInside(r)
		room := kit.Area(0, 0, iw, ih)
		w.keep(part, r, w.Board.Draw(p, r, room, kit.Boxed(w.Body.H), focused))
	}
	return kit.Block{Rect: r, Lines: part.lines}
}

// empty says what to do where no run is watched, in the middle of the page. It is the first thing
// that a new user sees of it.
func (w *Page) empty(cols, rows int) []string {
	t := w.Theme
	text := []string{t.Title.Paint("No runs yet"), "",
		t.Key.Paint("1") + " starts some, " + t.Key.Paint("3") + " lists what was recorded in",
		t.Dim.Paint(cell.Cut(w.Config.RunsDir, cols-4))}
	if w.logs.opening {
		text = []string{t.Dim.Paint("Reading the runs" + t.More)}
	}
	if w.logs.problem != "" {
		text = append(text, "", t.Alarm.Paint(cell.Cut(w.logs.problem, cols-4)))
	}
	// Half of what is free stands above; Fill adds the other half.
	lines := make([]string, max(0, (rows-len(text))/2))
	for _, s := range text {
		lines = append(lines, kit.Blanks((cols-cell.Width(s))/2)+s)
	}
	return kit.Fill(lines, cols, rows)
}

// fitInView fits only the axes that are shown, as a replay wants it many times a second. Axes out
// of view catch up at the next key, since every key fits all.
func (w *Page) fitInView() {
	var names []string
	for i, r := range w.layout().panels {
		names = append(names, w.Board.CurrentView(w.first()+i).CurvesIn(w.panelInside(r))...)
	}
	w.Board.FitThese(names)
}

// hiddenBars returns the number of a panel's bars that have no room, so that they can be scrolled;
// 0 for a panel out of view, for curves, and for views that are shown whole.
func (w *Page) hiddenBars(p int) int {
	if p >= len(w.Board.Panels) {
		return 0
	}
	v, t := w.Board.CurrentView(p), w.Runs.Run()
	r, ok := w.inside(p)
	if v.Bars == "" || v.Whole() || t == nil || !ok {
		return 0
	}
	rows := r.H // by which the bars are laid out, too
	if v.Films() || w.Board.ShowsMatrix(v, r.W) {
		rows-- // its heads are always there
	}
	return max(0, len(t.Places(w.Runs.PanelClock(), v.BarsMeasure(t.Meta)))-rows)
}

// scrollBars moves the bars of a panel. The last bar goes no higher than the last row, whatever
// the room was when it was scrolled.
func (w *Page) scrollBars(p, by int) {
	w.Board.Panels[p].First = max(0, min(w.Board.Panels[p].First+by, w.hiddenBars(p)))
}
