package watch

import (
	"fmt"
	"slices"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/record"
	"drolab/tui/cell"
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
	*panel.Board
	reader
	screen
	turns
	printed    printed
	storyState storyState
	grip       grip // the plot that the mouse has hold of

	// The table of runs. setColumns makes it for the runs, the baseline and the split, and must be
	// called when one of these changes.
	columns []column    // in the order of importance, of which a screen has the first few
	risk    lab.Measure // the robust risk, of the split that is shown
}

// reader is the state of reading the logs. Logs keep their own places, so while reading is true
// they belong to the command that reads, and nothing else may touch them.
type reader struct {
	round    int       // grows with every new set of runs; an answer to an older one is dropped
	reading  bool      // whether a command reads
	opening  bool      // whether runs were asked for and are not there yet
	requests int       // the number of requests for runs; only the answer to the last counts
	looked   time.Time // when the directories were last asked for their status
	all      bool      // whether all that the logs hold was read
	unread   int       // the run whose log is read next; those before it were read a moment ago
	clock    *Clock    // of a replay; nil without one
	problem  string    // of the last opening or reading; "" without
	race     []string  // the runs that were watched before a branch was; nil without one
}

// pane is the content of the log pane.
type pane int

const (
	noPane      pane = iota // it is closed
	logPane                 // what happened to the runs
	printedPane             // what the program of the run under the cursor printed
)

// screen is the state of what is shown. It outlives the runs: a user who opens others finds the
// layout as it was.
type screen struct {
	focus   int    // the focused panel, an index into Panels, in view or not
	zoomed  bool   // whether the focused panel is alone; shown is kept for afterwards
	shown   int    // how many panels at once, an index into counts
	logPane pane   // what it shows
	logBack int    // the number of lines that the log pane is scrolled back
	words   string // what its lines must have, as searched for
}

// New returns the page without runs; Init asks for some when the page is first shown.
func New(s *lab.Lab) *Page {
	w := &Page{Board: panel.New(s)}
	w.furnish()
	return w
}

// furnish makes panels, columns and axes for the methods of the watched runs.
func (w *Page) furnish() {
	w.Furnish()
	w.arrange()
}

// arrange must be called when panels came or went. It forgets what was drawn, because an index
// means another panel from now on.
func (w *Page) arrange() {
	w.focus = min(w.focus, len(w.Panels)-1)
	w.drawn = make([]turned, len(w.Panels))
	w.setColumns()
}

// Title implements the interface's page: it is the name of its tab.
func (*Page) Title() string { return "Watch" }

// Typing implements the interface's page. Nothing is typed here: forms are overlays, which get
// their keys first.
func (*Page) Typing() bool { return false }

// Init opens the newest runs where none is watched.
func (w *Page) Init() tea.Cmd {
	if len(w.Tracks) > 0 || w.opening {
		return nil
	}
	return w.open(lab.Watch{Replay: w.Config.Replay})
}

// open asks for other runs, by name or the newest. The runs that are watched stay on the screen
// until the answer is there, and for good if it brings none.
func (w *Page) open(of lab.Watch) tea.Cmd {
	w.opening = true
	w.requests++
	return open(w.Lab, of, w.requests)
}

