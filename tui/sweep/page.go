package sweep

import (
	"context"
	"path/filepath"
	"slices"
	"time"

	"drolab/runner/page"
	"drolab/runner/record"
	"drolab/runner/sweep"
	"drolab/tui/kit"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
)

// Page is the Sweep page.
//
//	Init -> find (the runs folder) -> foundMsg
//	     -> reader.read (the sweep's) -> lookedMsg -> grid -> view
//
// Only one look is under way at a time. The cursor stays with its setting.
type Page struct {
	*lab.Lab
	dirs   []string // the folders of the sweeps
	sweep  int      // the sweep that is shown, an index of dirs
	found  bool
	reader *reader
	shown  bool // the page has been turned to
	looked time.Time
	now    time.Time
	busy   bool

	seen   lookedMsg // the last look; its all is nil before the first
	err    error
	key    string // the key across the map; "" until one is chosen, or where nothing varies
	grid   *grid
	at     int // the cursor: a setting
	part   part
	scroll int // the first line in view of the part
}

// part is a part of the page below the map.
type part int

const (
	cellPart    part = iota // the setting under the cursor
	chosenPart              // the chosen setting of each method, and its results
	troublePart             // what failed, and why
	parts                   // the number of parts
)

// New returns the page.
func New(s *lab.Lab) *Page { return &Page{Lab: s} }

// Title implements the interface's page.
func (*Page) Title() string { return "Sweep" }

// Typing implements the interface's page.
func (*Page) Typing() bool { return false }

// Absent reports whether there is no sweep to show. The page then has no tab.
func (p *Page) Absent() bool { return len(p.dirs) == 0 }

// Seek looks for sweeps, without reading any.
func (p *Page) Seek() tea.Cmd { return find(p.Config.RunsDir) }

// Init implements the interface's page.
func (p *Page) Init() tea.Cmd {
	p.shown = true
	return p.Seek()
}

// Living returns the runs of the sweep that go on, as of the last look.
func (p *Page) Living() []*record.Run { return p.seen.live }

// dir returns the folder of the sweep that is shown; "" if there is none.
func (p *Page) dir() string {
	if p.sweep >= len(p.dirs) {
		return ""
	}
	return p.dirs[p.sweep]
}

// Update implements the interface's page.
func (p *Page) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case foundMsg:
		p.dirs, p.sweep, p.found = msg.dirs, max(0, slices.Index(msg.dirs, p.dir())), true
		return p.turn() // the sweep that is shown stays
	case lookedMsg:
		if msg.reader == p.reader { // otherwise the look is of another sweep, left since
			p.busy = false
			p.show(msg)
		}
	case stoppedMsg:
		if msg.err != nil {
			return kit.Complain(msg.err)
		}
		return tea.Batch(kit.Notify("stopped "+msg.dir+": its runs save and end"), p.readSweep())
	case lab.Over:
		return p.readSweep()
	case kit.Tick:
		return p.tick(time.Time(msg))
	case kit.Wheel:
		p.scrollBy(msg.By())
	case kit.Click:
		return p.click(msg)
	}
	return nil
}

// catalogued returns a function that lists the runs of a sweep's folder. The interface's own folder
// has its catalogue in memory. That of another folder is read and released.
func (p *Page) catalogued(dir string) func() []*record.Run {
	from := p.Source
	if dir != p.Config.RunsDir {
		from = lab.Remember(dir, p.Config.Catalogues, p.Config.Guest)
	}
	return func() []*record.Run {
		runs, _ := from.List() // runs that cannot be read are looked at one by one
		return runs
	}
}

// turn shows the sweep that was turned to.
func (p *Page) turn() tea.Cmd {
	if p.reader == nil || p.reader.dir != p.dir() {
		p.reader = &reader{dir: p.dir(), guest: p.Config.Guest, runs: p.catalogued(p.dir())}
		p.seen, p.err, p.key, p.at, p.scroll = lookedMsg{}, nil, "", 0, 0
		p.grid, p.busy = nil, false
	}
	return p.readSweep()
}

// readSweep reads the sweep, unless a look is under way.
func (p *Page) readSweep() tea.Cmd {
	if p.busy || !p.shown || p.dir() == "" {
		return nil
	}
	p.busy, p.looked = true, p.now
	return p.reader.read(p.now)
}

func (p *Page) tick(now time.Time) tea.Cmd {
	p.now = now
	if now.Sub(p.looked) < lab.LookAfter(!p.seen.over, p.seen.lookTime) {
		return nil
	}
	if p.Absent() {
		p.looked = now
		return p.Seek()
	}
	return p.readSweep()
}

// show takes in the state of the sweep.
func (p *Page) show(msg lookedMsg) {
	if p.err = msg.err; msg.err != nil {
		p.seen.live = nil
		return
	}
	p.seen = msg
	if p.key == "" {
		p.key = widest(msg.all.Points, msg.list.Keys)
	}
	p.at = min(p.at, len(msg.all.Points)-1)
	p.grid = layGrid(msg.all.Points, msg.list.Keys, p.key)
}

// News reports whether the sweep goes on.
func (m lookedMsg) News() bool { return !m.over }

