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
	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/plot"
)

// column is one of the table of runs: of a row of seeds it has the mean.
type column struct {
	head  string
	brief string // the head where the table is narrow; "" is the same
	w     int
	cell  func([]*track) string
	// of is the measure that rows are compared by, where the best is marked; change is
	// that of a column of changes, which are better or worse.
	of, change *lab.Measure
}

// figure is a measure of a run, as it is now.
type figure func(*track) runner.Number

// over is the mean of a figure over runs.
func (f figure) over(runs []*track) runner.Number {
	list := make([]runner.Number, len(runs))
	for i, t := range runs {
		list[i] = f(t)
	}
	return mean(list)
}

// ofStep and ofEval are figures of the last step and of the last evaluation.
func ofStep(name string) figure {
	return func(t *track) (v runner.Number) {
		if t.Last != nil {
			v, _, _ = lab.OfStep(t.Last, name)
		}
		return v
	}
}

func ofEval(name string) figure {
	return func(t *track) (v runner.Number) {
		if t.Eval != nil {
			v = t.Eval.Of(t.meta.Fit(name))
		}
		return v
	}
}

// against is the column of a figure's change against the baseline.
func (w *Page) against(m lab.Measure, f figure) column {
	c := column{head: "vs " + w.baselineName(), brief: "vs", w: 8, change: &m}
	c.cell = func(runs []*track) string {
		if w.baseline < 0 || slices.Contains(runs, w.tracks[w.baseline]) ||
			runs[0].asks[m.Asks] != w.tracks[w.baseline].asks[m.Asks] {
			return ""
		}
		base := w.of(w.rowOf(w.baseline))
		a, b := f.over(runs), f.over(base)
		if !a.Applies() || !b.Applies() {
			return ""
		}
		d := a.Float() - b.Float()
		s := decimals(d)
		if percents(m) {
			s = plot.Percent(d)
		}
		if d > 0 {
			s = "+" + s
		}
		return s
	}
	return c
}

// decimals writes a loss with three of them, so that losses stand in line.
func decimals(v float64) string {
	if a := math.Abs(v); a >= 100 || math.IsNaN(v) {
		return plot.Format(v)
	}
	return strconv.FormatFloat(v, 'f', 3, 64)
}

func (w *Page) baselineName() string {
	if w.baseline < 0 || w.baseline >= len(w.tracks) {
		return "none"
	}
	return w.tracks[w.baseline].short
}

// outcome are the columns that say what it comes to: worst class and robust risk, with
// the change against the baseline and the best marked.
func (w *Page) outcome() []column {
	all := lab.EvalMeasures()
	worst, risk := lab.Named(all, w.onSplit("worst_class_accuracy")), lab.Named(all, w.onSplit("robust_risk"))
	write := func(m lab.Measure, f figure) func([]*track) string {
		return func(runs []*track) string {
			if v := f.over(runs); !percents(m) && v.Applies() {
				return decimals(v.Float())
			}
			return lab.Write(m, f.over(runs))
		}
	}
	a, b := ofEval(worst.Name), ofEval(risk.Name)
	first, second := w.bySplit("worst %", "val worst"), w.bySplit("robust risk", "val risk")
	return []column{
		{head: first, brief: "worst", w: max(9, len(first)+1), cell: write(worst, a), of: &worst},
		w.against(worst, a),
		{head: second, brief: "risk", w: 13, cell: write(risk, b), of: &risk},
		w.against(risk, b)}
}

// onSplit is a measure of the test split, or what it is on the validation split where
// that is shown.
func (w *Page) onSplit(name string) string {
	return w.bySplit(name, "val_"+strings.TrimPrefix(name, "test_"))
}

// bySplit is one of two words, by the split that is shown.
func (w *Page) bySplit(test, val string) string {
	if w.val {
		return val
	}
	return test
}

// setColumns makes the table that of the runs, the baseline and the split.
func (w *Page) setColumns() {
	w.columns = w.columnsOf(w.methods())
	w.risk = lab.Named(lab.EvalMeasures(), w.onSplit("robust_risk"))
}

