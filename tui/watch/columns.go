package watch

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"drolab/dro"
	"drolab/runner/measure"
	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/plot"
	"drolab/tui/watch/panel"
	"drolab/tui/watch/track"
)

// column is one of the table of runs: of a row of seeds it has the mean. A column holds no
// figure; cell asks the tracks at each drawing, so columns are made for a set of runs and not
// for an event.
type column struct {
	head  string
	brief string // the head where the table is narrow; "" is the same
	w     int    // cells, with the blank before it and room for the mark of the best
	cell  func([]*track.Track) string
	// of is the measure that rows are compared by, where the best is marked; change is
	// that of a column of changes, which are better or worse.
	of, change *lab.Measure
	rare       bool   // left out until a run has the measure
	name       string // of the measure that it shows; "" for the others
}

// againstCells is the width of a column of changes: a sign, three digits, a point and a decimal
// or three, and a blank. The baseline's name in the head is cut to it. Of percentages an epoch,
// "@12", has room besides.
const againstCells, atCells = 8, 3

// against is the column of a figure's change against the baseline. Its cell is blank where a
// difference would say nothing: for the baseline itself, before an evaluation, and where the two
// were asked different questions. It is of the last epoch that both have, which stands behind it
// where the run is further. Of percentages it is the difference in points.
func (w *Page) against(m lab.Measure) column {
	c := column{head: "vs " + w.baselineName(), brief: "vs", w: againstCells, change: &m}
	if track.Percents(m) {
		c.w += atCells
	}
	if w.Baseline < 0 {
		c.head, c.brief = "", ""
	}
	c.cell = func(runs []*track.Track) string {
		base := w.baseOf(runs, &m)
		if base == nil || base[0] == runs[0] {
			return ""
		}
		epoch, behind, ok := track.Common(slices.Concat(runs, base))
		f := track.OfEvalAt(m.Name, epoch)
		a, b := f.Over(runs), f.Over(base)
		if !ok || !a.Applies() || !b.Applies() {
			return ""
		}
		d := a.Float() - b.Float()
		s := decimals(d)
		if track.Percents(m) {
			s = plot.Percent(d)
		}
		if d > 0 {
			s = "+" + s
		}
		if behind && track.Percents(m) {
			s += fmt.Sprintf("@%.4g", epoch)
		}
		return s
	}
	return c
}