// Changes reports whether there are sweeps, so that the page's tab may appear.
func (m foundMsg) Changes() bool { return len(m.dirs) > 0 }

// current returns the setting under the cursor; nil before the first look.
func (p *Page) current() *sweep.Point {
	if p.seen.all == nil || p.at >= len(p.seen.all.Points) {
		return nil
	}
	return &p.seen.all.Points[p.at]
}

// names returns the names under which other pages find runs of the sweep. These are paths, unless
// the sweep's folder is the runs folder.
func (p *Page) names(ids []string) []string {
	if p.dir() == p.Config.RunsDir {
		return ids
	}
	return kit.Map(ids, func(id string) string { return filepath.Join(p.dir(), id) })
}

// Keys implements the interface's page.
func (p *Page) Keys() []kit.Key {
	const page, all = 5, 1 << 20
	return []kit.Key{
		{Keys: kit.On("enter"), Hint: "watch",
			Help: "watch the runs of the setting under the cursor", Why: p.noRun, Act: p.watch},
		{Keys: kit.On("c"), Hint: "compare", Help: "compare the settings that are chosen",
			Why: p.noChosen, Act: p.compare},
		{Keys: kit.On("up", "k"), Help: "up", Why: p.none, Act: p.move(0, -1), Moves: true},
		{Keys: kit.On("down", "j"), Help: "down", Why: p.none, Act: p.move(0, 1), Moves: true},
		{Keys: kit.On("left", "h"), Help: "left", Why: p.none, Act: p.move(-1, 0), Moves: true},
		{Keys: kit.On("right", "l"), Help: "right", Why: p.none, Act: p.move(1, 0), Moves: true},
		{Keys: kit.On("a"), Hint: "axis", Help: "choose the setting whose values run across",
			Why: p.noAxis, Act: kit.Just(p.nextAxis)},
		{Keys: kit.On("b"), Hint: "best", Help: "go to the best setting, then to the next method's",
			Why: p.noChosen, Act: kit.Just(p.nextBest)},
		{Keys: kit.On("tab", "v"), Hint: "view", Why: p.none, Act: kit.By(p.turnPart, 1),
			Help: "show the setting, the choice or the failures below the map"},
		{Keys: kit.On("shift+tab"), Help: "previous view", Why: p.none,
			Act: kit.By(p.turnPart, -1)},
		kit.Move("scroll up below the map", p.none, p.scrollBy, -page, "pgup"),
		kit.Move("scroll down below the map", p.none, p.scrollBy, page, "pgdown"),
		kit.Move("first setting", p.none, p.jump, -all, "home", "g"),
		kit.Move("last setting", p.none, p.jump, all, "end", "G"),
		{Keys: kit.On("s"), Hint: "sweep", Help: "the next sweep of the runs folder",
			Why: p.noOther, Act: p.nextSweep},
		{Keys: kit.On("x"), Hint: "stop", Help: "stop the sweep, its runs with a checkpoint (asks)",
			Why: p.noStop, Act: p.stop, Alters: true},
	}
}

func (p *Page) none() string { return kit.Unless(p.current() != nil, noSweep) }

// unless is a Why: it gives a reason if there is no sweep, or if can is false.
func (p *Page) unless(can func() bool, why string) string {
	if p.current() == nil {
		return p.none()
	}
	return kit.Unless(can(), why)
}

func (p *Page) noRun() string {
	return p.unless(func() bool { return len(p.begun()) > 0 }, noneBegun)
}

func (p *Page) noChosen() string {
	return p.unless(func() bool { return len(p.chosen()) > 0 }, noneFinished)
}

func (p *Page) noAxis() string {
	return p.unless(func() bool { return len(p.seen.list.Keys) > 1 }, oneVaries)
}

func (p *Page) noOther() string { return kit.Unless(len(p.dirs) > 1, noOtherSweep) }

func (p *Page) noStop() string {
	if p.Config.StopSweep == nil {
		return stopElsewhere
	}
	return p.unless(func() bool { return !p.seen.over }, sweepOver)
}

func (p *Page) move(columns, rows int) func() tea.Cmd {
	return kit.Just(func() { p.at = p.grid.step(p.at, columns, rows) })
}

func (p *Page) jump(by int) { p.at = min(max(0, p.at+by), len(p.seen.all.Points)-1) }

func (p *Page) turnPart(by int) { p.part, p.scroll = (p.part+parts+part(by))%parts, 0 }

// scrollBy scrolls the part below the map, up to its end.
func (p *Page) scrollBy(by int) {
	if p.current() != nil {
		p.scroll = max(0, min(p.scroll+by, p.hidden()))
	}
}

func (p *Page) nextAxis() {
	keys := p.seen.list.Keys
	p.key = keys[(slices.Index(keys, p.key)+1)%len(keys)]
	p.grid = layGrid(p.seen.all.Points, keys, p.key)
}

// chosen returns the chosen settings, in the order of the methods.
func (p *Page) chosen() []int {
	other := func(i int) bool { return !p.seen.all.Points[i].Chosen }
	return slices.DeleteFunc(page.Indices(len(p.seen.all.Points)), other)
}

