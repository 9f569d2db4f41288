package compare

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/record"
	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/plot"

	tea "charm.land/bubbletea/v2"
)

// Page is the Compare page: the paper's Table 1 over runs and seeds,
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
	at      string // the step of the figures: compare.Last, compare.Selected or ""
	round   int    // the number of the last question
	loading bool

	compared
	colors     []uint8          // the colours of the table's rows
	bases      [][]int          // by column and group, the group that it is compared with
	wide, slim []widths         // the widths of its rows, with intervals and without
	series     [][]*plot.Series // by run, then by curve

	part        comparePart
	measure     int  // the chosen measure, an index of curves()
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
	return p.makeTable(compared{runs: runs}, nil)
}

// makeTable makes the table of some runs anew or, out of all runs, that of the newest experiment.
func (p *Page) makeTable(of compared, all []*record.Run) tea.Cmd {
	p.round++
	return compareRuns(p.Source, of, all, p.at, p.round)
}

// move scrolls the table, or the notes if they have the focus.
func (p *Page) move(by int) {
	at, most := p.scrolled()
	*at = min(max(0, *at+by), most)
}

// scrolled returns the first line in view of the table, or of the notes if they have the focus, and
// the greatest value that it can have.
func (p *Page) scrolled() (at *int, most int) {
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
			return p.makeTable(compared{}, msg.Runs)
		}
	case lab.Over:
		return p.List()
	case kit.Tick:
		return tea.Batch(p.Look(time.Time(msg), p.After(false)), p.lookAtDamaged())
	case damagedMsg:
		p.looking = false
		if bool(msg) {
			return p.Comparing(kit.Map(p.runs, func(r *record.Run) string { return r.Dir }))
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

func sameRuns(a, b []*record.Run) bool {
	return slices.EqualFunc(a, b, func(x, y *record.Run) bool { return x.Meta.ID == y.Meta.ID })
}

// showTable shows a new table and starts to read the curves.
func (p *Page) showTable(msg comparedMsg) tea.Cmd {
	p.loading = false
	p.compared = msg.compared
	p.top, p.column, p.scroll, p.series, p.colors, p.bases = 0, 0, 0, nil, nil, nil
	p.measure = min(p.measure, len(p.curves())-1)
	if p.table != nil {
		runs := p.rowRuns()
		p.colors = p.Colors.ForRuns(runs)
		for column := range p.table.Columns {
			p.bases = append(p.bases, p.basesIn(column, runs))
		}
		p.wide, p.slim = p.measured(true), p.measured(false)
	}
	empty := func(lab.Measure) *plot.Series { return new(plot.Series) }
	p.series = kit.Map(p.logs, func(lab.Log) []*plot.Series { return kit.Map(p.curves(), empty) })
	p.reading = true
	return readEvals(p.compared, 0)
}

// rowRuns returns the first run of each row of the table.
func (c *compared) rowRuns() (list []*runner.Meta) {
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
				p.series[msg.from+i][c].Append(e.Epoch, e.Named(curve.Name).Float())
			}
		}
	}
	var cmd tea.Cmd
	if msg.err != nil {
		cmd = kit.Complain(msg.err)
	}
	if p.reading = !msg.end; msg.end {
		return cmd
	}
	return tea.Batch(cmd, readEvals(p.compared, msg.from+len(msg.evals)))
}

// Keys implements the interface's page.
func (p *Page) Keys() []kit.Key {
	const page, all = 10, 1000
	return []kit.Key{
		{Keys: kit.On("enter"), Hint: "watch", Help: "watch the compared runs",
			Why: p.none, Act: p.watchRuns},
		kit.Move("up", p.noMove, p.move, -1, "up", "k"),
		kit.Move("down", p.noMove, p.move, 1, "down", "j"),
		kit.Move("left", p.noLeft, p.side, -1, "left", "h"),
		kit.Move("right", p.noRight, p.side, 1, "right", "l"),
		{Keys: kit.On("n"), Group: kit.ToStart, Help: "compare the newest experiment",
			Why: p.atNewest, Act: func() tea.Cmd { return p.request(nil) }},
		{Keys: kit.On("y"), Help: "copy the table, as CSV", Why: p.none, Act: p.copy},
		kit.Move("first", p.noMove, p.move, -all, "home", "g"),
		kit.Move("last", p.noMove, p.move, all, "end", "G"),
		kit.Move("a page up", p.noMove, p.move, -page, "pgup"),
		kit.Move("a page down", p.noMove, p.move, page, "pgdown"),
		{Keys: kit.On("tab"), Hint: "panel", Help: "next panel", Why: p.none,
			Act: kit.By(p.turn, 1)},
		{Keys: kit.On("shift+tab"), Help: "previous panel", Why: p.none, Act: kit.By(p.turn, -1)},
		{Keys: kit.On("v"), Hint: "view",
			Help: "table, curves or notes, if they do not fit together",
			Why:  p.none, Act: kit.By(p.turn, 1)},
		{Keys: kit.On("i"), Help: "define the rows", Why: p.none, Act: p.define},
		{Keys: kit.On("m"), Hint: "measure", Help: "the measure that the curves show", Why: p.none,
			Act: kit.Just(p.nextMeasure)},
		{Keys: kit.On("s"), Help: "figures of the last step, or of the selected one", Why: p.noStep,
			Act: p.otherStep},
		p.Choices().Key(),
	}
}

