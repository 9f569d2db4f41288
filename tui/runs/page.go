package runs

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/lists"
	"drolab/runner/page"
	"drolab/runner/record"
	"drolab/runner/spec"
	"drolab/tui/kit"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
)

// Page is the Runs page: every run of the folder, filtered and sorted.
//
//	lab.Listed -> all -> arrange (filter, sort) -> shown -> view
//
// When the list changes, the cursor stays with its run, and selected runs stay selected, shown or
// not.
type Page struct {
	*lab.Lab
	all    []*record.Run // newest first
	shown  []line
	at     int // the cursor, an index of shown
	chosen map[string]bool

	folded bool     // runs share lines
	foldBy []string // settings in which these agree; none stands for all but the seed
	differences

	columns       []runColumn
	chosenColumns map[string]bool // true shown, false hidden, whatever the room; by head
	value         moment          // the evaluation whose values of measures are shown
	evals         map[string]evals
	reading       bool // the evaluations of the lines in view are being read

	sortOrder
	nameWidths
	line      kit.Input // the filter, as typed
	filter    compare.Filter
	filtering bool
	problem   error // the error in the filter

	folderState
}

// folderState is what is known of the folder besides its runs.
type folderState struct {
	loaded   bool
	problems []error // directories that cannot be read
}

// differences says what runs have in common, and what tells them apart.
type differences struct {
	several bool             // some runs differ in the seed alone
	kinds   map[string]*kind // by configuration
	// markCells is the width of the marks of all configurations.
	markCells int
	keys      []string           // the settings in which runs differ
	pins      map[string][]int64 // the steps of pinned checkpoints, by run
}

// kind is the name and the colour of the runs of one configuration.
type kind struct {
	name  string // what tells them from other runs of their method and preset
	color uint8
}

// New returns the page.
func New(s *lab.Lab) *Page {
	p := &Page{Lab: s, chosen: map[string]bool{}, line: kit.NewInput(""), folded: true,
		columns:       runColumns(false, len(s.Config.Boxes) > 0, lastValue),
		chosenColumns: map[string]bool{},
		sortOrder:     sortOrder{wanted: startedHead},
		evals:         map[string]evals{}, differences: differences{pins: map[string][]int64{}}}
	p.filter, _ = compare.ParseFilter("")
	p.makeColumns()
	return p
}

// Title implements the interface's page.
func (*Page) Title() string { return "Runs" }

// Typing implements the interface's page.
func (p *Page) Typing() bool { return p.filtering }

// Loading reports whether the runs have not been listed yet.
func (p *Page) Loading() bool { return !p.loaded }

// Init implements the interface's page.
func (p *Page) Init() tea.Cmd { return p.List() }

// lineUnder returns the line under the cursor; nil in an empty list.
func (p *Page) lineUnder() line {
	if p.at >= len(p.shown) {
		return nil
	}
	return p.shown[p.at]
}

// current returns the run that stands for the line under the cursor; nil in an empty list.
func (p *Page) current() *record.Run {
	if l := p.lineUnder(); l != nil {
		return l[0]
	}
	return nil
}

// arrange filters and sorts, and puts the cursor back on its run.
func (p *Page) arrange() {
	id := ""
	if r := p.current(); r != nil {
		id = r.Meta.ID
	}
	archived := strings.Contains(p.line.String(), "archived") // otherwise archived runs are hidden
	p.shown = p.fold(slices.DeleteFunc(slices.Clone(p.all), func(r *record.Run) bool {
		return !archived && r.Label().Archived || !p.filter(r)
	}))
	if c := p.columns[p.by]; c.value != nil {
		page.Sort(p.shown, false, c.value)
	}
	if p.reversed {
		slices.Reverse(p.shown)
	}
	p.findDays()
	at := slices.IndexFunc(p.shown, func(l line) bool { return l[0].Meta.ID == id })
	if at < 0 {
		at = min(p.at, len(p.shown)-1)
	}
	p.at, p.nameWidths = max(0, at), nameWidths{}
}

func (p *Page) toggle() {
	all := p.lineUnder()
	was := p.chosen[all[0].Meta.ID]
	for _, r := range all {
		if was {
			delete(p.chosen, r.Meta.ID)
		} else {
			p.chosen[r.Meta.ID] = true
		}
	}
}

// toggleAll selects every listed run, or none if all of them are selected.
func (p *Page) toggleAll() {
	list := slices.Concat(p.shown...)
	all := !slices.ContainsFunc(list, func(r *record.Run) bool { return !p.chosen[r.Meta.ID] })
	clear(p.chosen)
	for _, r := range list {
		if !all {
			p.chosen[r.Meta.ID] = true
		}
	}
}

// states returns what Esc undoes: the filter or, without a filter, the selection.
func (p *Page) states() []kit.State {
	return []kit.State{
		{Is: p.line.String() != "", Undo: kit.Just(func() {
			p.line = kit.NewInput("")
			p.refilter()
		})},
		{Is: len(p.chosen) > 0, Undo: kit.Just(func() { clear(p.chosen) })},
	}
}

