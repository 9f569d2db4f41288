package watch

import (
	"fmt"
	"slices"
	"strings"

	"drolab/dro"
	"drolab/runner/lists"
	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/watch/panel"
)

// Widths of the table's fixed parts, in cells.
const (
	markWidth  = 6  // cursor, mark with the number of a variant, glyph of the state, blanks
	stateWidth = 11 // the state's name
	leastBar   = 8  // of progress: less could not show a tenth
	// mainColumns is the number of columns that get room before the bar; the others get it after.
	mainColumns = 9
	mostBar     = 40
)

// tableLayout is the layout of the table in so many cells. It is made for each drawing and thrown
// away.
type tableLayout struct {
	cells            int // of the whole table
	name, state, bar int // widths in cells; 0 for a part that is left out
	columns          []column
	marks            []int // the row with the best value, by column; -1 for none
	narrow           bool
	shorter          int // the form of the names, see rowName
}

// leastWide is the least width of a table with all heads in full. In a narrower table λ and η come
// right behind the figures that the methods are made for.
const leastWide = 100

// leastBeside is the least width of a table with a small curve and the newest value beside the
// mean, and with whole heads of changes: in a narrower one they would take the place of a column
// that says more.
const leastBeside = 140

// forNarrow returns the columns for a table narrower than leastWide: heads in brief, progress
// without room to spare, and λ and η before the change of the risk.
func forNarrow(columns []column) (list []column) {
	dual := func(c column) bool { return c.Head == "λ" || c.Head == "η" }
	for i, c := range columns {
		if c.Brief != "" && c.change == nil {
			c.Head, c.Width = c.Brief, max(8, cell.Width(c.Brief)+2)
		}
		switch {
		case dual(c):
			continue
		case c.Head == "done":
			c.Width = cell.Width(" 100%")
		}
		if c.change != nil && i > 0 && columns[i-1].best != nil && !panel.Percents(*c.change) {
			for _, d := range columns {
				if dual(d) {
					d.Width = 8
					list = append(list, d)
				}
			}
		}
		list = append(list, c)
	}
	return list
}

// outcomeCount returns the number of columns that say what a run comes to, mean % among them. It
// counts the columns that columnsOf puts behind progress, and must follow it.
func (w *Page) outcomeCount() int {
	if w.Board.Validates && !w.Board.Val {
		return 8
	}
	return 7
}

// layTable decides what the table of so many cells shows. Columns are taken from the front until
// one does not fit, and none that comes later is taken in its place. So a narrower screen shows
// less of the same: what runs come to, then how far they are.
func (w *Page) layTable(cells int) tableLayout {
	l := tableLayout{cells: cells, narrow: cells < 60}
	if l.narrow {
		l.shorter = 1
	}
	most := max(8, cells/4) // long names shall not push the figures out
	for w.nameCells(l.shorter) > most && l.shorter < shortest {
		l.shorter++
	}
	l.name = max(6, min(w.nameCells(l.shorter), most))
	rest := cells - markWidth - l.name - 1
	columns := w.columns()
	if cells < leastWide {
		columns = forNarrow(columns)
	}
	// The order does not depend on whether runs go on: a column that moves is lost to the eye.
	switch n, first := len(w.progress()), w.outcomeCount(); {
	case l.narrow:
		columns = slices.Concat(columns[:1], columns[n:])
	default:
		columns = slices.Concat(columns[n:n+first], columns[:n], columns[n+first:])
	}
	for _, c := range columns {
		lacking := c.rare && !panel.EvalFigure(c.best.Name).Over(w.Runs.Tracks).Applies() ||
			c.beside && cells < leastBeside
		if lacking || c.change != nil && w.Runs.Baseline < 0 {
			continue
		}
		if c.change != nil && cells >= leastBeside {
			c.Head = c.whole
		}
		if l.narrow { // c is a copy: the columns themselves keep their widths
			c.Width = min(c.Width, 7)
		} else {
			c.Width = max(c.Width, cell.Width(w.Theme.Greek(c.Head))+1)
		}
		if rest < c.Width || len(l.columns) >= mainColumns && rest-c.Width <= leastBar+leastBar {
			break
		}
		rest -= c.Width
		l.columns = append(l.columns, c)
		if state := w.stateCells(cells); len(l.columns) == w.outcomeCount() &&
			rest >= state+leastBar {
			l.state = state // after those that matter most
			rest -= state
		}
	}
	if rest >= leastBar+1 {
		l.bar = min(mostBar, rest-1)
	}
	l.columns = besideTheirs(l.columns)
	l.marks = w.bests(l.columns)
	return l
}

