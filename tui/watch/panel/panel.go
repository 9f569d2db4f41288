package panel

import (
	"iter"
	"slices"

	"drolab/runner"
	"drolab/runner/measure"
	"drolab/tui/lab"
)

// Panel is one of the drawings of the page. It has views, of which one is shown. Furnish makes all
// panels anew for another set of runs and carries View over by the panel's title.
type Panel struct {
	Title string // with "by class" and "test" where these can change; Heading replaces them
	Views []View // at least one

	// The state that is kept of it from frame to frame.
	View  int // index into Views
	First int // first bar shown
}

// View is one of the things that a panel can show: curves over the steps, bars by class, or the
// path of (λ, η). Curves and bars name measures; a name that no measure has panics as soon as the
// view is drawn.
//
// At most one of Curves, Bars and Phase is set; none where As draws no measure. A view is not
// changed once panels has made it.
type View struct {
	Name   string   // empty where the panel's title says it all
	Curves []string // measures of steps or evaluations; two share a panel where it has the room
	Bars   string   // a list measure of classes, or of groups where a run has them
	Plain  bool     // whether Bars is drawn as named, although groups are given
	Phase  bool
	As     form   // how it is drawn; nil where Curves, Bars or Phase says it
	Beside string // the list measure of a film's second map
	Doc    string // what it shows, where the definitions of its measures do not say it
	val    *View  // the same view of the validation split; nil where it would not differ
}

// Measures returns the names of all measures that a view shows over the steps. The phase portrait
// has two although it draws no curve of them: they are exported and defined with it.
func (v *View) Measures() []string {
	if v.Phase {
		return []string{"lambda", "eta"}
	}
	return v.Curves
}

// Named returns the name of the measure that the view shows of a run in place of a measure of
// classes: one of groups where the run has groups, unless the view is Plain.
func (v *View) Named(measure string, m *runner.Meta) string {
	if v.Plain {
		return measure
	}
	return m.MeasureFor(measure)
}

// BarsMeasure returns the measure of the bars for a run.
func (v *View) BarsMeasure(m *runner.Meta) measure.Measure {
	return lab.ListNamed(v.Named(v.Bars, m))
}

// onValidation returns the view with the measures of the validation split; nil if no measure has
// one. The receiver is a copy, and the curves are cloned, because a row of the table shares its
// slices.
func (v View) onValidation() *View {
	other := false
	on := func(name string) string {
		val := lab.Validation(name)
		other = other || val != name
		return val
	}
	v.Curves = slices.Clone(v.Curves)
	for i := range v.Curves {
		v.Curves[i] = on(v.Curves[i])
	}
	if v.Bars != "" {
		v.Bars = on(v.Bars)
	}
	if !other {
		return nil
	}
	return &v
}

// views returns the views of panels, one by one.
func views(panels []Panel) iter.Seq[*View] {
	return func(yield func(*View) bool) {
		for _, p := range panels {
			for i := range p.Views {
				if !yield(&p.Views[i]) {
					return
				}
			}
		}
	}
}
