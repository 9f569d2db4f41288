package sweep

import (
	"path/filepath"
	"slices"
	"time"

	"drolab/runner/lists"
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

// Loading reports whether there is a sweep that has not been read yet.
func (p *Page) Loading() bool {
	return !p.found || !p.Absent() && p.seen.all == nil && p.err == nil
}

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
		return p.showSweep() // the sweep that is shown stays
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

// catalogueRuns returns a function that lists the runs of a sweep's folder. The interface's own
// folder has its catalogue in memory. That of another folder is read and released.
func (p *Page) catalogueRuns(dir string) func() []*record.Run {
	from := p.Source
	if dir != p.Config.RunsDir {
		from = lab.OpenCatalogued(dir, p.Config.Catalogues, p.Config.Shared)
	}
	return func() []*record.Run {
		runs, _ := from.List() // runs that cannot be read are looked at one by one
		return runs
	}
}

// showSweep shows the sweep that was turned to.
func (p *Page) showSweep() tea.Cmd {
	if p.reader == nil || p.reader.dir != p.dir() {
		p.reader = &reader{dir: p.dir(), shared: p.Config.Shared, runs: p.catalogueRuns(p.dir())}
		p.seen, p.err = lookedMsg{}, nil
		p.key, p.grid = "", nil
		p.at, p.scroll = 0, 0
		p.busy = false
	}
	return p.readSweep()
}

// readSweep reads the sweep, unless a look is under way.
func (p *Page) readSweep() tea.Cmd {
	if p.busy || !p.shown || p.dir() == "" {
		return nil
	}
	p.busy, p.looked = true, p.now
	return p.reader.read(p.Config.UntilLeft(), p.now)
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
	p.err = msg.err
	if msg.err != nil {
		p.seen.live = nil
		return
	}
	p.seen = msg
	if p.key == "" {
		p.key = widestKey(msg.all.Points, msg.list.Keys)
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
	return lists.Map(ids, func(id string) string { return filepath.Join(p.dir(), id) })
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
