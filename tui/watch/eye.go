package watch

import (
	"time"

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
	const rows, leastW, leastH = 10, 100, 52
	p := w.Board.EyeAt()
	inView := p >= w.first() && p < w.first()+w.count()
	if w.screen.zoomed || w.Body.W < leastW || w.Body.H < leastH || p < 0 || inView || !w.hasEye() {
		return 0
	}
	return rows
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
