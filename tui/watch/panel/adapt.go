package panel

import (
	"slices"
	"strings"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/measure"
	"drolab/tui/lab"
)

// panels returns the table of panels for runs of these methods on the data of runs (on any data if
// there are none), in the order of the screen. It has the panels of list and one more, with the
// measures that no other panel shows. It changes list, so each call needs a list of its own, as
// BuiltIn returns it.
//
// Everything that is drawn, exported and defined comes from the table and from the measures that it
// names. A measure without a curve in the table is not kept.
//
// The order of the steps matters: curves get the names of group measures before the remaining
// measures are looked for, and the validation split comes last, so that it covers all views.
func panels(list []Panel, methods []dro.Algorithm, runs ...*runner.Meta) []Panel {
	useGroups(list, runs)
	addRates(list, runs)
	list = dropUnreported(list, methods, runs)
	// A measure that a method reports is drawn even where nobody made a view for it.
	drawn, rest := shownMeasures(list), Panel{Title: "Other measures"}
	for _, m := range slices.Concat(lab.StepNumbers(), lab.EvalNumbers()) {
		if !drawn[m.Name] && reported(&m, methods, runs) {
			drawn[m.Name] = true
			rest.Views = append(rest.Views, View{Name: m.Title, Curves: []string{m.Name}})
		}
	}
	list = append(list, rest)
	if slices.ContainsFunc(runs, lab.Validates) {
		for v := range views(list) {
			v.val = v.onValidation()
		}
	}
	return list
}

// useGroups turns curves of classes into curves of groups if all runs have groups, and adds the
// bars of classes if some have. Curves of both kinds cannot share an axis: the worst of four groups
// and the worst of two classes are different questions.
func useGroups(list []Panel, runs []*runner.Meta) {
	by := func(a measure.Axis) func(*runner.Meta) bool {
		return func(m *runner.Meta) bool { return m.Main() == a }
	}
	if !slices.ContainsFunc(runs, by(measure.PerGroup)) {
		return
	}
	// Only the first view of a panel counts, because the others show parts of the same.
	for i := range list {
		if v := list[i].Views[0]; v.Bars != "" {
			v.Plain = true
			list[i].Views = append(list[i].Views, v)
		}
	}
	if slices.ContainsFunc(runs, by(measure.PerClass)) {
		return
	}
	for v := range views(list) {
		for c, name := range v.Curves {
			v.Curves[c] = runs[0].MeasureFor(name)
			if v.Curves[c] != name {
				v.Name = strings.Replace(v.Name, "class", "group", 1)
			}
		}
	}
}

// addRates adds the rates of groups, if some run has them, to the panel of the accuracies of
// groups.
func addRates(list []Panel, runs []*runner.Meta) {
	for _, m := range measure.Decisions() {
		applies := func(r *runner.Meta) bool { return m.CanApply(r) }
		if !m.IsList() || !slices.ContainsFunc(runs, applies) {
			continue
		}
		for i := range list {
			if list[i].Views[0].Bars == "class_accuracy" && list[i].Views[0].Beside == "" {
				list[i].Views = append(list[i].Views,
					View{Name: m.Title, Bars: m.Name, As: allRuns{}, Plain: true,
						Doc: "One line per group, with the mark of every run at its rate."})
			}
		}
	}
}

// dropUnreported leaves out the views of measures that no run has, and panels of which no view is
// left: ERM has neither λ nor a gap. Of two measures where one is missing, the other has a view of
// its own. Predictions of other programs keep all views, as it is not known what they hold.
func dropUnreported(list []Panel, methods []dro.Algorithm, runs []*runner.Meta) []Panel {
	if len(runs) == 0 || slices.ContainsFunc(runs, (*runner.Meta).Predicted) {
		return list
	}
	missing := func(name string) bool {
		m := lab.Named(name)
		return !reported(&m, methods, runs)
	}
	for i := range list {
		list[i].Views = slices.DeleteFunc(list[i].Views, func(v View) bool {
			return slices.ContainsFunc(v.Measures(), missing)
		})
	}
	return slices.DeleteFunc(list, func(p Panel) bool { return len(p.Views) == 0 })
}

// reported tells whether runs of the methods on such data have a measure. Every run has a measure
// of steps that no method owns, such as the loss.
func reported(m *measure.Measure, methods []dro.Algorithm, runs []*runner.Meta) bool {
	applies := func(r *runner.Meta) bool { return m.CanApply(r) }
	if len(runs) > 0 && !slices.ContainsFunc(runs, applies) {
		return false
	}
	// The gaps of an evaluation are those of the run's dual variables.
	if m.Name == "dual_gap" || m.Name == "penalised_gap" {
		eta := lab.Named("eta")
		return OwnedBy(&eta, methods)
	}
	return !m.OfStep() || OwnedBy(m, methods) || !OwnedBy(m, dro.Algorithms())
}

// OwnedBy reports whether a measure is one of the methods' own, as package dro declares them.
func OwnedBy(m *measure.Measure, methods []dro.Algorithm) bool {
	return slices.ContainsFunc(methods, func(a dro.Algorithm) bool {
		method, err := dro.Find(a)
		return err == nil && slices.ContainsFunc(method.Measures,
			func(d dro.Measure) bool { return d.Name == m.Name })
	})
}

// shownMeasures returns the names of all measures that the panels show over the steps.
func shownMeasures(panels []Panel) map[string]bool {
	drawn := map[string]bool{}
	for v := range views(panels) {
		for _, name := range v.Measures() {
			drawn[name] = true
		}
	}
	return drawn
}

// quantities returns the measures that the panels show over the steps, by name. A Track keeps their
// curves.
func quantities(panels []Panel) map[string]measure.Measure {
	drawn, all := shownMeasures(panels), map[string]measure.Measure{}
	// If both have a measure of the same name, the one of steps is taken.
	for _, m := range append(lab.EvalNumbers(), lab.StepNumbers()...) {
		if drawn[m.Name] {
			all[m.Name] = m
		}
	}
	return all
}