// columnsOf are those of the table for runs of the methods, the ones to leave out
// first at the end.
func (w *Page) columnsOf(methods []dro.Algorithm) []column {
	step := func(head string, width int, name string) column {
		m := lab.Named(lab.StepMeasures(), name)
		return column{head: head, w: width, cell: func(runs []*track) string {
			return lab.Write(m, ofStep(name).over(runs))
		}}
	}
	eval := func(head string, width int, name string) column {
		m := lab.Named(lab.EvalMeasures(), name)
		return column{head: head, w: width, cell: func(runs []*track) string {
			return lab.Write(m, ofEval(name).over(runs))
		}}
	}
	list := append(progress(), w.outcome()...)
	if w.validates && !w.val { // which run is best there
		m := lab.Named(lab.EvalMeasures(), "val_worst_class_accuracy")
		list = append(list, column{head: "val worst", brief: "val", w: 11, of: &m,
			cell: func(runs []*track) string { return lab.Write(m, ofEval(m.Name).over(runs)) }})
	}
	list = append(list,
		eval(w.bySplit("test %", "val %"), 8, w.onSplit("test_accuracy")),
		eval("dual gap", 10, "dual_gap"),
		eval(w.bySplit("test loss", "val loss"), 10, w.onSplit("test_loss")),
		step("λ", 8, "lambda"), // lines have theirs at their ends, too
		step("η", 9, "eta"),
		step("train loss", 11, "loss"),
		step("images/s", 9, "images_per_second"),
		column{head: "epoch", w: 10, cell: func(runs []*track) string {
			t := runs[0]
			return fmt.Sprintf("%.4g/%d", t.epochs(float64(t.Step)), t.meta.Spec.Epochs)
		}})
	there := []string{"loss", "lambda", "eta"}
	for _, m := range lab.StepMeasures() { // what the methods have of their own
		if m.Main && !slices.Contains(there, m.Name) && m.OfStep() && ownedBy(&m, methods) {
			list = append(list, step(m.Head(), max(8, cell.Width(m.Head())+2), m.Name))
		}
	}
	return list
}

// progress are the columns of how far runs are: of several, the one that takes longest.
func progress() []column {
	return []column{
		{head: "done", w: 6, cell: func(runs []*track) string {
			least := 1.0
			for _, t := range runs {
				least = min(least, t.progress())
			}
			return fmt.Sprintf("%.0f%%", 100*least)
		}},
		{head: "ETA", w: 8, cell: func(runs []*track) string {
			longest := time.Duration(-1)
			for _, t := range runs {
				if d, ok := t.Remaining(); ok {
					longest = max(longest, d)
				}
			}
			if longest < 0 {
				return "–"
			}
			return kit.Clock(longest)
		}},
	}
}

// Widths of the table's fixed parts.
const (
	markWidth  = 6  // cursor, glyph of the curves, glyph of the state, blanks
	stateWidth = 11 // the state's name
	leastBar   = 8
	// mainColumns come before the bar, the others after it.
	mainColumns = 9
	mostBar     = 40
)

// tableLayout is what the table has room for.
type tableLayout struct {
	name, state, bar int
	columns          []column
	marks            []int // the row with the best value, by column; -1 for none
	narrow           bool
}

// outcomes is how many columns say what it comes to, test % among them.
func (w *Page) outcomes() int {
	if w.validates && !w.val {
		return 6
	}
	return 5
}