// Update implements the interface's page.
func (w *Page) Update(msg tea.Msg) tea.Cmd {
	// Ticks and answers decide for themselves what is drawn again. All other messages come from the
	// user, who waits for them: every part is drawn, and the axes are fitted to the new state.
	switch msg := msg.(type) {
	case kit.Tick:
		now := time.Time(msg)
		return tea.Batch(w.read(now), w.readPrinted(now), w.readMachine(now), w.fetchEye(now))
	case panel.Fetched:
		w.Eye.Hang(w.since, msg)
		w.redrawEye()
		return nil
	case panel.Next:
		w.redrawEye()
		return nil
	case printedMsg:
		w.showPrinted(msg)
		return nil
	case panel.Machine:
		w.addMachine(msg)
		return nil
	case lab.Over: // only its directory says that a run was killed
		w.looked = time.Time{}
		return w.read(w.since)
	case readMsg:
		return w.addEvents(msg)
	}
	// An answer to another page comes here as well; drawing once too often is all that costs.
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

// fetchEye fetches the samples that the adversary weighs most, if they are in view.
func (w *Page) fetchEye(now time.Time) tea.Cmd {
	p, t := w.EyeAt(), w.Run()
	inView := p >= w.first() && p < w.first()+w.count()
	if t == nil || t.Eval == nil || !inView && w.eyeRows() == 0 {
		return nil
	}
	turn := stripTurn * w.Round * time.Duration(max(1, w.Eye.Changed()))
	switch {
	case w.clock == nil && t.Status.Ended():
		turn = 0 // nothing comes after it
	case inView || w.clock != nil:
		turn = eyeTurn * w.Round
	}
	return w.Eye.Fetch(now, turn, t.Meta, t.Eval)
}

// redrawEye forgets the drawing of the samples that weigh most, so that they are drawn anew.
func (w *Page) redrawEye() {
	if p := w.EyeAt(); p >= 0 {
		w.drawn[p].Drawn = kit.Drawn{}
	}
}

// opened replaces the watched runs. Its order matters: panels are furnished from the runs before
// curves are prepared for the panels, and colours are given to rows that Order has sorted.
func (w *Page) opened(m openMsg) tea.Cmd {
	if m.request != w.requests { // the user has asked for others since
		return nil
	}
	w.opening, w.problem = false, ""
	var cmd tea.Cmd
	if len(m.problems) > 0 {
		w.problem = cell.OneLine(m.problems[0].Error())
		cmd = kit.Complain(m.problems[0])
	}
	// Runs that were given on the command line are all there is to see. Without them the program
	// ends and says why.
	switch kept := w.Config.Kept != nil; {
	case len(m.runs) == 0 && kept && len(m.problems) > 0:
		return kit.Send(lab.Failed{Err: m.problems[0]})
	case len(m.runs) == 0:
		return cmd
	}
	if n := len(m.runs); m.found > n {
		cmd = kit.Notify(fmt.Sprintf(tooMany, m.found, n))
	}
	if m.colors != nil {
		w.Colors = m.colors
	}
	before := w.IDs()
	if w.race = nil; len(before) > 1 && slices.Contains(before, m.wanted.Ghost) {
		w.race = before
	}
	w.Tracks, w.At, w.Pointed, w.Baseline, w.reading = nil, 0, false, -1, false
	w.unread, w.all = 0, false
	w.round++ // the command that reads the old runs may still be under way
	if w.clock = nil; m.wanted.Replay != nil {
		w.clock = newClock(*m.wanted.Replay)
		cmd = tea.Batch(cmd, kit.Notify(replayHint))
	}
	w.Tracks = append(w.Tracks, kit.Map(m.runs, panel.NewTrack)...)
	w.furnish()
	for _, t := range w.Tracks { // by now their number is known, which bounds their curves
		w.Prepare(t)
	}
	if w.FurnishOwn() {
		w.arrange()
	}
	panel.OrderTracks(w.Tracks) // labels and colours need all runs, in order
	w.regroup()
	// -1 where the plain method is not among them: then nothing is compared.
	plain := func(t *panel.Track) bool { return t.Meta.Spec.Algorithm() == dro.Baseline() }
	w.Baseline = slices.IndexFunc(w.Tracks, plain)
	w.pit(m.wanted.Ghost)
	w.Reset()
	w.setColumns()
	return tea.Batch(cmd, w.read(w.looked))
}

// open finds the runs with the given names or, without names, the newest runs that belong together,
// or all runs where they are kept. The state of a run is read from the end of its log, before the
// rest of the log.
//
// It takes what it needs from the lab before the command starts, because the interface may replace
// Colors meanwhile. A read-only folder gets no index beside its logs.
func open(l *lab.Lab, wanted lab.Watch, request int) tea.Cmd {
	kept, colors, s, logs := l.Config.Kept, l.Colors, l.Source, lab.InSmall(l.Source,
		!l.Config.ReadOnly)
	return func() tea.Msg {
		m := openMsg{wanted: wanted, request: request}
		var runs []*record.Run
		runs, m.problems = panel.FindRuns(s, kept, wanted.IDs)
		m.found = len(runs)
		// The folder is listed for its colours if a configuration is new, which costs a look at
		// every run.
		if unknown := func(r *record.Run) bool {
			_, ok := colors[r.Configuration()]
			return !ok
		}; kept == nil && slices.ContainsFunc(runs, unknown) {
			all, _ := s.List() // a configuration has one colour on all pages
			m.colors = lab.ColorsOf(all)
		}
		for _, r := range panel.Watchable(runs) {
			// A replay needs no index of its own: eventlog.Replay makes one as it reads.
			if wanted.Replay != nil {
				m.runs = append(m.runs, panel.OpenReplay(s, r))
				continue
			}
			m.runs = append(m.runs, openRun(logs, r))
		}
		return m
	}
}

// openRun opens a run whose log is not read yet.
func openRun(logs record.Source, r *record.Run) panel.Opened {
	return panel.Opened{Run: r, Log: record.Lineage(logs, r), At: r.Standing()}
}

// regroup groups the runs that belong together, and gives each group its name and its colour.
func (w *Page) regroup() {
	w.Groups = panel.SeedGroups(w.Tracks)
	panel.LabelTracks(w.Tracks, w.Groups)
	runs := kit.Map(w.Groups, func(g []int) *runner.Meta { return w.Tracks[g[0]].Meta })
	numbers := w.Colors.Of(runs)
	if w.Config.Kept != nil { // no folder says which colours others have
		w.Colors = lab.Colors{}
		for n, m := range runs {
			w.Colors[m.Configuration()] = numbers[n]
		}
	}
	for n, number := range numbers {
		for _, i := range w.Groups[n] {
			w.Tracks[i].Number = number
		}
	}
}

// info returns the definitions of what the focused panel shows. The meaning of a measure is written
// once, at the measure (Definition); a view adds its Doc where it draws something that no measure
// explains. Only what the page itself draws is explained here: marks, and the table's columns.
func (w *Page) info() *kit.Overlay {
	// The state of the run comes first: users ask for it again, while definitions stand still.
	v, run := w.Shows(w.focus), w.Run()
	texts := []string{run.Name() + " is " + run.Stands(true) + "."}
	if s := run.Selection(); s != "" {
		texts[0] += " It has " + s + "."
	}
	if v.Doc != "" {
		texts = append(texts, v.Doc)
	}
	texts = append(texts, lab.Define(v.Measures())...)
	if v.Bars != "" {
		m := v.Of(w.Run().Meta)
		texts = append(texts, lab.Define([]string{m.Name})...)
		if about := aboutBars(w.Run(), m); about != "" {
			texts = append(texts, about)
		}
	}
	if t := w.Run(); t.Selects() {
		texts = append(texts, fmt.Sprintf("S on a curve marks the selected step: of the "+
			"evaluations so far, the best one by the setting select (%s here), on the "+
			"validation split. Its figures are shown beside those of the last step, both of "+
			"the test split.", t.Meta.Spec.Select))
	}
	texts = append(texts, lab.Define(w.columnNames())...)
	texts = append(texts, lab.MarkLegend, marksMean)
	r, _ := w.inside(w.focus)
	return w.Defined(w.Heading(w.focus, r.W, r.H), texts)
}

// columnNames returns the names to define for the table's columns on the screen, after rho and run,
// on which all of them depend.
func (w *Page) columnNames() []string {
	names := []string{"rho", "run"}
	for _, c := range w.layTable(w.layout().runs.W).columns {
		switch {
		case c.change != nil:
			names = append(names, "vs")
		case c.Measure != nil:
			names = append(names, w.Run().Meta.MeasureFor(c.Measure.Name))
		default:
			names = append(names, c.Head)
		}
	}
	return names
}

// aboutBars explains the columns that barFields can give, and the marks of bars. By its subject it
// belongs to panel/bars.go, and it must follow that file.
func aboutBars(t *panel.Track, of lab.Measure) string {
	if of.Axis != measure.PerClass && of.Axis != measure.PerGroup { // its bars have none of these
		return ""
	}
	part, split := panel.AxisName(of.Axis), panel.SplitName(of.OfValidation())
	text := fmt.Sprintf("After the bars, if there is room: the change against the baseline; "+
		"the number of samples of the %s to train on, and in the %s split.", part, split)
	if of.Scale == dro.Percent {
		text += fmt.Sprintf(" 95 %% is the accuracy's confidence interval (Wilson). ratio: of "+
			"the %s's training samples, under the adversary; 1 is no reweighting. recall: "+
			"balanced accuracy within it. loss: mean loss of its %s samples.", part, split)
	}
	if of.Better == dro.Neither { // where the adversary looks there is no worst
		return text
	}
	return text + fmt.Sprintf(" ◂ marks the worst %s. ? marks one with fewer than min_group = "+
		"%d %s samples: its figure is mostly chance, so it is never called the worst.",
		part, t.Meta.Spec.MinGroup, split)
}
