package watch

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/lists"
	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/plot"
	"drolab/tui/watch/panel"
)

// column is a column of the table of runs. A row with several seeds shows their mean. Columns are
// made for each drawing and thrown away.
type column struct {
	// Field has the width with the blank before it and room for the mark of the best.
	page.Field[[]*panel.Track]
	// best is the measure of a column whose best row is marked; change is the measure of a column
	// of changes against the baseline.
	best, change *measure.Measure
	whole        string // the head of a column of changes with the name of what changes
	rare         bool   // left out until a run has the measure
	beside       bool   // left out of a table narrower than leastBeside
}

// newColumn returns a column that shows a measure, or none.
func newColumn(
	head string, w int, m *measure.Measure, cell func([]*panel.Track) string,
) (c column) {
	c.Head, c.Width, c.Cell = head, w, cell
	if m != nil {
		c.Measure = &m.Measure
	}
	return c
}

// changeCells is the width of a column of changes: a blank, a sign and a number. The baseline's
// name in the head is cut to it.
const changeCells = 8

// clockFigure returns the figure of a row of runs in a measure, by the clock of the story: the mean
// over the seeds that count. All that the page says of a measure of evaluations is this figure,
// except where it says "newest" or names another epoch.
func (w *Page) clockFigure(name string) func([]*panel.Track) measure.Number {
	f := panel.ClockFigure(name, w.Runs.Clock)
	return func(runs []*panel.Track) measure.Number { return f.Over(w.Runs.Counted(runs)) }
}

// changeColumn returns the column of a measure's change against the baseline; brief is the name of
// the measure in its head. The cell is blank where a difference would mean nothing: for the
// baseline itself, before there are figures, and where the two runs ask for different risks.
func (w *Page) changeColumn(brief string, m measure.Measure) column {
	c := newColumn("", changeCells, nil, nil)
	c.change, c.Tone = &m, kit.Change(m.Better == dro.Higher)
	if w.Runs.Baseline >= 0 {
		base := w.Runs.Tracks[w.Runs.Baseline]
		c.Head, c.Brief = "vs "+base.ShortName(changeCells-len(" vs ")), "vs"
		c.whole = brief + " " + c.Head
	}
	c.Cell = func(runs []*panel.Track) string {
		base := w.Runs.BaseOf(runs, &m)
		if base == nil || base[0] == runs[0] {
			return ""
		}
		f := w.clockFigure(m.Name)
		a, b := f(runs), f(base)
		if !a.Applies() || !b.Applies() {
			return ""
		}
		return formatChange(m, a.Float()-b.Float())
	}
	return c
}

// curveCells is the width of a small curve. Its head is as wide as its scale in words.
const curveCells = 8

// curveColumn returns the column of a small curve of a percentage, on a scale from 0 to 100 %: over
// the planned epochs until the clock, the mean of the seeds that count.
func (w *Page) curveColumn(m measure.Measure) column {
	c := newColumn(lab.CurveHead, curveCells+1, nil, nil)
	c.beside, c.Tone = true, func(string) page.Tone { return page.Faint }
	c.Cell = func(runs []*panel.Track) string {
		runs = w.Runs.Counted(runs)
		values := lists.Map(runs[0].Parts(w.Runs.Clock, curveCells),
			func(e *runner.EvalEvent) float64 {
				if e == nil {
					return math.NaN()
				}
				at := compare.Clock{Epochs: []float64{e.Epoch}}
				return panel.ClockFigure(m.Name, at).Over(runs).Float()
			})
		return kit.Left(plot.Spark(values, curveCells), curveCells)
	}
	return c
}

// newestColumn returns the column of the newest value of a measure with its epoch, for the eye that
// follows a run. Of seeds that count it is the newest that all of them have. The cell is blank
// where it is the figure itself.
func (w *Page) newestColumn(m measure.Measure) column {
	c := newColumn("newest", 12, nil, nil)
	c.beside, c.Tone = true, func(string) page.Tone { return page.Faint }
	c.Cell = func(runs []*panel.Track) string {
		runs = w.Runs.Counted(runs)
		last := math.Inf(1)
		for _, t := range runs {
			e := t.Newest()
			if e == nil {
				return ""
			}
			last = min(last, e.Epoch)
		}
		newest := compare.Clock{Epochs: []float64{last}}
		v := panel.ClockFigure(m.Name, newest).Over(runs)
		alone := len(w.Runs.Clock.Epochs) == 1 && w.Runs.Clock.Epoch() == last
		if !v.Applies() || alone {
			return ""
		}
		return fmt.Sprintf("%s (%.4g)", formatValue(m, v), last)
	}
	return c
}