// Update implements the interface's page.
func (p *Page) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case kit.Changed:
		p.nameWidths = nameWidths{}
	case minuteMsg:
		p.now = time.Time(msg)
	case kit.Tick:
		now := time.Time(msg)
		return tea.Batch(p.clock(now), p.readViewed(),
			p.Look(now, p.After(len(lab.Live(p.all)) > 0)))
	case lab.Listed:
		p.all, p.problems, p.loaded = msg.Runs, msg.Problems, true
		p.doubtDamaged()
		p.forget()
		p.nameConfigurations()
		return p.renew()
	case lab.Gone:
		p.all = slices.DeleteFunc(slices.Clone(p.all), msg.Has)
		p.forget()
		return p.renew()
	case lab.Over:
		now := map[string]*record.Run{}
		for _, r := range msg.Runs {
			now[r.Dir] = r
		}
		p.all = slices.Clone(p.all) // commands may read the list as it was
		for i, r := range p.all {
			p.all[i] = cmp.Or(now[r.Dir], r)
		}
		return p.renew()
	case pinsMsg:
		maps.Copy(p.pins, msg)
	case momentMsg:
		p.value = msg.moment
		p.makeColumns()
		p.arrange()
		return p.readEvals()
	case evalsMsg:
		maps.Copy(p.evals, msg.evals)
		p.reading = false
		p.arrange()
		if msg.err != nil {
			return kit.Complain(msg.err)
		}
	case changedMsg:
		return p.report(msg)
	case lab.Fork:
		return p.fork(msg.Run, msg.Near)
	case forkMsg:
		return msg.form.applySettings(msg)
	case lab.Answered, lab.AllAnswered:
		return p.List()
	case tea.KeyPressMsg:
		p.press(msg)
	case tea.PasteMsg:
		p.line.Update(msg)
		p.refilter()
	case kit.Wheel:
		p.move(msg.By())
	case kit.Click:
		return p.click(msg)
	}
	return nil
}

// renew shows the runs as they are now, and reads their pins, evaluations and trends.
func (p *Page) renew() tea.Cmd {
	p.arrange()
	return tea.Batch(p.readPins(), p.readEvals(), p.readTrends())
}

// forget drops the selection of runs that are gone.
func (p *Page) forget() {
	there := map[string]bool{}
	for _, r := range p.all {
		there[r.Meta.ID] = true
	}
	maps.DeleteFunc(p.chosen, func(id string, _ bool) bool { return !there[id] })
}

// nameConfigurations finds what tells the configurations of the runs apart, if the configurations
// have changed. It compares one run of each: thousands of runs have far fewer configurations.
func (p *Page) nameConfigurations() {
	first := lists.DistinctBy(p.all, (*record.Run).Configuration)
	several := len(first) < len(p.all)
	unknown := func(r *record.Run) bool { return p.kinds[r.Configuration()] == nil }
	if !slices.ContainsFunc(first, unknown) && len(first) == len(p.kinds) && several == p.several {
		return
	}
	metas := lists.Map(first, func(r *record.Run) *runner.Meta { return &r.Meta })
	p.several, p.keys, p.kinds, p.markCells = several, nil, map[string]*kind{}, 1
	specs := make([]spec.Spec, len(metas))
	for i, text := range compare.Differences(metas) {
		of := first[i].Configuration()
		p.kinds[of] = &kind{text, p.Colors.Number(of, metas[i])}
		specs[i] = metas[i].Spec
		p.markCells = max(p.markCells, p.Theme.MarkCells(p.kinds[of].color))
	}
	p.keys = lists.Map(compare.Diff(specs), func(d compare.KeyDiff) string { return d.Key })
	p.makeColumns()
}

// viewedRuns returns the runs that stand for the lines in view.
func (p *Page) viewedRuns() []*record.Run {
	lines := p.inView(layRuns(p.Body.W, p.Body.H).rows)
	return lists.Map(lines, func(l line) *record.Run { return l[0] })
}

// readViewed reads the pins and trends of lines that have come into view.
func (p *Page) readViewed() tea.Cmd {
	if slices.ContainsFunc(p.viewedRuns(), func(r *record.Run) bool {
		_, known := p.pins[r.Meta.ID]
		return !known
	}) {
		return tea.Batch(p.readPins(), p.readTrends())
	}
	return p.readTrends()
}

// click puts the cursor on a row, and watches the runs if the cursor is there already. A click on a
// head sorts by its column.
func (p *Page) click(msg kit.Click) tea.Cmd {
	lay := layRuns(p.Body.W, p.Body.H)
	if head := p.headAt(msg.X); msg.Y == lay.top-1 && head != "" && !p.filtering {
		p.sortBy(head)
		return nil
	}
	i, onDay := p.lineAt(p.first(lay.rows) + msg.Y - lay.top)
	outside := msg.Y < lay.top || msg.Y >= lay.top+lay.rows || i >= len(p.shown)
	if outside || onDay || p.filtering {
		return nil
	}
	if i == p.at {
		return p.watch()
	}
	p.at = i
	return nil
}
