package tui

import (
	"fmt"
	"strings"

	"drolab/runner"
)

// column is one of the table of runs.
type column struct {
	head string
	w    int
	cell func(*track) string
}

// columns are those of the table, the ones to leave out first at the end.
func (w *watch) columns() []column {
	step := func(f func(*runner.StepEvent) runner.Number) func(*track) string {
		return func(t *track) string {
			if t.Last == nil {
				return "–"
			}
			return figure(f(t.Last))
		}
	}
	eval := func(f func(*runner.EvalEvent) string) func(*track) string {
		return func(t *track) string {
			if t.Eval == nil {
				return "–"
			}
			return f(t.Eval)
		}
	}
	return []column{
		{"", 5, func(t *track) string { return fmt.Sprintf("%.0f%%", 100*t.progress()) }},
		{"ETA", 8, func(t *track) string {
			if d, ok := t.Remaining(); ok {
				return Clock(d)
			}
			return "–"
		}},
		{"worst %", 8, eval(func(e *runner.EvalEvent) string { return percent(runner.Least(e.ClassAccuracy)) })},
		{"test %", 7, eval(func(e *runner.EvalEvent) string { return percent(e.TestAccuracy) })},
		{"train loss", 11, step(func(e *runner.StepEvent) runner.Number { return e.Loss })},
		{"images/s", 9, func(t *track) string {
			if t.Last == nil || !t.Last.ImagesPerSecond.Applies() {
				return "–"
			}
			return fmt.Sprintf("%.0f", min(1e7, t.Last.ImagesPerSecond.Float()))
		}},
		{"λ", 8, step(func(e *runner.StepEvent) runner.Number { return e.Lambda })},
		{"η", 8, step(func(e *runner.StepEvent) runner.Number { return e.Eta })},
		{"test loss", 10, eval(func(e *runner.EvalEvent) string { return figure(e.TestLoss) })},
		{"dual gap", 9, eval(func(e *runner.EvalEvent) string { return figure(e.DualGap) })},
		{"robust risk", 12, eval(func(e *runner.EvalEvent) string { return figure(e.RobustRisk) })},
		{"epoch", 10, func(t *track) string {
			return fmt.Sprintf("%.4g/%d", t.epochs(float64(t.Step)), t.meta.Spec.Epochs)
		}},
	}
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

func (w *watch) layTable(cells int) tableLayout {
	l := tableLayout{name: 6}
	for _, t := range w.tracks {
		l.name = max(l.name, width(t.label))
	}
	l.name = min(l.name, max(8, cells/4))
	rest := cells - markWidth - l.name - 1
	for _, c := range w.columns() {
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
func (w *watch) firstRow(h int) int {
	rows := max(1, h-1)
	return max(0, min(max(w.top, w.at-rows+1), w.at, len(w.tracks)-rows))
}

// table draws a line of heads and one for each run.
func (w *watch) table(r rect) []string {
	t, l := w.theme, w.layTable(r.w)
	head := blanks(markWidth) + left("run", l.name)
	if l.state > 0 {
		head += " " + left("state", l.state-1)
	}
	if l.bar > 0 {
		head += " " + left("progress", l.bar)
	}
	for _, c := range l.columns {
		head += right(t.greek(c.head), c.w)
	}
	lines := []string{t.dim.paint(left(head, r.w))}
	first := w.firstRow(r.h)
	for i := first; i < len(w.tracks) && len(lines) < r.h; i++ {
		lines = append(lines, w.row(i, l, r.w))
	}
	return fill(lines, r.w, r.h)
}

// row draws one run.
func (w *watch) row(i int, l tableLayout, cells int) string {
	t, run := w.theme, w.tracks[i]
	glyph, state := t.state(run.Status)
	series := t.series[i]
	if run.hidden {
		series = t.dim
	}
	mark := string(t.lineGlyphs[i])
	if run.hidden {
		mark = " "
	}
	cursor, name := " ", t.text
	if i == w.at {
		cursor, name = t.cursor, t.title
	}
	s := cursor + " " + series.paint(mark) + " " + state.paint(glyph) + " " + name.paint(left(run.label, l.name))
	if l.state > 0 {
		s += " " + state.paint(left(string(run.Status), l.state-1))
	}
	if l.bar > 0 {
		s += " " + t.progress(run.progress(), l.bar, series)
	}
	for _, c := range l.columns {
		s += right(t.greek(c.cell(run)), c.w)
	}
	return left(s, cells)
}

// progress draws a part of the whole, 0 to 1, in w cells.
func (t *theme) progress(part float64, w int, done style) string {
	n := int(part * float64(w))
	return done.paint(strings.Repeat(t.barFull, n)) + t.border.paint(strings.Repeat(t.barEmpty, w-n))
}

// state is a status as a glyph, and its style.
func (t *theme) state(s runner.Status) (string, style) {
	glyphs := map[runner.Status]string{runner.Queued: "◌", runner.Running: "▶", runner.Paused: "‖", runner.Done: "✓",
		runner.Stopped: "■", runner.Failed: "✗", runner.Interrupted: "!"}
	if t.ascii {
		glyphs = map[runner.Status]string{runner.Queued: ".", runner.Running: ">", runner.Paused: "=", runner.Done: "v",
			runner.Stopped: "#", runner.Failed: "X", runner.Interrupted: "!"}
	}
	g := glyphs[s]
	if g == "" {
		g = "?"
	}
	switch s {
	case runner.Running:
		return g, t.accent
	case runner.Done:
		return g, t.good
	case runner.Paused, runner.Stopped, runner.Interrupted:
		return g, t.warn
	case runner.Failed:
		return g, t.bad
	}
	return g, t.dim
}