// stateText writes the status of a run in a table of so many cells.
func (w *Page) stateText(t *panel.Track, cells int) string {
	if !t.Planned() && t.Meta.Imported != nil {
		return fmt.Sprintf("step %d", t.Step)
	}
	return lab.RunWords(t.Meta, t.Status, nil, w.knownAgo(t), cells >= leastBeside)
}

// stateCells returns the width of the states in a table of so many cells.
func (w *Page) stateCells(cells int) int {
	state := stateWidth
	for _, t := range w.Runs.Tracks {
		state = max(state, cell.Width(w.stateText(t, cells))+1)
	}
	return state
}

// besideTheirs puts each column of changes right behind the figures that change.
func besideTheirs(columns []column) (list []column) {
	for _, c := range columns {
		at := slices.IndexFunc(list, func(of column) bool {
			return c.change != nil && of.best != nil && of.best.Name == c.change.Name
		})
		if at < 0 {
			at = len(list) - 1
		}
		list = slices.Insert(list, at+1, c)
	}
	return list
}

// bests returns the row with the best value of each column that has one, of the rows that the story
// counts; -1 for none. Values count as equal if they are written alike: a mark on one of two equal
// figures would be a riddle.
func (w *Page) bests(columns []column) []int {
	marks := make([]int, len(columns))
	for i, c := range columns {
		marks[i] = -1
		if c.best != nil && w.Runs.Comparable(c.best) {
			marks[i] = w.leads(c.best, w.clockFigure(c.best.Name))
		}
	}
	return marks
}

// leads returns the row whose figure is best; -1 for none, and for several alike.
func (w *Page) leads(m *measure.Measure, figure func([]*panel.Track) measure.Number) int {
	counts := func(t *panel.Track) bool { return w.Runs.Clock.Ranks(t.Meta) }
	values := lists.Map(w.Runs.Rows(), func(row []int) (v measure.Number) {
		if runs := w.Runs.InRow(row); slices.ContainsFunc(runs, counts) {
			v = figure(runs)
		}
		return v
	})
	return measure.LeaderIndex(values, m.Better == dro.Higher,
		func(n measure.Number) string { return lab.Write(*m, n) })
}

// withClock puts the clock of all figures of evaluations at the end of the heads before them. Where
// there is no room beside these, it takes their place; they explain themselves.
func (w *Page) withClock(head, name string) string {
	clock := w.Runs.Clock
	if len(clock.Epochs) == 0 {
		return head
	}
	cells, brief := cell.Width(head), fmt.Sprintf("@%.4g", clock.Epoch())
	if len(clock.Epochs) > 1 {
		brief = fmt.Sprintf("@%.4g–%.4g", clock.Epochs[0], clock.Epoch())
	}
	before := []string{strings.TrimRight(head, " "), "", ""}
	if name != "run" { // it says which rows are shown
		before[1], before[2] = " "+name, " "+name
	}
	if head := strings.TrimSuffix(before[0], "progress"); head != before[0] {
		before = slices.Insert(before, 1, strings.TrimRight(head, " "))
	}
	for _, text := range []string{clock.String(), brief} {
		for _, b := range before {
			if left := cells - cell.Width(b) - cell.Width(text); left > 1 {
				return b + kit.Blanks(left) + text
			}
		}
	}
	return kit.Left(" "+brief, cells)
}

// shortest is the last form of rowName.
const shortest = 3

// warningBadge stands before the number of warnings behind the name of a row.
const warningBadge = " " + cell.Warning

// rowName returns the name of a row; for seeds, it is their common name and their number. From form
// 1 on a single run goes without its seed, unless seeds are shown apart, and from form 2 on names
// go without what they share. The number behind "!" says how often the row's runs have warned; row
// cuts the name and not this number.
func (w *Page) rowName(row []int, form int) string {
	t := w.Runs.Tracks[row[0]]
	name, warned, short := t.Name(), 0, t.Short
	if n := min(form-1, len(t.Briefs)); n > 0 {
		short = t.Briefs[n-1]
	}
	switch {
	case form > 0 && len(row) == 1 && !w.Runs.EachSeed:
		name = short
	case len(row) > 1:
		name = fmt.Sprintf("%s %s%s", short, page.N(len(row)), t.Uses)
	}
	for _, t := range w.Runs.InRow(row) {
		warned += t.Warned
	}
	if warned > 0 {
		name += fmt.Sprintf("%s%d", warningBadge, warned)
	}
	return name
}

