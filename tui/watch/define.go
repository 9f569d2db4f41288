package watch

import (
	"fmt"

	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/watch/panel"
)

// info returns the definitions of what the focused panel shows. The meaning of a measure is written
// once, at the measure (Definition); a view adds its Doc where it draws something that no measure
// explains. Only what the page itself draws is explained here: marks, and the table's columns.
func (w *Page) info() *kit.Overlay {
	// The state of the run comes first: users ask for it again, while definitions stand still.
	v, run := w.Board.CurrentView(w.screen.focus), w.Runs.Run()
	texts := []string{run.Name() + " is " + run.StatusText(w.Runs.Clock, panel.WithEpochs) + "."}
	if s := run.SelectionText(); s != "" {
		texts[0] += " It has " + s + "."
	}
	if v.Doc != "" {
		texts = append(texts, v.Doc)
	}
	texts = append(texts, lab.Define(v.Measures())...)
	if v.Bars != "" {
		m := v.BarsMeasure(w.Runs.Run().Meta)
		texts = append(texts, lab.Define([]string{m.Name})...)
		if about := panel.AboutBars(w.Runs.Run(), m); about != "" {
			texts = append(texts, about)
		}
	}
	if t := w.Runs.Run(); t.Selects() {
		texts = append(texts, fmt.Sprintf("S on a curve marks the selected step: of the "+
			"evaluations so far, the best one by the setting select (%s here), on the "+
			"validation split. Its figures are shown beside those of the last step, both of "+
			"the test split.", t.Meta.Spec.Select))
	}
	texts = append(texts, lab.Define(w.columnNames())...)
	best := w.Theme.Best + " marks the best figure of a column, of however few seeds it is the " +
		"mean. On Compare a * marks a figure that is significantly better than all others."
	texts = append(texts, best, lab.MarkLegend, "A vertical mark r is a resume from a "+
		"checkpoint, k a changed setting, and f the place where a fork leaves its parent.")
	r, _ := w.inside(w.screen.focus)
	return w.Defined(w.Board.Heading(w.screen.focus, r.W, r.H), texts)
}

// columnNames returns the names to define for the table's columns on the screen, after rho and run,
// on which all of them depend.
func (w *Page) columnNames() []string {
	names := []string{"rho", "run"}
	for _, c := range w.layTable(w.layout().runs.W).columns {
		switch {
		case c.change != nil:
			names = append(names, "vs")
		case c.Measure != nil:
			names = append(names, w.Runs.Run().Meta.MeasureFor(c.Measure.Name))
		default:
			names = append(names, c.Head)
		}
	}
	return names
}