// formatChange writes a difference in a measure, with its sign.
func formatChange(m measure.Measure, d float64) string {
	text := formatValue(m, measure.Num(d))
	if d > 0 {
		text = "+" + text
	}
	return text
}

// formatValue writes a value of a measure. lab.Write chooses the digits for each loss alone, so a
// column of losses would not line up.
func formatValue(m measure.Measure, v measure.Number) string {
	if !panel.Percents(m) && v.Applies() {
		return formatLoss(v.Float())
	}
	return lab.Write(m, v)
}

// formatLoss writes a loss with three decimals, so that losses line up. A loss of 100 or more would
// not fit into its column, so it has the digits of an axis label.
func formatLoss(v float64) string {
	if a := math.Abs(v); a >= 100 || math.IsNaN(v) {
		return plot.Format(v)
	}
	return strconv.FormatFloat(v, 'f', 3, 64)
}

// outcome returns the columns of the two measures that the methods are made for, the accuracy of
// the worst class and the robust risk, each with its change against the baseline. They are on the
// narrowest screen; the mean accuracy comes after them.
func (w *Page) outcome() []column {
	worst := lab.Named(w.onSplit("worst_class_accuracy"))
	risk := lab.Named(w.onSplit("robust_risk"))
	made := func(head, brief string, width int, m *measure.Measure) column {
		f := w.clockFigure(m.Name)
		c := newColumn(head, width, m,
			func(runs []*panel.Track) string { return formatValue(*m, f(runs)) })
		c.Brief, c.best = brief, m
		return c
	}
	first, second := w.bySplit("worst %", "val worst"), w.bySplit("robust risk", "val risk")
	return []column{w.curveColumn(worst),
		made(first, "worst", max(9, len(first)+1), &worst), w.changeColumn("worst", worst),
		w.newestColumn(worst), made(second, "risk", 13, &risk), w.changeColumn("risk", risk)}
}

// onSplit returns the name of a measure on the split that is shown. On the validation split the
// prefix val_ replaces test_, or stands before a name without it.
func (w *Page) onSplit(name string) string {
	return w.bySplit(name, "val_"+strings.TrimPrefix(name, "test_"))
}

// bySplit returns the word for the split that is shown. Without a validation split that is always
// the test split: Board.Furnish sees to it.
func (w *Page) bySplit(test, val string) string {
	if w.Board.Val {
		return val
	}
	return test
}

// risk returns the robust risk, of the split that is shown.
func (w *Page) risk() measure.Measure { return lab.Named(w.onSplit("robust_risk")) }

// columns returns the columns for the runs, the baseline and the split, in the order of importance:
// a screen has the first few.
func (w *Page) columns() []column {
	return slices.DeleteFunc(w.columnsOf(w.Runs.Methods()), w.applyToNone)
}

