package watch

import (
	"slices"
	"time"

	"drolab/tui/cell"
	"drolab/tui/watch/track"

	tea "charm.land/bubbletea/v2"
)

// The box line says below the table how busy the machine is, while a run is live.

// lookAtBox is how often it is asked for.
const lookAtBox = 5 * time.Second

// boxMsg brings the line.
type boxMsg struct {
	text string
	is   bool // another one than before
}

// Changes tells whether the screen may look different.
func (m boxMsg) Changes() bool { return m.is }

// News is no run's.
func (boxMsg) News() bool { return false }

// lookBox asks for the line when its time has come.
func (w *Page) lookBox(now time.Time) tea.Cmd {
	live := slices.ContainsFunc(w.Tracks, func(t *track.Track) bool { return !t.Status.Ended() })
	if w.Config.Box == nil || w.clock != nil || w.boxBusy || now.Sub(w.boxLooked) < lookAtBox ||
		!live && w.box == "" {
		return nil
	}
	w.boxLooked, w.boxBusy = now, true
	read, before := w.Config.Box, w.box
	return func() tea.Msg {
		m := boxMsg{}
		if live {
			m.text = read(now)
		}
		m.is = m.text != before
		return m
	}
}

// boxRows is how many lines of the page it takes.
func (w *Page) boxRows() int {
	const leastHeight = 28
	if w.box == "" || w.Body.H < leastHeight {
		return 0
	}
	return 1
}

// boxLine draws it.
func (w *Page) boxLine(cells int) string {
	return "    " + w.Theme.Dim.Paint(cell.Cut(w.Theme.Greek(w.box), cells-5))
}
