package compare

import (
	"slices"
	"time"

	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/eventlog"
	"drolab/runner/lists"
	"drolab/runner/measure"
	"drolab/runner/record"
	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/plot"

	tea "charm.land/bubbletea/v2"
)

// Page is the Compare page: the paper's Table 1 over runs and seeds, what robustness costs,
// what makes the comparison unfair, and curves.
//
//	lab.Compare | lab.Listed -> compareRuns (files) -> comparedMsg -> table, notes
//	                                                -> readEvals (logs) -> curvesMsg -> series
//
// A comparison of selected runs stays as it is. The comparison of the newest experiment takes in
// those of its runs that end meanwhile.
type Page struct {
	*lab.Lab
	asked   bool   // the user selected the runs
	at      string // what the figures are of: an At of package compare, or ""
	selects bool   // the runs have selected steps that can be compared
	round   int    // the number of the last question
	loading bool

	comparison
	colors []uint8 // the colours of the table's rows
	bases  [][]int // by column and group, the group that it is compared with
	tableWidths
	series [][]*plot.Series // by run, then by curve

	part        comparePart
	measure     int  // the chosen measure, an index of curves()
	axes        axes // the chosen pair of measures of "What it costs"
	top, column int  // the first line and the first group of the table in view
	scroll      int  // the first line of the notes in view
	reading     bool // the curves are being read
	looking     bool // the damaged logs are being looked at
}

// comparePart is a part of the page. Where there is room for only one part, the part with the focus
// is shown.
type comparePart int

const (
	tablePart comparePart = iota
	costsPart
	curvesPart
	notesPart
	compareParts // the number of parts
)

// New returns the page.
func New(s *lab.Lab) *Page { return &Page{Lab: s} }

// Title implements the interface's page.
func (*Page) Title() string { return "Compare" }

// Typing implements the interface's page.
func (*Page) Typing() bool { return false }

// Loading reports whether a table was asked for and is not there yet.
func (p *Page) Loading() bool { return p.loading }

// Init compares the newest experiment unless runs were chosen.
func (p *Page) Init() tea.Cmd {
	if p.asked {
		return nil
	}
	return p.request(nil)
}

// request asks for the table of runs or, if there are none, of the newest experiment.
func (p *Page) request(runs []*record.Run) tea.Cmd {
	p.loading, p.asked, p.at = true, len(runs) > 0, ""
	if !p.asked {
		return p.List()
	}
	return p.makeTable(comparison{runs: runs}, nil)
}

// makeTable makes the table of some runs anew or, out of all runs, that of the newest experiment.
func (p *Page) makeTable(of comparison, all []*record.Run) tea.Cmd {
	p.round++
	return compareRuns(p.Source, of, all, p.at, p.round)
}

// move scrolls the table, or the notes if they have the focus.
func (p *Page) move(by int) {
	at, most := p.scrollState()
	*at = min(max(0, *at+by), most)
}

// scrollState returns the first line in view of the table, or of the notes if they have the focus,
// and the greatest value that it can have.
func (p *Page) scrollState() (at *int, most int) {
	lay, box := p.layout(p.Body.W, p.Body.H), kit.Boxed(p.Body.H)
	if p.part == notesPart {
		w, h := kit.Inside(box, lay.notes.W, lay.notes.H)
		return &p.scroll, max(0, len(p.noteLines(w))-h)
	}
	w, h := kit.Inside(box, lay.table.W, lay.table.H)
	rows, legend := p.fitTable(w, h)
	return &p.top, max(0, len(rows)-(h-headRows-len(legend)))
}