// columnsOf returns the columns of the table for runs of the methods, the most important first: a
// narrow table drops columns from the end. layTable relies on the number of leading columns
// (progress and outcomes).
func (w *Page) columnsOf(methods []dro.Algorithm) []column {
	// A figure of a step comes from one batch. It is noisy, so no best is marked in its column.
	figure := func(head string, width int, m measure.Measure,
		f func([]*panel.Track) measure.Number) column {
		return newColumn(head, width, &m,
			func(runs []*panel.Track) string { return lab.Write(m, f(runs)) })
	}
	step := func(head string, width int, name string) column {
		return figure(head, width, lab.Named(name), panel.StepFigure(name).Over)
	}
	eval := func(head string, width int, name string) column {
		return figure(head, width, lab.Named(name), w.clockFigure(name))
	}
	// A figure of the network on data: the best is marked in each such column, as in the matrix.
	ofNetwork := func(head string, width int, name string) column {
		m, f := lab.Named(name), w.clockFigure(name)
		c := newColumn(head, width, &m,
			func(runs []*panel.Track) string { return formatValue(m, f(runs)) })
		c.best = &m
		return c
	}
	list := append(w.progress(), w.outcome()...)
	// Choosing a run by its test figures would spoil them; this column is for that choice.
	if w.Board.Validates && !w.Board.Val {
		c := ofNetwork("val worst", 11, "val_worst_class_accuracy")
		c.Brief = "val"
		list = append(list, c)
	}
	list = append(list,
		ofNetwork("mean %", 8, w.onSplit("test_accuracy")),
		eval("dual gap", 10, "dual_gap"),
		ofNetwork(w.bySplit("test loss", "val loss"), 11, w.onSplit("test_loss")),
		step("λ", 8, "lambda"), // the ends of curves show it, too
		step("η", 9, "eta"),
		step("batch loss", 11, "loss"),
		figure("samples/s now", 14, lab.Named("images_per_second"), w.speedNow),
		newColumn("epoch", 10, nil, func(runs []*panel.Track) string {
			t := panel.Slowest(runs)
			done := 0.0
			if t.Meta.StepsPerEpoch > 0 {
				done = t.Epochs(float64(t.Step))
			}
			return lab.OfEpochs(t.Meta, done, 4)
		}))
	there := []string{"loss", "lambda", "eta"} // these have columns already
	for _, m := range measure.StepMeasures() { // the methods' own measures
		if m.Main && !slices.Contains(there, m.Name) && m.OfStep() && panel.OwnedBy(&m, methods) {
			list = append(list, step(m.Head(), max(8, cell.Width(m.Head())+2), m.Name))
		}
	}
	for _, m := range w.Runs.Own() { // the programs' own measures
		c := figure(m.Head(), max(8, cell.Width(m.Head())+2), m, panel.StepFigure(m.Name).Over)
		if m.Better != dro.Neither {
			c.best = &m
		}
		list = append(list, c)
	}
	for _, d := range measure.Decisions() { // measures that only some data have
		if !d.IsList() {
			m := lab.Named(w.onSplit(d.Name))
			c := figure(w.bySplit("", "val ")+d.Head(), 0, m, w.clockFigure(m.Name))
			c.Width, c.best, c.rare = cell.Width(c.Head)+2, &m, true
			list = append(list, c)
		}
	}
	return list
}

// speedNow returns the speed of runs at their last steps. Of a run whose box is silent nobody knows
// it.
func (w *Page) speedNow(runs []*panel.Track) (v measure.Number) {
	if slices.ContainsFunc(runs, func(t *panel.Track) bool { return w.knownAgo(t) != "" }) {
		return v
	}
	return panel.StepFigure("images_per_second").Over(runs)
}

// applyToNone reports whether a column shows a measure of steps that applies to none of the runs,
// such as λ where the uncertainty set is CVaR.
func (w *Page) applyToNone(c column) bool {
	if c.Measure == nil {
		return false
	}
	m, ok := lab.FindNumber(c.Measure.Name)
	if !ok || !m.OfStep() {
		return false
	}
	applies := func(t *panel.Track) bool { return m.CanApply(t.Meta) }
	return !slices.ContainsFunc(w.Runs.Tracks, applies)
}

// progress returns the columns of a row's progress, which is that of its slowest seed.
func (w *Page) progress() []column {
	return []column{
		newColumn("done", 6, nil, func(runs []*panel.Track) string {
			slowest := panel.Slowest(runs)
			if !slowest.Planned() {
				return fmt.Sprint(slowest.Step)
			}
			return fmt.Sprintf("%.0f%%", 100*slowest.Done())
		}),
		newColumn("ETA", 11, nil, func(runs []*panel.Track) string {
			if seconds, ok := panel.TrainingTime(runs); ok && w.logs.clock == nil {
				return "took " + plot.FormatDuration(seconds)
			}
			slowest := panel.Slowest(runs)
			if fit := slowest.Refitting(); fit != nil && w.knownAgo(slowest) == "" {
				return fit.Brief()
			}
			left, ok := slowest.Remaining()
			// The clock of a replay says nothing about the time that a run needs.
			if !ok || w.logs.clock != nil || w.knownAgo(slowest) != "" {
				return "–"
			}
			return kit.Duration(left)
		}),
	}
}
