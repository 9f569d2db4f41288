package tui

import (
	"errors"
	"slices"
	"time"

	"drolab/runner/record"

	tea "charm.land/bubbletea/v2"
)

// runsPane is the Runs page: every run of the folder, filtered and sorted.
//
//	listMsg -> all -> arrange (filter, sort) -> shown -> view
//
// The cursor stays with its run when the list changes, and so does what is
// selected, shown or not.
type runsPane struct {
	*shared
	all      []*record.Run // newest first
	problems []error       // directories that cannot be read
	loaded   bool
	shown    []*record.Run
	at       int // the cursor, an index of shown
	chosen   map[string]bool

	by       int // column that the list is sorted by, see runColumns
	reversed bool

	line      input // the filter, as typed
	filter    filter
	filtering bool
	problem   error // with the filter

	looked time.Time // when the folder was last asked for
	busy   bool      // and did not answer yet
}

func newRunsPage(s *shared) page { return &runsPane{shared: s, chosen: map[string]bool{}} }

func (*runsPane) title() string { return "Runs" }

func (p *runsPane) typing() bool { return p.filtering }

func (p *runsPane) enter() tea.Cmd { return p.look() }

// look reads the folder, unless that is under way.
func (p *runsPane) look() tea.Cmd {
	if p.busy {
		return nil
	}
	p.busy = true
	return list(p.source)
}

// How often the folder is looked at while the page is shown: listing costs a
// few files a run.
const (
	lookLive = 2 * time.Second // while a run is live
	lookIdle = 10 * time.Second
)

// lookAfter is how long what was read of the folder stands.
func lookAfter(live bool) time.Duration {
	if live {
		return lookLive
	}
	return lookIdle
}

func anyLive(runs []*record.Run) bool {
	return slices.ContainsFunc(runs, func(r *record.Run) bool { return !r.Status().Ended() })
}

func (p *runsPane) tick(now time.Time) tea.Cmd {
	if now.Sub(p.looked) < lookAfter(anyLive(p.all)) {
		return nil
	}
	p.looked = now
	return p.look()
}

// current is the run under the cursor; nil in an empty list.
func (p *runsPane) current() *record.Run {
	if p.at >= len(p.shown) {
		return nil
	}
	return p.shown[p.at]
}

// arrange filters and sorts, and puts the cursor back on its run.
func (p *runsPane) arrange() {
	id := ""
	if r := p.current(); r != nil {
		id = r.Meta.ID
	}
	p.shown = nil
	for _, r := range p.all {
		if p.filter.match(r) {
			p.shown = append(p.shown, r)
		}
	}
	if c := runColumns()[p.by]; c.compare != nil {
		slices.SortStableFunc(p.shown, c.compare)
	}
	if p.reversed {
		slices.Reverse(p.shown)
	}
	at := slices.IndexFunc(p.shown, func(r *record.Run) bool { return r.Meta.ID == id })
	if at < 0 {
		at = min(p.at, len(p.shown)-1)
	}
	p.at = max(0, at)
}

func (p *runsPane) toggle() {
	id := p.current().Meta.ID
	if p.chosen[id] {
		delete(p.chosen, id)
	} else {
		p.chosen[id] = true
	}
	p.at = min(p.at+1, len(p.shown)-1)
}

// toggleAll selects what is listed, or nothing if all of that is selected.
func (p *runsPane) toggleAll() {
	all := true
	for _, r := range p.shown {
		all = all && p.chosen[r.Meta.ID]
	}
	clear(p.chosen)
	for _, r := range p.shown {
		if !all {
			p.chosen[r.Meta.ID] = true
		}
	}
}

// back undoes one thing: the selection, else the filter.
func (p *runsPane) back() {
	if len(p.chosen) > 0 {
		clear(p.chosen)
		return
	}
	p.line = input{}
	p.refilter()
}

func (p *runsPane) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tickMsg:
		return p.tick(time.Time(msg))
	case listMsg:
		p.all, p.problems, p.loaded, p.busy = msg.runs, msg.problems, true, false
		p.forget()
		p.arrange()
	case deletedMsg:
		cmd := notify("deleted " + plural(len(msg.ids), "run"))
		if len(msg.problems) > 0 {
			cmd = complain(errors.Join(msg.problems...))
		}
		return tea.Batch(cmd, p.look())
	case verbMsg:
		return p.look()
	case tea.KeyPressMsg:
		p.press(msg)
	case tea.PasteMsg:
		p.line.insert(msg.Content)
		p.refilter()
	case wheelMsg:
		if msg.down {
			p.at = min(p.at+1, max(0, len(p.shown)-1))
		} else {
			p.at = max(p.at-1, 0)
		}
	case clickMsg:
		return p.click(msg)
	}
	return nil
}

// forget drops the selection of runs that are gone.
func (p *runsPane) forget() {
	there := map[string]bool{}
	for _, r := range p.all {
		there[r.Meta.ID] = p.chosen[r.Meta.ID]
	}
	for id := range p.chosen {
		if !there[id] {
			delete(p.chosen, id)
		}
	}
}

// press takes a key while the filter is typed: the list follows at once.
func (p *runsPane) press(k tea.KeyPressMsg) {
	switch k.String() {
	case "enter", "down", "tab":
		p.filtering = false
	case "esc":
		p.filtering, p.line = false, input{}
		p.refilter()
	default:
		if p.line.press(k) {
			p.refilter()
		}
	}
}

// refilter applies the filter as typed; one that cannot be read leaves the
// list as it is.
func (p *runsPane) refilter() {
	f, err := parseFilter(p.line.String())
	if p.problem = err; err == nil {
		p.filter = f
		p.arrange()
	}
}

// click puts the cursor on a row; on the one that has it, it goes in.
func (p *runsPane) click(msg clickMsg) tea.Cmd {
	lay := layRuns(p.body.w, p.body.h)
	i := p.first(lay.rows) + msg.y - lay.top
	if msg.y < lay.top || msg.y >= lay.top+lay.rows || i >= len(p.shown) || p.filtering {
		return nil
	}
	if i == p.at {
		return p.goIn()
	}
	p.at = i
	return nil
}