// none returns the reason why keys do nothing while there is no table.
func (p *Page) none() string {
	return kit.Unless(p.table != nil && len(p.table.Rows) > 0, nothingYet)
}

// noStep says why the figures of only one step can be shown.
func (p *Page) noStep() string {
	return cmp.Or(p.none(),
		kit.Unless(p.table == nil || p.at != "" || p.table.At == compare.Selected, noOneRule))
}

// otherStep shows the figures of the last step instead of the selected step, or the other way
// round.
func (p *Page) otherStep() tea.Cmd {
	p.at = compare.Last
	if p.table.At == compare.Last {
		p.at = compare.Selected
	}
	p.loading = true
	return tea.Batch(p.makeTable(p.compared, nil), kit.Notify("figures of the "+p.at+" step"))
}

func (p *Page) atNewest() string { return kit.Unless(p.asked, atNewest) }

// copy copies the figures of the table, with a row for each measure and column.
func (p *Page) copy() tea.Cmd {
	var b strings.Builder
	t := p.table.Exact()
	if err := t.CSV(&b); err != nil {
		return kit.Complain(err)
	}
	return kit.Copy(b.String(), kit.Plural(len(t.Rows), "row"))
}

func (p *Page) turn(by int) { p.part = (p.part + compareParts + comparePart(by)) % compareParts }

// nextMeasure goes on to the next measure that some run can have.
func (p *Page) nextMeasure() {
	list := p.measures(2)
	p.measure = list[len(list)-1]
}

// define shows the definitions of the rows of the table.
func (p *Page) define() tea.Cmd {
	names := kit.Map(p.table.Columns, func(c compare.Column) string { return c.Name })
	return kit.Show(p.Defined("Rows", lab.Define(append([]string{"rho"}, names...))))
}

func (p *Page) watchRuns() tea.Cmd {
	names := kit.Map(p.table.Rows, func(row compare.Row) []string { return row.Runs })
	return kit.Send(lab.Watch{IDs: slices.Concat(names...)})
}

// side scrolls the table by a group.
func (p *Page) side(by int) { p.column += by }

func (p *Page) noMove() string {
	if why := p.none(); why != "" {
		return why
	}
	_, most := p.scrolled()
	return kit.Unless(most > 0, allLines)
}

func (p *Page) noLeft() string {
	return cmp.Or(p.none(), kit.Unless(p.column > 0, noMoreLeft))
}

func (p *Page) noRight() string {
	if why := p.none(); why != "" {
		return why
	}
	w, _ := kit.Inside(kit.Boxed(p.Body.H), p.layout(p.Body.W, p.Body.H).table.W, p.Body.H)
	return kit.Unless(p.column+len(p.groups(w)) < len(p.table.Rows), noMoreRight)
}

// Choices returns the choices that the user makes on the page.
func (p *Page) Choices() lab.Choices {
	return lab.Choices{
		lab.OneOf("panel", []string{"table", "curves", "notes"}, &p.part, func() {}),
		{Name: "measure", Get: p.chosenMeasure, Set: p.chooseMeasure},
	}
}

func (p *Page) chosenMeasure() []string {
	if p.measure == 0 {
		return nil
	}
	return []string{p.curves()[p.measure].Name}
}

func (p *Page) chooseMeasure(value []string) {
	p.measure = max(0, slices.IndexFunc(p.curves(), func(m lab.Measure) bool {
		return slices.Equal(value, []string{m.Name})
	}))
}
