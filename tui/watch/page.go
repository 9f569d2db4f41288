package watch

import (
	"fmt"
	"slices"
	"time"

	"drolab/dro"
	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/watch/panel"
	"drolab/tui/watch/track"

	tea "charm.land/bubbletea/v2"
)

// Page is the Watch page: what runs do, drawn from their directories.
//
//	read -> readMsg -> track.add -> fit (axes) -> view
type Page struct {
	*panel.Board
	reader
	runTable
	screen
	turns
	held held // the plot that the mouse has hold of

}

// reader is how far the logs were read.
type reader struct {
	round   int  // grows with every other set of runs
	reading bool // a command is
	opening bool
	asked   int       // for runs to open; only the last question's answer counts
	looked  time.Time // at the directories' status
	all     bool      // that there is was read
	unread  int       // the run whose log is read next: those before it were, a moment ago
	clock   *clock    // of a replay; nil without one
	problem string    // of the last opening or reading; "" without
}

// screen is what is shown of the page.
type screen struct {
	focus   int // of panels
	zoomed  bool
	shown   int // panels at once; 0: as many as suit the screen
	logPane bool
	logBack int // lines that the log pane is scrolled back
}

// runTable is the table of runs.
type runTable struct {
	columns []column
	risk    lab.Measure // the robust risk, of the split that is shown
	top     int         // first row shown
}

// New returns the page.
func New(s *lab.Lab) *Page {
	w := &Page{Board: panel.New(s)}
	w.furnish()
	return w
}

// furnish makes panels, columns and axes for the methods of the watched runs.
func (w *Page) furnish() {
	w.Furnish()
	w.drawn = make([]turned, len(w.Panels))
	w.setColumns()
}

// Title implements the interface's page.
func (*Page) Title() string { return "Watch" }

// Typing implements the interface's page.
func (*Page) Typing() bool { return false }

// Init opens the newest runs where none is watched.
func (w *Page) Init() tea.Cmd {
	if len(w.Tracks) > 0 || w.opening {
		return nil
	}
	return w.open(lab.Watch{Replay: w.Config.Replay})
}

// open asks for runs in place of those that are watched: by name, or the newest.
func (w *Page) open(of lab.Watch) tea.Cmd {
	w.opening = true
	w.asked++
	return open(w.Lab, of, w.asked)
}

// Update implements the interface's page.
func (w *Page) Update(msg tea.Msg) tea.Cmd {
	w.keepStyles()
	switch msg := msg.(type) {
	case kit.Tick:
		return w.read(time.Time(msg))
	case readMsg:
		return w.take(msg)
	}
	w.touch()
	defer w.Fit()
	switch msg := msg.(type) {
	case lab.Watch:
		return w.open(msg)
	case openMsg:
		return w.opened(msg)
	case kit.Click:
		w.click(msg)
	case kit.Drag:
		w.drag(msg)
	case kit.Wheel:
		w.wheel(msg)
	}
	return nil
}

// opened replaces the watched runs.
func (w *Page) opened(m openMsg) tea.Cmd {
	if m.asked != w.asked {
		return nil
	}
	w.opening, w.problem = false, ""
	var cmd tea.Cmd
	if len(m.problems) > 0 {
		w.problem = cell.OneLine(m.problems[0].Error())
		cmd = kit.Complain(m.problems[0])
	}
	switch kept := w.Config.Kept != nil; {
	case len(m.runs) == 0 && kept && len(m.problems) > 0:
		return kit.Send(lab.Failed{Err: m.problems[0]})
	case len(m.runs) == 0:
		return cmd
	}
	if n := len(m.runs); m.found > n {
		cmd = kit.Notify(fmt.Sprintf("%d runs: %d are watched, first seeds of as many settings "+
			"as have a colour",
			m.found, n))
	}
	if m.colors != nil {
		w.Colors = m.colors
	}
	w.Tracks, w.At, w.Pointed, w.top, w.reading = nil, 0, false, 0, false
	w.unread, w.all = 0, false
	w.round++
	if w.clock = nil; m.replay != nil {
		w.clock = newClock(*m.replay)
		cmd = tea.Batch(cmd, kit.Notify(replayHint))
	}
	for _, o := range m.runs {
		w.Tracks = append(w.Tracks, track.New(o))
	}
	w.furnish()
	for _, t := range w.Tracks {
		w.Prepare(t)
	}
	track.Order(w.Tracks)
	track.Label(w.Tracks)
	w.regroup()
	w.Baseline = slices.IndexFunc(w.Tracks,
		func(t *track.Track) bool { return t.Meta.Spec.Algorithm() == dro.Baseline() })
	w.Reset()
	w.setColumns()
	return tea.Batch(cmd, w.read(w.looked))
}
