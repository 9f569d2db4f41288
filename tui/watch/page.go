package watch

import (
	"time"

	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/watch/panel"

	tea "charm.land/bubbletea/v2"
)

// Page is the Watch page: what runs do, drawn from their directories.
//
//	read -> readMsg -> Track.Add -> Fit (axes) -> View
//
// The model owns the one Page and calls it from the goroutine of the interface alone. Commands
// get copies of what they need, never the Page: they run beside it.
type Page struct {
	*lab.Lab
	Board      *panel.Board // the panels over the watched runs
	Runs       *panel.Runs  // the watched runs: those of Board
	logs       reader
	screen     screen
	turns      schedule
	output     output
	storyState storyState
	grip       grip // the plot that the mouse has hold of

	// after sends a message after a while.
	after func(time.Duration, func(time.Time) tea.Msg) tea.Cmd
}

// reader is the state of reading the logs. Logs keep their own places, so while reading is true
// they belong to the command that reads, and nothing else may touch them.
type reader struct {
	round    int       // grows with every new set of runs; an answer to an older one is dropped
	reading  bool      // whether a command reads
	opening  bool      // whether runs were asked for and are not there yet
	newest   bool      // whether the runs are those that were chosen without a name
	requests int       // the number of requests for runs; only the answer to the last counts
	looked   time.Time // when the directories were last asked for their status
	all      bool      // whether all that the logs hold was read
	unread   string    // the run whose log is read next; those before it were read a moment ago
	clock    *clock    // of a replay; nil without one
	problem  string    // of the last opening or reading; "" without
	raceRuns []string  // the runs that were watched before a fork was; nil without one
}

// screen is the state of what is shown. It outlives the runs: a user who opens others finds the
// layout as it was.
type screen struct {
	focus   int    // the focused panel, an index into Panels, in view or not
	zoomed  bool   // whether the focused panel is alone; shown is kept for afterwards
	shown   int    // how many panels at once, an index into counts
	tiles   tiles  // when three large numbers are shown
	logPane pane   // what it shows
	logBack int    // the number of lines that the log pane is scrolled back
	words   string // what its lines must have, as searched for
}

// New returns the page without runs; Init asks for some when the page is first shown.
func New(s *lab.Lab) *Page {
	board := panel.New(s)
	w := &Page{Lab: s, Board: board, Runs: board.Runs, after: tea.Tick}
	w.furnish()
	return w
}

// furnish makes panels and axes for the methods of the watched runs.
func (w *Page) furnish() {
	w.Board.Furnish()
	w.screen.focus = min(w.screen.focus, len(w.Board.Panels)-1)
}

// Title implements the interface's page: it is the name of its tab.
func (*Page) Title() string { return "Watch" }

// Typing implements the interface's page. Nothing is typed here: forms are overlays, which get
// their keys first.
func (*Page) Typing() bool { return false }

// Loading reports whether runs were asked for and are not there yet.
func (w *Page) Loading() bool { return w.logs.opening }

// Init opens the newest runs where none is watched.
func (w *Page) Init() tea.Cmd {
	if len(w.Runs.Tracks) > 0 || w.logs.opening {
		return nil
	}
	return w.open(lab.Watch{Replay: w.Config.Replay})
}

// Update implements the interface's page.
func (w *Page) Update(msg tea.Msg) tea.Cmd {
	// Ticks and answers decide for themselves what is drawn again. All other messages come from the
	// user, who waits for them: see changed.
	switch msg := msg.(type) {
	case kit.Tick:
		now := time.Time(msg)
		return tea.Batch(w.read(now), w.readOutput(now), w.readMachine(now), w.fetchEye(now))
	case panel.Fetched:
		w.Board.Eye.Show(w.turns.since, msg)
		w.redrawEye()
		return nil
	case panel.Next:
		w.redrawEye()
		return nil
	case outputMsg:
		w.showOutput(msg)
		return nil
	case machineMsg:
		w.addMachine(msg)
		return nil
	case lab.Over: // only its directory says that a run was killed
		w.logs.looked = time.Time{}
		return w.read(w.turns.since)
	case readMsg:
		return w.addEvents(msg)
	case followMsg:
		return w.catchUp(msg)
	case lab.Gone:
		cmd := w.drop(msg)
		w.changed()
		return cmd
	case kit.Wheel:
		return w.thenChanged(kit.Just(func() { w.wheel(msg) }))()
	}
	// An answer to another page comes here as well; drawing once too often is all that costs.
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case lab.Watch:
		cmd = w.open(msg)
	case openMsg:
		cmd = w.showRuns(msg)
	case kit.Click:
		w.click(msg)
	case kit.Drag:
		w.drag(msg)
	}
	w.changed()
	return cmd
}

// changed draws every part anew, of a state that is brought up to date.
func (w *Page) changed() {
	w.touch()
	w.update()
}

// update brings up to date what follows from the state: the story and the axes are made for the
// runs, the baseline, the split and what is in view.
func (w *Page) update() {
	w.updateStory()
	w.Board.Fit()
}
