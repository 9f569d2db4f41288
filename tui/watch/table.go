package watch

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/plot"
	"drolab/tui/watch/panel"
)

// Widths of the table's fixed parts, in cells.
const (
	markWidth  = 6  // cursor, glyph of the curves, glyph of the state, blanks
	stateWidth = 11 // the state's name
	leastBar   = 8  // of progress: less could not show a tenth
	// mainColumns is the number of columns that get room before the bar; the others get it after.
	mainColumns = 9
	mostBar     = 40
)

// tableLayout is the layout of the table in so many cells. It is made for each drawing and thrown
// away.
type tableLayout struct {
	name, state, bar int // widths in cells; 0 for a part that is left out
	columns          []column
	marks            []int // the row with the best value, by column; -1 for none
	narrow           bool
	shorter          int // the form of the names, see rowName
}

// leastWide is the least width of a table with all heads in full. In a narrower table λ and η come
// right behind the figures that the methods are made for.
const leastWide = 100

// forNarrow returns the columns for a table narrower than leastWide: heads in brief, and λ and η
// before the change of the risk.
func forNarrow(columns []column) (list []column) {
	dual := func(c column) bool { return c.Head == "λ" || c.Head == "η" }
	for i, c := range columns {
		if c.Brief != "" && c.change == nil {
			c.Head, c.Width = c.Brief, max(8, cell.Width(c.Brief)+2)
		}
		if dual(c) {
			continue
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

// outcomes returns the number of columns that say what a run comes to, test % among them. It counts
// the columns that columnsOf puts behind progress, and must follow it.
func (w *Page) outcomes() int {
	if w.Validates && !w.Val {
		return 6
	}
	return 5
}

// layTable decides what the table of so many cells shows. Columns are taken from the front until
// one does not fit, and none that comes later is taken in its place. So a narrower screen shows
// less of the same: what runs come to, then how far they are.
func (w *Page) layTable(cells int) tableLayout {
	l := tableLayout{narrow: cells < 60}
	if l.narrow {
		l.shorter = 1
	}
	most := max(8, cells/4) // long names shall not push the figures out
	for w.nameCells(l.shorter) > most && l.shorter < shortest {
		l.shorter++
	}
	l.name = max(6, min(w.nameCells(l.shorter), most))
	rest := cells - markWidth - l.name - 1
	columns := w.columns
	if cells < leastWide {
		columns = forNarrow(columns)
	}
	// The order does not depend on whether runs go on: a column that moves is lost to the eye.
	switch n, first := len(w.progress()), w.outcomes(); {
	case l.narrow:
		columns = slices.Concat(columns[:1], columns[n:])
	default:
		columns = slices.Concat(columns[n:n+first], columns[:n], columns[n+first:])
	}
	for _, c := range columns {
		lacking := c.rare && !panel.OfEval(c.best.Name).Over(w.Tracks).Applies()
		if lacking || c.change != nil && w.Baseline < 0 {
			continue
		}
		if l.narrow { // c is a copy: the columns themselves keep their widths
			c.Width = min(c.Width, 7)
		}
		if rest < c.Width || len(l.columns) >= mainColumns && rest-c.Width <= leastBar+leastBar {
			break
		}
		rest -= c.Width
		l.columns = append(l.columns, c)
		if len(l.columns) == w.outcomes()+1 && rest >= stateWidth+leastBar {
			l.state = stateWidth // after those that matter most
			rest -= stateWidth
		}
	}
	if rest >= leastBar+1 {
		l.bar = min(mostBar, rest-1)
	}
	l.marks = w.bests(l.columns)
	return l
}

// bests returns the row with the best value of each column that has one, at the last epoch that all
// runs have; -1 for none. Values count as equal if they are written alike: a mark on one of two
// equal figures would be a riddle. So would a mark on a figure while a run that is further along
// shows one as good.
func (w *Page) bests(columns []column) []int {
	marks := make([]int, len(columns))
	for i, c := range columns {
		if marks[i] = -1; c.best != nil && w.Comparable(c.best) {
			marks[i] = w.leads(c.best, panel.OfEvalAt(c.best.Name, w.Epoch))
			if w.leads(c.best, panel.OfEval(c.best.Name)) != marks[i] {
				marks[i] = -1
			}
		}
	}
	return marks
}

// leads returns the row whose figure is best; -1 for none, and for several alike.
func (w *Page) leads(m *lab.Measure, figure panel.Figure) int {
	values := kit.Map(w.Rows(), func(row []int) measure.Number { return figure.Over(w.Of(row)) })
	return measure.LeaderIndex(values, m.Better == dro.Higher,
		func(n measure.Number) string { return lab.Write(*m, n) })
}

// epochMark names the epoch at which runs are compared, behind the head of what compares them.
func (w *Page) epochMark() string {
	if w.Epoch == 0 {
		return ""
	}
	return fmt.Sprintf("@%.4g", w.Epoch)
}

// shortest is the last form of rowName.
const shortest = 3

// rowName returns the name of a row; for seeds, it is their common name and their number. From form
// 1 on a single run goes without its seed, unless seeds are shown apart, and from form 2 on names
// go without what they share. The number behind "!" says how often the row's runs have warned; row
// cuts the name and not this number.
func (w *Page) rowName(row []int, form int) string {
	t := w.Tracks[row[0]]
	name, warned, short := t.Name(), 0, t.Short
	if n := min(form-1, len(t.Briefs)); n > 0 {
		short = t.Briefs[n-1]
	}
	switch {
	case form > 0 && len(row) == 1 && !w.EachSeed:
		name = short
	case len(row) > 1:
		name = fmt.Sprintf("%s ×%d%s", short, len(row), t.Uses)
	}
	for _, t := range w.Of(row) {
		warned += t.Warned
	}
	if warned > 0 {
		name += fmt.Sprintf(" !%d", warned)
	}
	return name
}

// nameCells returns the width of the longest name in a form, in cells.
func (w *Page) nameCells(form int) (cells int) {
	for _, row := range w.Rows() {
		cells = max(cells, cell.Width(w.rowName(row, form)))
	}
	return cells
}

// firstRow returns the first row that a table of h lines shows. The row under the cursor is always
// shown, and there are no blank lines below the last. A click depends on it, too.
func (w *Page) firstRow(h int) int {
	return max(0, w.RowAt()+1-max(1, h-1))
}

// table draws a line of heads and one for each row, in exactly r's size. Where rows are hidden,
// the head of the first column tells which are shown.
func (w *Page) table(r kit.Rect) []string {
	t, l, rows := w.Theme, w.layTable(r.W), w.Rows()
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
	rows, best := w.Rows(), w.Theme.Best
	for k, c := range l.columns {
		f := page.Field[int]{Column: c.Column,
			Cell: func(i int) string { return c.Cell(w.Of(rows[i])) }}
		if l.narrow && c.Brief != "" {
			f.Head = c.Brief
		}
		if c.change != nil && panel.Percents(*c.change) { // the epoch is that of both changes
			f.Head = cell.Cut(f.Head, c.Width-1-len(w.epochMark())) + w.epochMark()
		}
		if c.best != nil {
			f.Tone = func(text string) page.Tone {
				return map[bool]page.Tone{true: page.Good}[strings.HasSuffix(text, best)]
			}
			f.Cell = func(i int) string {
				mark := " " // where others have the mark, so that digits stand in line
				if l.marks[k] == i {
					mark = best
				}
				return c.Cell(w.Of(rows[i])) + mark
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
	t, run := w.Theme, w.Tracks[runs[0]]
	state, running := w.state(runs)
	glyph, style := lab.State(t, state)
	series, mark := t.Line(run.Number), t.Mark(run.Number)
	if run.Hidden {
		series, mark = t.Dim, " "
	}
	cursor, name := " ", t.Text
	if slices.Contains(runs, w.At) {
		cursor, name = t.Cursor, t.Title
	}
	text, badge, warned := strings.Cut(w.rowName(runs, l.shorter), " !")
	if warned {
		badge = " !" + badge
	}
	text = cell.Middle(t.Greek(text), l.name-len(badge)) // its end tells runs apart, too
	s := cursor + " " + series.Paint(mark) + " " + style.Paint(glyph) + " " + name.Paint(text) +
		t.Warn.Paint(badge) + kit.Blanks(l.name-cell.Width(text)-len(badge))
	if l.state > 0 {
		s += " " + style.Paint(kit.Left(string(state), l.state-1))
	}
	if l.bar > 0 {
		s += " " + t.Progress(running, l.bar, series)
	}
	return s
}

// state returns the status of the first run of a row that has not ended, or else of its first run,
// and the mean progress of the row's runs, 0 to 1. A row of seeds goes on as long as one of its
// runs does.
func (w *Page) state(runs []int) (s runner.Status, part float64) {
	list := w.Of(runs)
	for _, t := range list {
		part += t.Done() / float64(len(list))
	}
	live := func(t *panel.Track) bool { return !t.Status.Ended() }
	return list[max(0, slices.IndexFunc(list, live))].Status, part
}

// column is a column of the table of runs. A row with several seeds shows their mean. A column
// holds no figures: cell reads the tracks at each drawing, so new columns are needed only when the
// set of runs changes.
type column struct {
	// Field has the width with the blank before it and room for the mark of the best.
	page.Field[[]*panel.Track]
	// best is the measure of a column whose best row is marked; change is the measure of a column
	// of changes against the baseline.
	best, change *lab.Measure
	rare         bool // left out until a run has the measure
}

// newColumn returns a column that shows a measure, or none.
func newColumn(head string, w int, m *lab.Measure, cell func([]*panel.Track) string) (c column) {
	c.Head, c.Width, c.Cell = head, w, cell
	if m != nil {
		c.Measure = &m.Measure
	}
	return c
}

// againstCells is the width of a column of changes: a blank, a sign and a number. The baseline's
// name in the head is cut to it. A column of percentages has atCells more, or what the
// epoch needs: "@12".
const againstCells, atCells = 8, 3

// against returns the column of a measure's change against the baseline, at the common epoch. The
// cell is blank where a difference would mean nothing: for the baseline itself, before an
// evaluation, and where the two runs ask for different risks. It is blank for a run that is
// further, too, because the figure beside the cell is that of a later epoch.
func (w *Page) against(m lab.Measure) column {
	c := newColumn("", againstCells, nil, nil)
	c.change, c.Tone = &m, kit.Change(m.Better == dro.Higher)
	if panel.Percents(m) {
		c.Width += max(atCells, cell.Width(w.epochMark()))
	}
	if w.Baseline >= 0 {
		c.Head, c.Brief = "vs "+w.Tracks[w.Baseline].ShortName(againstCells-len(" vs ")), "vs"
	}
	c.Cell = func(runs []*panel.Track) string {
		base := w.baseOf(runs, &m)
		epoch := w.Epoch
		elsewhere := func(t *panel.Track) bool { return !t.EndsAt(epoch) }
		lacks := func(t *panel.Track) bool { return t.EvalAt(epoch) == nil }
		if base == nil || base[0] == runs[0] || slices.ContainsFunc(runs, elsewhere) ||
			slices.ContainsFunc(base, lacks) {
			return ""
		}
		f := panel.OfEvalAt(m.Name, epoch)
		a, b := f.Over(runs), f.Over(base)
		if !a.Applies() || !b.Applies() {
			return ""
		}
		return signed(m, a.Float()-b.Float())
	}
	return c
}

// signed writes a difference in a measure, with its sign.
func signed(m lab.Measure, d float64) string {
	text := written(m, measure.Num(d))
	if d > 0 {
		text = "+" + text
	}
	return text
}

// written writes a value of a measure. lab.Write chooses the digits for each loss alone, so a
// column of losses would not line up.
func written(m lab.Measure, v measure.Number) string {
	if !panel.Percents(m) && v.Applies() {
		return decimals(v.Float())
	}
	return lab.Write(m, v)
}

// baseOf returns the row that the runs are compared with, which is the same for all measures: the
// baseline's row. If the baseline has another radius or uncertainty set, it is the row of the same
// method that has the runs' own. It is nil if no row can be compared in the measure m.
func (w *Page) baseOf(runs []*panel.Track, m *lab.Measure) []*panel.Track {
	if w.Baseline < 0 {
		return nil
	}
	base := w.Tracks[w.Baseline]
	// Of the two measures with a column of changes, the risk restricts the choice more. Asking it
	// for both keeps both columns against the same run.
	asks := w.risk.Asks
	fits := func(t *panel.Track) bool {
		return t.Asks[asks] == runs[0].Asks[asks] &&
			t.Meta.Spec.Algorithm() == base.Meta.Spec.Algorithm()
	}
	at := w.Baseline
	// In a sweep over radii each run is compared with the baseline at its own radius.
	if !fits(base) {
		if same := slices.IndexFunc(w.Tracks, fits); same >= 0 {
			at = same
		}
	}
	if w.Tracks[at].Asks[m.Asks] != runs[0].Asks[m.Asks] {
		return nil
	}
	return w.Of(w.RowOf(at))
}

// decimals writes a loss with three decimals, so that losses line up. A loss of 100 or more would
// not fit into its column, so it has the digits of an axis label.
func decimals(v float64) string {
	if a := math.Abs(v); a >= 100 || math.IsNaN(v) {
		return plot.Format(v)
	}
	return strconv.FormatFloat(v, 'f', 3, 64)
}

// outcome returns the columns of the two measures that the methods are made for, the accuracy of
// the worst class and the robust risk, each with its change against the baseline. They are on the
// narrowest screen; the mean accuracy comes after them.
func (w *Page) outcome() []column {
	all := lab.EvalMeasures()
	worst := lab.Named(all, w.onSplit("worst_class_accuracy"))
	risk := lab.Named(all, w.onSplit("robust_risk"))
	made := func(head, brief string, width int, m *lab.Measure) column {
		f := panel.OfEval(m.Name)
		c := newColumn(head, width, m,
			func(runs []*panel.Track) string { return written(*m, f.Over(runs)) })
		c.Brief, c.best = brief, m
		return c
	}
	first, second := w.bySplit("worst %", "val worst"), w.bySplit("robust risk", "val risk")
	return []column{made(first, "worst", max(9, len(first)+1), &worst), w.against(worst),
		made(second, "risk", 13, &risk), w.against(risk)}
}

// onSplit returns the name of a measure on the split that is shown. On the validation split the
// prefix val_ replaces test_, or stands before a name without it.
func (w *Page) onSplit(name string) string {
	return w.bySplit(name, "val_"+strings.TrimPrefix(name, "test_"))
}

// bySplit returns the word for the split that is shown. Without a validation split that is always
// the test split: Board.Furnish sees to it.
func (w *Page) bySplit(test, val string) string {
	if w.Val {
		return val
	}
	return test
}

// setColumns makes the columns anew for the runs, the baseline and the split. The heads name the
// baseline and the split, so a change of either needs new columns.
func (w *Page) setColumns() {
	w.updateStory()
	steps := lab.StepMeasures()
	w.columns = slices.DeleteFunc(w.columnsOf(w.Methods(), steps),
		func(c column) bool { return w.applyToNone(c, steps) })
	w.risk = lab.Named(lab.EvalMeasures(), w.onSplit("robust_risk"))
}

// columnsOf returns the columns of the table for runs of the methods, the most important first: a
// narrow table drops columns from the end. layTable relies on the number of leading columns
// (progress and outcomes).
func (w *Page) columnsOf(methods []dro.Algorithm, steps []lab.Measure) []column {
	evals := lab.EvalMeasures()
	// A figure of a step comes from one batch. It is noisy, so no best is marked in its column.
	figure := func(head string, width int, m lab.Measure, f panel.Figure) column {
		return newColumn(head, width, &m,
			func(runs []*panel.Track) string { return lab.Write(m, f.Over(runs)) })
	}
	step := func(head string, width int, name string) column {
		return figure(head, width, lab.Named(steps, name), panel.OfStep(name))
	}
	eval := func(head string, width int, name string) column {
		return figure(head, width, lab.Named(evals, name), panel.OfEval(name))
	}
	list := append(w.progress(), w.outcome()...)
	// Choosing a run by its test figures would spoil them; this column is for that choice.
	if w.Validates && !w.Val {
		m := lab.Named(evals, "val_worst_class_accuracy")
		c := eval("val worst", 11, m.Name)
		c.Brief, c.best = "val", &m
		list = append(list, c)
	}
	list = append(list,
		eval(w.bySplit("test %", "val %"), 8, w.onSplit("test_accuracy")),
		eval("dual gap", 10, "dual_gap"),
		eval(w.bySplit("test loss", "val loss"), 10, w.onSplit("test_loss")),
		step("λ", 8, "lambda"), // the ends of curves show it, too
		step("η", 9, "eta"),
		step("train loss", 11, "loss"),
		step("samples/s", 9, "images_per_second"),
		// The first seed's epoch: a mean over seeds would be the epoch of none.
		newColumn("epoch", 10, nil, func(runs []*panel.Track) string {
			t := runs[0]
			return fmt.Sprintf("%.4g/%d", t.Epochs(float64(t.Step)), t.Meta.Spec.Epochs)
		}))
	there := []string{"loss", "lambda", "eta"} // these have columns already
	for _, m := range steps {                  // the methods' own measures
		if m.Main && !slices.Contains(there, m.Name) && m.OfStep() && panel.OwnedBy(&m, methods) {
			list = append(list, step(m.Head(), max(8, cell.Width(m.Head())+2), m.Name))
		}
	}
	for _, m := range w.Own() { // the programs' own measures
		c := figure(m.Head(), max(8, cell.Width(m.Head())+2), m, panel.OfStep(m.Name))
		if m.Better != dro.Neither {
			c.best = &m
		}
		list = append(list, c)
	}
	for _, d := range measure.Decisions() { // measures that only some data have
		if !d.IsList() {
			m := lab.Named(evals, w.onSplit(d.Name))
			c := figure(w.bySplit("", "val ")+d.Head(), 0, m, panel.OfEval(m.Name))
			c.Width, c.best, c.rare = cell.Width(c.Head)+2, &m, true
			list = append(list, c)
		}
	}
	return list
}

// applyToNone reports whether a column shows a measure of steps that applies to none of the runs,
// such as λ where the uncertainty set is CVaR.
func (w *Page) applyToNone(c column, steps []lab.Measure) bool {
	at := slices.IndexFunc(steps, func(m lab.Measure) bool {
		return c.Measure != nil && m.Name == c.Measure.Name
	})
	return at >= 0 && !slices.ContainsFunc(w.Tracks, func(t *panel.Track) bool {
		return steps[at].CanApply(t.Meta)
	})
}

// progress returns the columns of a row's progress. A row of several seeds shows the seed that is
// furthest from its end.
func (w *Page) progress() []column {
	return []column{
		newColumn("done", 6, nil, func(runs []*panel.Track) string {
			least := 1.0
			for _, t := range runs {
				least = min(least, t.Done())
			}
			return fmt.Sprintf("%.0f%%", 100*least)
		}),
		newColumn("ETA", 9, nil, func(runs []*panel.Track) string {
			longest := time.Duration(-1)
			for _, t := range runs {
				// The clock of a replay says nothing about the time that a run needs.
				if d, ok := t.Remaining(); ok && w.clock == nil {
					longest = max(longest, d)
				}
			}
			if longest < 0 {
				return "–"
			}
			return kit.Clock(longest)
		}),
	}
}
