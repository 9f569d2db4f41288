package watch

import (
	"cmp"
	"slices"
	"time"

	"drolab/tui/kit"

	tea "charm.land/bubbletea/v2"
)

// fetchEye fetches the samples that the adversary weighs most, if they are in view and the cursor
// rests.
func (w *Page) fetchEye(now time.Time) tea.Cmd {
	p, t := w.Board.EyeAt(), w.Runs.Run()
	inView := p >= w.first() && p < w.first()+w.count()
	if t == nil || t.Eval == nil || w.turns.behind || !inView && w.eyeRows() == 0 {
		return nil
	}
	turn := stripTurn * w.Round * time.Duration(max(1, w.Board.Eye.Changed()))
	switch {
	case w.logs.clock == nil && t.Status.Ended():
		turn = 0 // nothing comes after it
	case inView || w.logs.clock != nil:
		turn = eyeTurn * w.Round
	}
	if of := t.Run.Mirrored(); of != nil {
		w.Board.Eye.Without(t.ID, "the data are on box "+of.Box+" (see P)")
	}
	return w.Board.Eye.Fetch(now, turn, t.Meta, t.Eval)
}

// redrawEye forgets the drawing of the samples that weigh most, so that they are drawn anew.
func (w *Page) redrawEye() {
	if p := w.Board.EyeAt(); p >= 0 {
		w.part(p).lines = nil
	}
}

// eyeRows returns the height of the adversary's eye under the panels, in lines: 0 where there is no
// room, where no evaluation names samples, and where its own panel is in view.
func (w *Page) eyeRows() int {
	const rows, leastW = 10, 100
	p := w.Board.EyeAt()
	inView := p >= w.first() && p < w.first()+w.count()
	if w.screen.zoomed || w.Body.W < leastW || p < 0 || inView || !w.hasEye() ||
		w.panelRows(rows) < w.mapRows() {
		return 0
	}
	return rows
}

// panelRows returns the height of the lowest panel if the eye has so many lines.
func (w *Page) panelRows(eye int) int {
	l := layWatch(w.Body.W, w.Body.H, len(w.Runs.Rows()), w.count(), w.headlineRows(), eye,
		w.screen.logPane != noPane)
	return slices.MinFunc(l.panels, func(a, b kit.Rect) int { return cmp.Compare(a.H, b.H) }).H
}

// mapRows returns the height of a panel that has room for a map of the run under the cursor: a row
// for each class or group, its head, its ticks, its key, and the frame. The eye takes only what
// remains, but most lines are enough for any map, since maps scroll.
func (w *Page) mapRows() int {
	const around, frame, most = 3, 2, 17
	m := w.Runs.Run().Meta
	return min(most, max(leastPanel, len(m.Places(m.Main()))+around+frame))
}

// hasEye reports whether an evaluation of a watched run names samples or, before the first, whether
// one may do so later. Room for the eye is kept until then, because all panels would be sent again
// to make it. An older recording, of which no evaluation names samples, needs no room.
func (w *Page) hasEye() bool {
	evaluated, waits := false, false
	for _, t := range w.Runs.Tracks {
		if t.Eval != nil && len(t.Eval.Heaviest) > 0 {
			return true
		}
		evaluated, waits = evaluated || t.Eval != nil, waits || !t.Status.Ended()
	}
	return waits && !evaluated
}