// baseOf is the row that the runs are held against, the same for all measures: the baseline's.
// Where the baseline is of another radius or set than the runs, it is the row of its method that
// is of theirs. It is nil without one that the measure can be held against.
func (w *Page) baseOf(runs []*track.Track, m *lab.Measure) []*track.Track {
	if w.Baseline < 0 {
		return nil
	}
	base := w.Tracks[w.Baseline]
	// The question is that of the risk, which is the strictest of the two that the table compares:
	// both columns of changes are against the same run.
	asks := w.risk.Asks
	fits := func(t *track.Track) bool {
		return t.Asks[asks] == runs[0].Asks[asks] &&
			t.Meta.Spec.Algorithm() == base.Meta.Spec.Algorithm()
	}
	at := w.Baseline
	// In a sweep over radii each run is held against the baseline at its own radius.
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

// decimals writes a loss with three of them, so that losses stand in line. From 100 on, where a
// column would be too narrow, it has as many digits as an axis label.
func decimals(v float64) string {
	if a := math.Abs(v); a >= 100 || math.IsNaN(v) {
		return plot.Format(v)
	}
	return strconv.FormatFloat(v, 'f', 3, 64)
}

// baselineName is short enough for the head of a column of changes.
func (w *Page) baselineName() string {
	if w.Baseline < 0 || w.Baseline >= len(w.Tracks) {
		return "none"
	}
	return w.Tracks[w.Baseline].Calls(againstCells - len(" vs "))
}

// outcome are the columns that say what it comes to: worst class and robust risk, with
// the change against the baseline and the best marked. These two are what the methods are made
// for, so they are on the narrowest screen; mean accuracy comes after them.
func (w *Page) outcome() []column {
	all := lab.EvalMeasures()
	worst := lab.Named(all, w.onSplit("worst_class_accuracy"))
	risk := lab.Named(all, w.onSplit("robust_risk"))
	// lab.Write gives as many digits as a loss needs by itself; below each other they would not
	// stand in line.
	write := func(m lab.Measure, f track.Figure) func([]*track.Track) string {
		return func(runs []*track.Track) string {
			if v := f.Over(runs); !track.Percents(m) && v.Applies() {
				return decimals(v.Float())
			}
			return lab.Write(m, f.Over(runs))
		}
	}
	a, b := track.OfEval(worst.Name), track.OfEval(risk.Name)
	first, second := w.bySplit("worst %", "val worst"), w.bySplit("robust risk", "val risk")
	return []column{
		{head: first, brief: "worst", w: max(9, len(first)+1), cell: write(worst, a), of: &worst,
			name: worst.Name},
		w.against(worst),
		{head: second, brief: "risk", w: 13, cell: write(risk, b), of: &risk, name: risk.Name},
		w.against(risk)}
}

// onSplit is a measure of the test split, or what it is on the validation split where
// that is shown. By name: val_ stands before the measure, in place of test_ where there is one.
func (w *Page) onSplit(name string) string {
	return w.bySplit(name, "val_"+strings.TrimPrefix(name, "test_"))
}

// bySplit is one of two words, by the split that is shown. Without a validation split that is
// always test: Board.Furnish sees to it.
func (w *Page) bySplit(test, val string) string {
	if w.Val {
		return val
	}
	return test
}

// setColumns makes the table that of the runs, the baseline and the split. Heads have the
// baseline's name and the split in them, so a change of either is a new set of columns.
func (w *Page) setColumns() {
	w.retell()
	w.columns = w.columnsOf(w.Methods())
	w.risk = lab.Named(lab.EvalMeasures(), w.onSplit("robust_risk"))
}

// columnsOf are those of the table for runs of the methods, the ones to leave out
// first at the end. How many there are at the front (progress, outcomes) is known to layTable;
// what comes after may be in any order.
func (w *Page) columnsOf(methods []dro.Algorithm) []column {
	// Of the two kinds, a figure of a step is of one batch and noisy; nothing is marked as best
	// in it.
	figure := func(head string, width int, m lab.Measure, f track.Figure) column {
		return column{head: head, w: width, name: m.Name, cell: func(runs []*track.Track) string {
			return lab.Write(m, f.Over(runs))
		}}
	}
	step := func(head string, width int, name string) column {
		return figure(head, width, lab.Named(lab.StepMeasures(), name), track.OfStep(name))
	}
	eval := func(head string, width int, name string) column {
		return figure(head, width, lab.Named(lab.EvalMeasures(), name), track.OfEval(name))
	}
	list := append(w.progress(), w.outcome()...)
	// Choosing a run by its test figures would spoil them; this column is for that choice.
	if w.Validates && !w.Val { // which run is best there
		m := lab.Named(lab.EvalMeasures(), "val_worst_class_accuracy")
		c := eval("val worst", 11, m.Name)
		c.brief, c.of = "val", &m
		list = append(list, c)
	}
	list = append(list,
		eval(w.bySplit("test %", "val %"), 8, w.onSplit("test_accuracy")),
		eval("dual gap", 10, "dual_gap"),
		eval(w.bySplit("test loss", "val loss"), 10, w.onSplit("test_loss")),
		step("λ", 8, "lambda"), // lines have theirs at their ends, too
		step("η", 9, "eta"),
		step("train loss", 11, "loss"),
		step("images/s", 9, "images_per_second"),
		// Of the first seed: a mean over seeds at different epochs would be no epoch of any.
		column{head: "epoch", w: 10, cell: func(runs []*track.Track) string {
			t := runs[0]
			return fmt.Sprintf("%.4g/%d", t.Epochs(float64(t.Step)), t.Meta.Spec.Epochs)
		}})
	there := []string{"loss", "lambda", "eta"} // have columns already, above
	for _, m := range lab.StepMeasures() {     // what the methods have of their own
		if m.Main && !slices.Contains(there, m.Name) && m.OfStep() && panel.OwnedBy(&m, methods) {
			list = append(list, step(m.Head(), max(8, cell.Width(m.Head())+2), m.Name))
		}
	}
	for _, m := range w.Own() { // and the programs
		c := figure(m.Head(), max(8, cell.Width(m.Head())+2), m, track.OfStep(m.Name))
		if m.Better != dro.Neither {
			c.of = &m
		}
		list = append(list, c)
	}
	for _, d := range measure.Decisions() { // and those that only some data have
		if !d.IsList() {
			m := lab.Named(lab.EvalMeasures(), w.onSplit(d.Name))
			c := figure(w.bySplit("", "val ")+d.Head(), 0, m, track.OfEval(m.Name))
			c.w, c.of, c.rare = cell.Width(c.head)+2, &m, true
			list = append(list, c)
		}
	}
	return list
}

// progress are the columns of how far runs are: of several, the one that takes longest. A row is
// done when its last seed is.
func (w *Page) progress() []column {
	return []column{
		{head: "done", w: 6, cell: func(runs []*track.Track) string {
			least := 1.0
			for _, t := range runs {
				least = min(least, t.Done())
			}
			return fmt.Sprintf("%.0f%%", 100*least)
		}},
		{head: "ETA", w: 9, cell: func(runs []*track.Track) string {
			longest := time.Duration(-1)
			for _, t := range runs {
				if d, ok := t.Remaining(); ok && w.clock == nil { // a replay's clock is not theirs
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