func (p *Page) nextBest() {
	list := p.chosen()
	p.at = list[(slices.Index(list, p.at)+1)%len(list)]
}

// begun returns the IDs of the runs of the setting under the cursor that have begun.
func (p *Page) begun() (ids []string) {
	for _, s := range p.current().Seeds {
		if s.Result != nil {
			ids = append(ids, s.ID)
		}
	}
	return ids
}

func (p *Page) watch() tea.Cmd {
	return kit.Send(lab.Watch{IDs: p.names(p.begun())})
}

func (p *Page) compare() tea.Cmd {
	var ids []string
	for _, i := range p.chosen() {
		for _, s := range p.seen.all.Points[i].Seeds {
			ids = append(ids, s.ID)
		}
	}
	return p.Comparing(p.names(ids))
}

func (p *Page) nextSweep() tea.Cmd {
	p.sweep = (p.sweep + 1) % len(p.dirs)
	return p.turn()
}

func (p *Page) stop() tea.Cmd {
	dir, stop := p.dir(), p.Config.StopSweep
	runs := kit.Plural(len(p.seen.list.Runs), "run")
	lines := []string{dir, "", runs + ": " + p.counts() + ".", "", stopsRuns, startsAgain}
	return kit.Question("Stop the sweep?", lines, kit.Answer{Keys: []string{"y"}, Name: "stop",
		Then: func() tea.Msg { return stoppedMsg{dir, stop(dir)} }})
}

// click puts the cursor on a setting, and watches its runs if the cursor is there already.
func (p *Page) click(msg kit.Click) tea.Cmd {
	if p.current() == nil {
		return nil
	}
	at, ok := p.settingAt(msg.X, msg.Y)
	switch {
	case !ok:
		return nil
	case at == p.at && p.noRun() == "":
		return p.watch()
	}
	p.at = at
	return nil
}

// foundMsg brings the folders of the sweeps.
type foundMsg struct{ dirs []string }

// lookedMsg brings the state of a sweep, as of a look.
type lookedMsg struct {
	lookTime time.Duration // of the look
	reader   *reader
	list     *sweep.List
	all      *sweep.Overview
	table    *sweep.Table
	left     time.Duration
	timed    bool // whether left is known
	live     []*record.Run
	over     bool // nothing is left to do
	slurm    bool // jobs were submitted
	note     string
	err      error
}

// stoppedMsg brings the result of stopping a sweep.
type stoppedMsg struct {
	dir string
	err error
}

// find lists the sweeps under the runs folder.
func find(runs string) tea.Cmd {
	return func() tea.Msg {
		if runs == "" { // the runs are in no folder
			return foundMsg{}
		}
		return foundMsg{sweep.FindUnder(runs)}
	}
}

// reader looks at one sweep again and again. Only commands use it, one at a time.
type reader struct {
	dir   string
	guest bool                 // asks no cluster, because guests may be many, and strangers
	runs  func() []*record.Run // lists the folder's runs, from its catalogue
	look  *sweep.Progress
	pace  sweep.Pace
	jobs  sweep.Jobs
	asked time.Time // when Slurm was last asked
	note  string    // why Slurm could not be asked
}

// askSlurm is the least time between two questions to Slurm, because all its users share its
// controller.
const askSlurm = 10 * time.Second

// read looks at the sweep as it is now. The sweep's list of runs is read once, and again after it
// has grown: see page.go.
func (r *reader) read(now time.Time) tea.Cmd {
	return func() tea.Msg {
		m, began := lookedMsg{reader: r}, time.Now()
		if m.err = r.open(); m.err != nil {
			return m
		}
		m.list = r.look.List
		states, err := r.look.States()
		if err != nil {
			m.err = err
			return m
		}
		r.askJobs(now)
		r.jobs.Mark(states)
		if m.all, m.err = r.look.Overview(states); m.err != nil {
			return m
		}
		if !now.IsZero() { // before the first tick the time is unknown
			r.pace.Add(now, m.all.Done)
		}
		m.left, m.timed = r.pace.Left(m.all.Planned)
		m.live = r.look.Live
		m.over = sweep.Complete(states) && !r.jobs.Busy()
		m.table, m.slurm, m.note = r.look.Table(), r.jobs != nil, r.note
		m.lookTime = time.Since(began)
		return m
	}
}

func (r *reader) open() error {
	if r.look != nil && !r.look.Grown() {
		return nil
	}
	f, err := sweep.Open(r.dir)
	if err != nil {
		return err
	}
	r.look = sweep.NewProgress(f)
	r.look.AddFinished(r.runs())
	return nil
}

// askJobs asks Slurm about the sweep's jobs, if it has any. If Slurm cannot be asked, the folders
// say most of what it would say.
func (r *reader) askJobs(now time.Time) {
	if r.guest || !r.asked.IsZero() && now.Sub(r.asked) < askSlurm {
		return
	}
	r.asked, r.note = now, ""
	var err error
	if r.jobs, err = r.look.Jobs(context.Background(), true); err != nil {
		r.note = err.Error()
	}
}
