package watch

import (
	"slices"

	"drolab/tui/cell"
	"drolab/tui/kit"
)

// count returns the number of panels that are shown: 1, 2, 4 or 6. There are always more panels
// than that (Standing and one more), so that first never goes below 0.
func (w *Page) count() int {
	switch {
	case w.zoomed:
		return 1
	case w.shown > 0:
		return w.shown
	}
	return panelsFor(w.Body.W, w.Body.H)
}

// first returns the first panel that is shown. Panels come in groups, and the last group is full,
// too. Tab moves the focus through all panels, and the group follows it, so the screen never
// scrolls by one panel.
func (w *Page) first() int {
	n := w.count()
	return min(w.focus/n*n, len(w.Panels)-n)
}

// layout returns the places of all parts now. Every caller computes it anew, the mouse included: it
// depends on so much that a kept one would be stale, and it costs little.
func (w *Page) layout() watchLayout {
	return layWatch(w.Body.W, w.Body.H, len(w.Rows()), w.count(), w.headlineRows(),
		w.eyeRows(), w.logPane != noPane)
}

// View implements the interface's page: rows lines of cols cells each.
//
// It changes nothing but the kept drawings and their places. Table, headline and log pane are one
// part, because they show the same news, and a turn of its own for each would cost more than it
// saves.
func (w *Page) View(cols, rows int) []string {
	if len(w.Tracks) == 0 {
		return w.empty(cols, rows)
	}
	l, box := w.layout(), kit.Boxed(rows)
	above := kit.Area(0, 0, cols, l.runs.H+l.head.H)
	around := w.kept(&w.around, above, l.log, func() []string {
		lines := slices.Concat(w.table(l.runs), w.headline(l.head.W, l.head.H))
		if l.log.H > 0 {
			lines = append(lines, w.log(l.log, box)...)
		}
		return lines
	})
	// Of the kept lines the first are above the panels, and the rest is the log pane.
	blocks := []kit.Placed{{Rect: above, Lines: around[:above.H]},
		{Rect: l.log, Lines: around[above.H:]}}
	place := func(p int, r kit.Rect, focused bool) {
		lines := w.kept(&w.drawn[p], r, kit.Rect{}, func() []string {
			iw, ih := w.room(r)
			return w.Draw(p, r, kit.Area(0, 0, iw, ih), box, focused)
		})
		blocks = append(blocks, kit.Placed{Rect: r, Lines: lines})
	}
	w.placed = l.panels
	for i, r := range l.panels {
		p := w.first() + i
		// A single panel has no focus to show: nothing else could have it.
		place(p, r, p == w.focus && w.count() > 1)
	}
	if l.eye.H > 0 {
		place(w.EyeAt(), l.eye, false)
	}
	return kit.Compose(cols, rows, blocks)
}

// empty says what to do where no run is watched, in the middle of the page. It is the first thing
// that a new user sees of it.
func (w *Page) empty(cols, rows int) []string {
	t := w.Theme
	text := []string{t.Title.Paint(noRunsYet), "",
		t.Key.Paint("1") + " starts some, " + t.Key.Paint("3") + " lists what was recorded in",
		t.Dim.Paint(cell.Cut(w.Config.RunsDir, cols-4))}
	if w.opening {
		text = []string{t.Dim.Paint(readingRuns + t.More)}
	}
	if w.problem != "" {
		text = append(text, "", t.Bad.Paint(cell.Cut(w.problem, cols-4)))
	}
	// Half of what is free stands above; Fill adds the other half.
	lines := make([]string, max(0, (rows-len(text))/2))
	for _, s := range text {
		lines = append(lines, kit.Blanks((cols-cell.Width(s))/2)+s)
	}
	return kit.Fill(lines, cols, rows)
}

// room returns the width and the height within a panel in r. Without boxes a blank is left between
// two panels. All code that asks what a panel has room for must ask here, or heading and drawing
// disagree.
func (w *Page) room(r kit.Rect) (iw, ih int) {
	box := kit.Boxed(w.Body.H)
	iw, ih = kit.Inside(box, r.W, r.H)
	if !box && r.X+r.W < w.Body.W {
		iw--
	}
	return iw, ih
}
