package watch

import (
	"fmt"

	"drolab/dro"
	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/watch/panel"
	"drolab/tui/watch/track"
)

// info returns the definitions of what the focused panel shows. The meaning of a measure is written
// once, at the measure (Definition); a view adds its Doc where it draws something that no measure
// explains. Only what the page itself draws is explained here: marks, and the table's columns.
func (w *Page) info() *kit.Overlay {
	// The state of the run comes first: users ask for it again, while definitions stand still.
	v, run := w.Shows(w.focus), w.Run()
	texts := []string{run.Name() + " is " + run.Stands(true) + "."}
	if s := run.Selection(); s != "" {
		texts[0] += " It has " + s + "."
	}
	if v.Doc != "" {
		texts = append(texts, v.Doc)
	}
	texts = append(texts, lab.Define(v.Measures())...)
	if v.Bars != "" {
		m := v.Of(w.Run().Meta)
		texts = append(append(texts, lab.Define([]string{m.Name})...), aboutBars(w.Run(), m))
	}
	if t := w.Run(); t.Selects() {
		texts = append(texts, fmt.Sprintf("S on a curve marks the selected step: of the "+
			"evaluations so far, the best one by the setting select (%s here), on the "+
			"validation split. Its figures are shown beside those of the last step, both of "+
			"the test split.", t.Meta.Spec.Select))
	}
	texts = append(texts, lab.Define(w.columnNames())...)
	texts = append(texts, lab.MarkLegend,
		marksMean)
	r, _ := w.inside(w.focus)
	return w.Defined(w.Heading(w.focus, r.W, r.H), texts)
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
			names = append(names, w.Run().Meta.Fit(c.Measure.Name))
		default:
			names = append(names, c.Head)
		}
	}
	return names
}

// aboutBars explains the columns that barFields can give, and the marks of bars. By its subject it
// belongs to package panel's bars.go, and it must follow that file.
func aboutBars(t *track.Track, of lab.Measure) string {
	part, split := panel.AxisName(of.Axis), panel.SplitName(of.OfValidation())
	text := fmt.Sprintf("After the bars, if there is room: the change against the baseline; "+
		"the number of samples of the %s to train on, and in the %s split.", part, split)
	if of.Scale == dro.Percent {
		text += fmt.Sprintf(" 95 %% is the accuracy's confidence interval (Wilson). ratio: of "+
			"the %s's training samples, under the adversary; 1 is no reweighting. recall: "+
			"balanced accuracy within it. loss: mean loss of its %s samples.", part, split)
	}
	if of.Better == dro.Neither { // where the adversary looks there is no worst
		return text
	}
	return text + fmt.Sprintf(" ◂ marks the worst %s. ? marks one with fewer than min_group = "+
		"%d %s samples: its figure is mostly chance, so it is never called the worst.",
		part, t.Meta.Spec.MinGroup, split)
}