// Update implements the interface's page.
func (p *Page) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case lab.Compare:
		return p.request(msg.Runs)
	case comparedMsg:
		if msg.round == p.round && (p.loading || !sameRuns(msg.runs, p.runs)) {
			return p.showTable(msg)
		}
	case curvesMsg:
		if msg.table == p.table {
			return p.grow(msg)
		}
	case lab.Listed: // runs of the newest experiment, or of a newer one, may have ended
		if !p.asked {
			return p.makeTable(comparison{}, msg.Runs)
		}
	case lab.Gone:
		return p.drop(msg)
	case lab.Over:
		return p.List()
	case kit.Tick:
		return tea.Batch(p.Look(time.Time(msg), p.After(false)), p.lookAtDamaged())
	case damagedMsg:
		p.looking = false
		if bool(msg) {
			return p.Comparing(lists.Map(p.runs, func(r *record.Run) string { return r.Dir }))
		}
	case kit.Wheel:
		if p.table != nil {
			p.move(msg.By())
		}
	case kit.Click:
		p.part = p.layout(p.Body.W, p.Body.H).partAt(msg.X, msg.Y, p.part)
	}
	return nil
}

// Held returns the compared runs.
func (p *Page) Held() []*record.Run { return p.runs }

// drop makes the table anew without the runs that are gone or, if none is left, that of the newest
// experiment.
func (p *Page) drop(gone lab.Gone) tea.Cmd {
	kept := slices.DeleteFunc(slices.Clone(p.runs), gone.Has)
	switch {
	case len(kept) == len(p.runs):
		return nil
	case len(kept) > 0:
		p.loading = true
		return p.makeTable(comparison{about: p.about, runs: kept}, nil)
	}
	p.comparison = comparison{}
	return p.request(nil)
}

func sameRuns(a, b []*record.Run) bool {
	return slices.EqualFunc(a, b, func(x, y *record.Run) bool { return x.Meta.ID == y.Meta.ID })
}

// showTable shows a new table and starts to read the curves.
func (p *Page) showTable(msg comparedMsg) tea.Cmd {
	p.loading = false
	if p.asked && !sameRuns(msg.runs, p.runs) {
		p.part = tablePart // the notes of the runs before are no place to meet others
	}
	p.comparison = msg.comparison
	if p.at == "" && p.table != nil {
		p.selects = p.table.At == compare.Selected
	}
	p.top, p.column, p.scroll = 0, 0, 0
	p.series, p.colors, p.bases = nil, nil, nil
	p.measure = min(p.measure, len(p.curves())-1)
	if p.table != nil {
		runs := p.rowRuns()
		p.colors = p.Colors.ForRuns(runs)
		for column := range p.table.Columns {
			p.bases = append(p.bases, p.basesIn(column, runs))
		}
		p.wide, p.slim = p.groupWidths(true), p.groupWidths(false)
		p.longest = 0
		for _, row := range p.tableRows() {
			p.longest = max(p.longest, min(cell.Width(row.label)+2, mostLabel))
		}
	}
	empty := func(measure.Measure) *plot.Series { return new(plot.Series) }
	p.series = lists.Map(p.logs, func(eventlog.Log) []*plot.Series {
		return lists.Map(p.curves(),
			empty)
	})
	p.reading = true
	return readEvals(p.comparison, 0)
}

// rowRuns returns the first run of each row of the table.
func (c *comparison) rowRuns() (list []*runner.Meta) {
	for _, row := range c.table.Rows {
		i := slices.IndexFunc(c.runs, func(r *record.Run) bool { return r.Meta.ID == row.Runs[0] })
		list = append(list, &c.runs[i].Meta)
	}
	return list
}

// grow adds the curves of the logs that were read, and reads on.
func (p *Page) grow(msg curvesMsg) tea.Cmd {
	for i, evals := range msg.evals {
		for c, curve := range p.curves() {
			for _, e := range evals {
				if v := e.Named(curve.Name); v.Applies() {
					p.series[msg.from+i][c].Append(e.Epoch, v.Float())
				}
			}
		}
	}
	var cmd tea.Cmd
	if msg.err != nil {
		cmd = kit.Complain(msg.err)
	}
	p.reading = !msg.end
	if msg.end {
		return cmd
	}
	return tea.Batch(cmd, readEvals(p.comparison, msg.from+len(msg.evals)))
}