func (w *Page) layTable(cells int) tableLayout {
	l := tableLayout{name: 6, narrow: cells < 60}
	for _, row := range w.rows() {
		l.name = max(l.name, cell.Width(w.rowName(row, l.narrow)))
	}
	l.name = min(l.name, max(8, cells/4))
	rest := cells - markWidth - l.name - 1
	columns := w.columns
	going := slices.ContainsFunc(w.tracks, func(t *track) bool { return !t.Status.Ended() })
	switch n, first := len(progress()), w.outcomes(); {
	case !going: // how far they are matters least
		columns = slices.Concat(columns[n:n+first], columns[:n], columns[n+first:])
	case l.narrow:
		columns = slices.Concat(columns[:1], columns[n:])
	}
	for _, c := range columns {
		if l.narrow {
			c.w = min(c.w, 7)
		}
		if rest < c.w || len(l.columns) >= mainColumns && rest-c.w <= leastBar+leastBar {
			break
		}
		rest -= c.w
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

// bests are the rows with the best value of each column that has one: -1 for none.
func (w *Page) bests(columns []column) []int {
	marks := make([]int, len(columns))
	for i, c := range columns {
		if marks[i] = -1; c.of == nil {
			continue
		}
		var values []runner.Number
		written := map[string]bool{}
		if !w.comparable(c.of) {
			continue
		}
		for _, row := range w.rows() {
			v := ofEval(c.of.Name).over(w.of(row))
			if values = append(values, v); v.Applies() {
				written[c.cell(w.of(row))] = true
			}
		}
		if len(written) > 1 { // the best of one says nothing, nor that of several alike
			marks[i] = runner.Worst(values, c.of.Better == dro.Higher)
		}
	}
	return marks
}

// rowOf are the runs of the row that a run is in.
func (w *Page) rowOf(run int) []int {
	for _, row := range w.rows() {
		if slices.Contains(row, run) {
			return row
		}
	}
	return []int{run}
}

// rowName is what a row is called: seeds by what they have in common.
func (w *Page) rowName(row []int, narrow bool) string {
	t := w.tracks[row[0]]
	name, warned := t.name(), 0
	switch {
	case narrow && len(row) == 1 && !w.eachSeed:
		name = t.short
	case len(row) > 1:
		name = fmt.Sprintf("%s ×%d%s", t.short, len(row), t.uses)
	}
	for _, t := range w.of(row) {
		warned += t.warned
	}
	if warned > 0 {
		name += fmt.Sprintf(" !%d", warned)
	}
	return name
}

// firstRow is the first run that a table of h lines shows: the cursor's is
// always among them.
func (w *Page) firstRow(h int) int {
	rows, at := max(1, h-1), w.rowAt()
	return max(0, min(max(w.top, at-rows+1), at, len(w.rows())-rows))
}

// table draws a line of heads and one for each row.
func (w *Page) table(r kit.Rect) []string {
	t, l, rows := w.Theme, w.layTable(r.W), w.rows()
	first := w.firstRow(r.H)
	name := "run"
	if shown := max(0, r.H-1); shown < len(rows) { // more than there is room for
		name = fmt.Sprintf("%d–%d/%d", first+1, first+shown, len(rows))
	}
	head := kit.Blanks(markWidth) + kit.Left(name, l.name)
	if l.state > 0 {
		head += " " + kit.Left("state", l.state-1)
	}
	if l.bar > 0 {
		head += " " + kit.Left("progress", l.bar)
	}
	for _, c := range l.columns {
		text := c.head
		if l.narrow && c.brief != "" {
			text = c.brief
		}
		head += kit.Right(t.Greek(text), c.w)
	}
	lines := []string{t.Dim.Paint(t.Greek(kit.Left(head, r.W)))}
	for i := first; i < len(rows) && len(lines) < r.H; i++ {
		lines = append(lines, w.row(i, rows[i], l, r.W))
	}
	return kit.Fill(lines, r.W, r.H)
}

// row draws one row: a run, or some that differ in seed alone.
func (w *Page) row(i int, runs []int, l tableLayout, cells int) string {
	t, run := w.Theme, w.tracks[runs[0]]
	state, running := w.state(runs)
	glyph, style := lab.State(t, state)
	series, mark := t.Series[run.number], string(t.Marks[run.number])
	if run.hidden {
		series, mark = t.Dim, " "
	}
	cursor, name := " ", t.Text
	if slices.Contains(runs, w.at) {
		cursor, name = t.Cursor, t.Title
	}
	text, badge, warned := strings.Cut(w.rowName(runs, l.narrow), " !")
	if warned {
		badge = " !" + badge
	}
	text = cell.Cut(t.Greek(text), l.name-len(badge))
	s := cursor + " " + series.Paint(mark) + " " + style.Paint(glyph) + " " + name.Paint(text) +
		t.Warn.Paint(badge) +
		kit.Blanks(l.name-cell.Width(text)-len(badge))
	if l.state > 0 {
		s += " " + style.Paint(kit.Left(string(state), l.state-1))
	}
	if l.bar > 0 {
		s += " " + t.Progress(running, l.bar, series)
	}
	for c, column := range l.columns {
		text, st := t.Greek(column.cell(w.of(runs))), t.Text
		switch {
		case l.marks[c] == i:
			text, st = text+t.Best, t.Good
		case column.of != nil:
			text += " "
		case column.change != nil && strings.ContainsAny(text, "123456789"):
			if st = t.Good; (text[0] == '-') == (column.change.Better == dro.Higher) {
				st = t.Bad
			}
		}
		s += st.Paint(kit.Right(text, column.w))
	}
	return kit.Left(s, cells)
}

// state is that of the first run of a row that has not ended, and how far all are.
func (w *Page) state(runs []int) (s runner.Status, part float64) {
	s = w.tracks[runs[0]].Status
	for _, t := range w.of(runs) {
		part += t.progress() / float64(len(runs))
	}
	for _, t := range w.of(runs) {
		if !t.Status.Ended() {
			return t.Status, part
		}
	}
	return s, part
}
