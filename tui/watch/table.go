package watch

import (
	"fmt"
	"slices"

	"drolab/dro"
	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/lab"
)

// column is one of the table of runs.
type column struct {
	head string
	w    int
	cell func(*track) string
}

// columns are those of the table for runs of the methods, the ones to leave out
// first at the end.
func columns(methods []dro.Algorithm) []column {
	step := func(head string, w int, name string) column {
		m := lab.Named(lab.StepMeasures(), name)
		return column{head, w, func(t *track) string {
			if t.Last == nil {
				return "–"
			}
			v, _, _ := lab.OfStep(t.Last, name)
			return lab.Write(m, v)
		}}
	}
	eval := func(head string, w int, name string) column {
		m := lab.Named(lab.EvalMeasures(), name)
		return column{head, w, func(t *track) string {
			if t.Eval == nil {
				return "–"
			}
			return lab.Write(m, t.Eval.Of(t.meta.Fit(name)))
		}}
	}
	list := []column{
		{"", 5, func(t *track) string { return fmt.Sprintf("%.0f%%", 100*t.progress()) }},
		{"ETA", 8, func(t *track) string {
			if d, ok := t.Remaining(); ok {
				return kit.Clock(d)
			}
			return "–"
		}},
		eval("worst %", 8, "worst_class_accuracy"),
		eval("test %", 7, "test_accuracy"),
		step("train loss", 11, "loss"),
		step("images/s", 9, "images_per_second"),
		step("λ", 8, "lambda"),
		step("η", 8, "eta"),
		eval("test loss", 10, "test_loss"),
		eval("dual gap", 9, "dual_gap"),
		eval("robust risk", 12, "robust_risk"),
		{"epoch", 10, func(t *track) string {
			return fmt.Sprintf("%.4g/%d", t.epochs(float64(t.Step)), t.meta.Spec.Epochs)
		}},
	}
	there := []string{"loss", "lambda", "eta"}
	for _, m := range lab.StepMeasures() { // what the methods have of their own
		if m.Main && !slices.Contains(there, m.Name) && m.OfStep() && ownedBy(&m, methods) {
			list = append(list, step(m.Head(), max(8, cell.Width(m.Head())+2), m.Name))
		}
	}
	return list
}

// Widths of the table's fixed parts.
const (
	markWidth  = 6  // cursor, glyph of the curves, glyph of the state, blanks
	stateWidth = 11 // the state's name
	leastBar   = 8
	mostBar    = 40
)

// tableLayout is what the table has room for.
type tableLayout struct {
	name, state, bar int
	columns          []column
}

func (w *Page) layTable(cells int) tableLayout {
	l := tableLayout{name: 6}
	for _, t := range w.tracks {
		l.name = max(l.name, cell.Width(t.label))
	}
	l.name = min(l.name, max(8, cells/4))
	rest := cells - markWidth - l.name - 1
	for _, c := range w.columns {
		if rest < c.w {
			break
		}
		rest -= c.w
		l.columns = append(l.columns, c)
		if len(l.columns) == 4 && rest >= stateWidth+leastBar {
			l.state = stateWidth // after the four that matter most
			rest -= stateWidth
		}
	}
	if rest >= leastBar+1 {
		l.bar = min(mostBar, rest-1)
	}
	return l
}

// firstRow is the first run that a table of h lines shows: the cursor's is
// always among them.
func (w *Page) firstRow(h int) int {
	rows := max(1, h-1)
	return max(0, min(max(w.top, w.at-rows+1), w.at, len(w.tracks)-rows))
}

// table draws a line of heads and one for each run.
func (w *Page) table(r kit.Rect) []string {
	t, l := w.Theme, w.layTable(r.W)
	head := kit.Blanks(markWidth) + kit.Left("run", l.name)
	if l.state > 0 {
		head += " " + kit.Left("state", l.state-1)
	}
	if l.bar > 0 {
		head += " " + kit.Left("progress", l.bar)
	}
	for _, c := range l.columns {
		head += kit.Right(t.Greek(c.head), c.w)
	}
	lines := []string{t.Dim.Paint(kit.Left(head, r.W))}
	first := w.firstRow(r.H)
	for i := first; i < len(w.tracks) && len(lines) < r.H; i++ {
		lines = append(lines, w.row(i, l, r.W))
	}
	return kit.Fill(lines, r.W, r.H)
}

// row draws one run.
func (w *Page) row(i int, l tableLayout, cells int) string {
	t, run := w.Theme, w.tracks[i]
	glyph, state := lab.State(t, run.Status)
	series, mark := t.Series[i], string(t.Marks[i])
	if run.hidden {
		series, mark = t.Dim, " "
	}
	cursor, name := " ", t.Text
	if i == w.at {
		cursor, name = t.Cursor, t.Title
	}
	s := cursor + " " + series.Paint(mark) + " " + state.Paint(glyph) + " " + name.Paint(kit.Left(run.label,
		l.name))
	if l.state > 0 {
		s += " " + state.Paint(kit.Left(string(run.Status), l.state-1))
	}
	if l.bar > 0 {
		s += " " + t.Progress(run.progress(), l.bar, series)
	}
	for _, c := range l.columns {
		s += kit.Right(t.Greek(c.cell(run)), c.w)
	}
	return kit.Left(s, cells)
}