// nameCells returns the width of the longest name in a form, in cells.
func (w *Page) nameCells(form int) (cells int) {
	for _, row := range w.Runs.Rows() {
		cells = max(cells, cell.Width(w.rowName(row, form)))
	}
	return cells
}

// firstRow returns the first row that a table of h lines shows. The row under the cursor is always
// shown, and there are no blank lines below the last. A click depends on it, too.
func (w *Page) firstRow(h int) int {
	return max(0, w.Runs.RowAt()+1-max(1, h-1))
}

// table draws a line of heads and one for each row, in exactly r's size. Where rows are hidden,
// the head of the first column tells which are shown.
func (w *Page) table(r kit.Rect) []string {
	t, l, rows := w.Theme, w.layTable(r.W), w.Runs.Rows()
	// The head is put together as a row is, part by part, or they would not stand in line.
	first := w.firstRow(r.H)
	name := "run"
	inView := page.Indices(len(rows))[first:min(len(rows), first+max(0, r.H-1))]
	if len(inView) < len(rows) { // more than there is room for
		name = fmt.Sprintf("%d–%d/%d", first+1, first+len(inView), len(rows))
	}
	head := kit.Blanks(markWidth) + kit.Left(name, l.name)
	if l.state > 0 {
		head += " " + kit.Left("state", l.state-1)
	}
	if l.bar > 0 {
		head += " " + kit.Left("progress", l.bar)
	}
	head = w.withClock(head, name)
	grid := t.Grid(w.fields(l).Table(inView, nil), r.W, 1)
	lines := []string{t.Dim.Paint(t.Greek(kit.Left(head+grid.Head(nil), r.W)))}
	for k, i := range inView {
		lines = append(lines, kit.Left(w.row(rows[i], l)+grid.Line(k, nil), r.W))
	}
	return kit.Fill(lines, r.W, r.H)
}

// fields returns the columns of the layout as they are drawn: the cells of rows, by index, with the
// marks of the best.
func (w *Page) fields(l tableLayout) (list page.Fields[int]) {
	rows, best := w.Runs.Rows(), w.Theme.Best
	for k, c := range l.columns {
		f := page.Field[int]{Column: c.Column,
			Cell: func(i int) string { return c.Cell(w.Runs.InRow(rows[i])) }}
		if l.narrow && c.Brief != "" {
			f.Head = c.Brief
		}
		if c.best != nil {
			f.Tone = func(text string) page.Tone {
				if strings.HasSuffix(text, best) {
					return page.Good
				}
				return ""
			}
			f.Cell = func(i int) string {
				mark := " " // where others have the mark, so that digits stand in line
				if l.marks[k] == i {
					mark = best
				}
				return c.Cell(w.Runs.InRow(rows[i])) + mark
			}
		}
		f.Width-- // the gap
		list = append(list, f)
	}
	return list
}

// row draws one row without its figures: a run, or some that differ in seed alone. Colour is never
// all that tells: a run has a mark, a state its glyph, and a change its sign.
func (w *Page) row(runs []int, l tableLayout) string {
	t, run := w.Theme, w.Runs.Tracks[runs[0]]
	slowest := panel.Slowest(w.Runs.InRow(runs))
	glyph, style, _ := lab.StateKnown(t, slowest.Status, w.knownAgo(slowest))
	series, mark := t.Line(run.Number), t.Mark(run.Number)
	if run.Hidden {
		series, mark = t.Dim, ""
	}
	cursor, name := " ", t.Text
	if slices.Contains(runs, w.Runs.Cursor) {
		cursor, name = t.Cursor, t.Title
	}
	text, badge, warned := strings.Cut(w.rowName(runs, l.shorter), warningBadge)
	if warned {
		badge = warningBadge + badge
	}
	text = cell.Middle(t.Greek(text), l.name-len(badge)) // its end tells runs apart, too
	s := cursor + " " + series.Paint(kit.Left(mark, 2)) + style.Paint(glyph) + " "
	s += name.Paint(text) + t.Warn.Paint(badge) + kit.Blanks(l.name-cell.Width(text)-len(badge))
	if l.state > 0 {
		s += " " + style.Paint(kit.Left(w.stateText(slowest, l.cells), l.state-1))
	}
	switch {
	case l.bar > 0 && slowest.Planned():
		s += " " + t.Progress(slowest.Done(), l.bar, series)
	case l.bar > 0:
		s += kit.Blanks(1 + l.bar)
	}
	return s
}
