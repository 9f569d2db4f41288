package watch

import (
	"fmt"
	"slices"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/plot"

	tea "charm.land/bubbletea/v2"
)

// Page is the Watch page: what runs do, drawn from their directories.
//
//	read -> readMsg -> track.add -> fit (axes) -> view
type Page struct {
	*lab.Lab
	tracks   []*track // in the order of their methods
	groups   [][]int  // of those that differ in seed alone, in the order of their colours
	eachSeed bool     // has a row and a line of its own
	at       int      // run under the cursor
	pointed  bool     // it was put there
	top      int      // first row shown
	baseline int      // run that bars are compared with; -1 for none
	round    int      // grows with every other set of runs
	reading  bool     // a command is
	opening  bool
	asked    int       // for runs to open; only the last question's answer counts
	looked   time.Time // at the directories' status
	all      bool      // that there is was read
	unread   int       // the run whose log is read next: those before it were, a moment ago
	clock    *clock    // of a replay; nil without one
	problem  string    // of the last opening or reading; "" without

	quantities map[string]quantity
	columns    []column       // of the table
	risk       lab.Measure    // the robust risk, of the split that is shown
	standing   func() []panel // those of every run; tests add theirs
	panels     []panel        // of the watched runs' methods
	validates  bool           // some run has a validation split
	val        bool           // that is shown, and not the test split
	focus      int            // of panels
	zoomed     bool
	shown      int // panels at once; 0: as many as suit the screen
	axis       axis
	smooth     int // index into smoothings
	style      style
	logPane    bool
	logBack    int // lines that the log pane is scrolled back

	// The axes are kept from frame to frame, so that they stay still.
	x      plot.Range
	zoomX  plot.Range           // the part of x that is shown; zero is all
	scales map[string]*vertical // by quantity
	phaseX plot.Range
	phaseY plot.Range

	orders map[string][]int // of the places of list measures

	box       string // the line about the machine
	boxBusy   bool   // it was asked for
	boxLooked time.Time

	turns  turns
	around turned // what stands around the panels

	cross  plot.Cross // x of the axis
	picked int        // the run that is nearest to it
	held   held
}

// vertical is the axis of a quantity.
type vertical struct {
	fit  plot.Range
	kind plot.ScaleKind
}

// axis is what is horizontal.
type axis int

const (
	bySteps axis = iota
	byEpochs
	byTime
	axes // how many
)

func (a axis) String() string { return [...]string{"step", "epoch", "time"}[a] }

// smoothing is one way to smooth the noisy curves; make is nil for none.
type smoothing struct {
	name string
	make func() plot.Smoother
}

// smoothings starts with the paper's: the mean of five points.
func smoothings() []smoothing {
	ema := func(beta float64) func() plot.Smoother {
		return func() plot.Smoother { return &plot.EMA{Beta: beta} }
	}
	return []smoothing{{"mean of 5", func() plot.Smoother { return &plot.Window{} }},
		{"EMA .9", ema(.9)}, {"EMA .99", ema(.99)}, {"raw", nil}}
}

// New returns the page.
func New(s *lab.Lab) *Page {
	w := &Page{Lab: s, standing: standing, baseline: -1, scales: map[string]*vertical{},
		orders: map[string][]int{}}
	w.furnish()
	return w
}

// furnish makes panels, columns and axes for the methods of the watched runs.
// What was chosen of them stays.
func (w *Page) furnish() {
	methods := w.methods()
	var runs []*runner.Meta
	for _, t := range w.tracks {
		runs = append(runs, t.meta)
	}
	before := w.panels
	w.panels = panels(w.standing(), methods, runs...)
	for i := range before {
		w.panels[i].view = min(before[i].view, len(w.panels[i].views)-1)
	}
	w.validates = slices.ContainsFunc(runs, lab.Validates)
	w.val = w.val && w.validates
	w.setColumns()
	w.quantities = quantities(w.panels)
	for name, q := range w.quantities {
		if w.scales[name] == nil {
			w.scales[name] = &vertical{}
			if q.Scale == dro.Log {
				w.scales[name].kind = plot.Log10
			}
		}
	}
}

// methods are those of the watched runs.
func (w *Page) methods() (list []dro.Algorithm) {
	for _, t := range w.tracks {
		list = append(list, t.meta.Spec.Algorithm())
	}
	return list
}

// Title implements the interface's page.
func (*Page) Title() string { return "Watch" }

// Typing implements the interface's page.
func (*Page) Typing() bool { return false }

// Init opens the newest runs where none is watched.
func (w *Page) Init() tea.Cmd {
	if len(w.tracks) > 0 || w.opening {
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
		return tea.Batch(w.read(time.Time(msg)), w.lookBox(time.Time(msg)))
	case boxMsg:
		w.box, w.boxBusy = msg.text, false
		return nil
	case readMsg:
		return w.take(msg)
	}
	w.touch()
	defer w.fit()
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
		cmd = kit.Notify(fmt.Sprintf("%d runs: %d are watched, first seeds of as many settings as have a colour",
			m.found, n))
	}
	if m.colors != nil {
		w.Colors = m.colors
	}
	w.tracks, w.at, w.pointed, w.top, w.reading = nil, 0, false, 0, false
	w.unread, w.all = 0, false
	w.round++
	if w.clock = nil; m.replay != nil {
		w.clock = newClock(*m.replay)
		cmd = tea.Batch(cmd, kit.Notify(replayHint))
	}
	for _, o := range m.runs {
		w.tracks = append(w.tracks, newTrack(o))
	}
	w.furnish()
	for _, t := range w.tracks {
		t.draw(w.quantities, filmed(w.panels, t.meta), buckets(len(w.tracks)))
	}
	order(w.tracks)
	label(w.tracks)
	w.regroup()
	w.baseline = slices.IndexFunc(w.tracks,
		func(t *track) bool { return t.meta.Spec.Algorithm() == dro.Baseline() })
	w.x, w.zoomX, w.phaseX, w.phaseY = plot.Range{}, plot.Range{}, plot.Range{}, plot.Range{}
	w.cross, w.picked, w.orders = plot.Cross{}, 0, map[string][]int{}
	w.setColumns()
	for _, y := range w.scales {
		y.fit = plot.Range{}
	}
	w.resmooth()
	return tea.Batch(cmd, w.read(w.looked))
}

// resmooth filters all runs anew.
func (w *Page) resmooth() {
	for _, t := range w.tracks {
		t.smoothWith(smoothings()[w.smooth].make)
	}
	w.fit()
}

// run is the one under the cursor; nil without runs.
func (w *Page) run() *track {
	if w.at >= len(w.tracks) {
		return nil
	}
	return w.tracks[w.at]
}

// IDs are the names of the watched runs, in the order of their colours.
func (w *Page) IDs() (ids []string) {
	for _, t := range w.tracks {
		ids = append(ids, t.id)
	}
	return ids
}
