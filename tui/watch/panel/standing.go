package panel

import (
	"iter"
	"slices"
	"strings"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/measure"
	"drolab/tui/lab"
)

// Panel is one of the drawings of the page. It has views, of which one is shown. Furnish makes all
// panels anew for another set of runs and carries View over by the panel's index, so standing
// panels keep their places.
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

// panels returns the table of panels for runs of these methods on the data of runs (on any data if
// there are none), in the order of the screen. It has the panels of list and one more, with the
// measures that no other panel shows. It changes list, so each call needs a list of its own, as
// Standing returns it.
//
// Everything that is drawn, exported and defined comes from the table and from the measures that it
// names. A measure without a curve in the table is not kept.
//
// The order of the steps matters: curves get the names of group measures before the remaining
// measures are looked for, and the validation split comes last, so that it covers all views.
func panels(list []Panel, methods []dro.Algorithm, runs ...*runner.Meta) []Panel {
	fitTo(list, runs)
	addRates(list, runs)
	dropLambda(list, runs)
	// A measure that a method reports is drawn even where nobody made a view for it.
	drawn, rest := shown(list), Panel{Title: "Other measures"}
	for _, m := range slices.Concat(lab.StepMeasures(), lab.EvalMeasures()) {
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

// fitTo turns curves of classes into curves of groups if all runs have groups, and adds the bars of
// classes if some have. Curves of both kinds cannot share an axis: the worst of four groups and the
// worst of two classes are different questions.
func fitTo(list []Panel, runs []*runner.Meta) {
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
			if v.Curves[c] = runs[0].MeasureFor(name); v.Curves[c] != name {
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
					View{Name: m.Title, Bars: m.Name, As: everyone{}, Plain: true,
						Doc: "One line per group, with the mark of every run at its rate."})
			}
		}
	}
}

// dropLambda leaves out the views of λ where no run's uncertainty set has one, so that the panel of
// the dual variables shows η.
func dropLambda(list []Panel, runs []*runner.Meta) {
	lambda := lab.Named(lab.StepMeasures(), "lambda")
	applies := func(r *runner.Meta) bool { return lambda.CanApply(r) }
	if len(runs) == 0 || slices.ContainsFunc(runs, applies) {
		return
	}
	of := func(v View) bool { return slices.Contains(v.Measures(), lambda.Name) }
	for i := range list {
		list[i].Views = slices.DeleteFunc(list[i].Views, of)
	}
}

// reported tells whether runs of the methods on such data have a measure. Every run has a measure
// of steps that no method owns, such as the loss.
func reported(m *lab.Measure, methods []dro.Algorithm, runs []*runner.Meta) bool {
	applies := func(r *runner.Meta) bool { return m.CanApply(r) }
	if len(runs) > 0 && !slices.ContainsFunc(runs, applies) {
		return false
	}
	return !m.OfStep() || OwnedBy(m, methods) || !OwnedBy(m, dro.Algorithms())
}

// OwnedBy reports whether a measure is one of the methods' own, as package dro declares them.
func OwnedBy(m *lab.Measure, methods []dro.Algorithm) bool {
	return slices.ContainsFunc(methods, func(a dro.Algorithm) bool {
		method, err := dro.Find(a)
		return err == nil && slices.ContainsFunc(method.Measures,
			func(d dro.Measure) bool { return d.Name == m.Name })
	})
}

// Standing returns the panels that are there whatever the methods: a row for each, with its views,
// the default view first. A screen of usual size shows the first four, so the order is that of the
// questions that one asks of a run.
//
// To add a panel, add a row. It needs a Doc only where the definitions of its measures do not say
// enough.
func Standing() []Panel {
	curves := func(name string, measures ...string) View {
		return View{Name: name, Curves: measures}
	}
	const who, look = "class_accuracy", "class_weight"
	return []Panel{
		{Title: "Loss", Views: []View{
			curves("train and test", "loss", "test_loss"),
			curves("train", "loss"),
			curves("test", "test_loss"),
			curves("robust risk", "robust_risk"),
			{Name: "robust risk by radius", Bars: "robust_risk_at", As: ByRadius{}, Plain: true,
				Doc: "R_ρ of every run's last evaluation over ρ; the vertical mark is the " +
					"training radius of the run under the cursor."}}},
		{Title: "Who suffers, by class", Views: []View{
			{Bars: who, As: everyone{}, Doc: "One line per class, with the mark of every run " +
				"at its accuracy (of several seeds, at their mean), sorted by the baseline's " +
				"accuracy. The number belongs to the run under the cursor, whose mark is on " +
				"top."},
			{Name: "one run", Bars: who},
			{Name: "test loss", Bars: "class_loss"}}},
		{Title: "Dual variables", Views: []View{
			curves("λ and η", "lambda", "eta"),
			curves("λ", "lambda"),
			curves("η", "eta"),
			{Name: "phase portrait", Phase: true,
				Doc: "Phase portrait: the path of (λ, η) of every run over the steps, from ◦ " +
					"to the run's mark, older parts faint, in the box that both stay in. ✕ is " +
					"(λ*, η*), the best for the network of the last evaluation."},
			{Name: "likelihood ratios", Bars: "ratio_histogram", As: histogram{}, Plain: true,
				Doc: "How many training samples get which likelihood ratio from the " +
					"adversary, for the run under the cursor. Samples at the left hardly " +
					"count; 1 is no reweighting."}}},
		{Title: "Where the adversary looks, by class", Views: []View{
			{Bars: who, Beside: look, As: film{}, Doc: "Two maps of the run under the cursor, " +
				"with one row per class and x across: its accuracy, and its weight under the " +
				"adversary. The adversary looks where the right map is bright; the left one " +
				"shows the effect."},
			{Name: "weight", Bars: look},
			{Name: "weight of all runs", Bars: look, As: everyone{},
				Doc: "One line per class, with the mark of every run at the adversary's ratio."}}},
		{Title: "Gap", Views: []View{
			curves("dual gap and γ", "dual_gap", "gamma"),
			curves("dual gap", "dual_gap"),
			curves("Frank-Wolfe gap", "gap"),
			curves("γ", "gamma")}},
		{Title: "Test accuracy", Views: []View{
			curves("worst class and mean", "worst_class_accuracy", "test_accuracy"),
			curves("worst class", "worst_class_accuracy"),
			curves("mean", "test_accuracy"),
			curves("worst class and robust risk", "worst_class_accuracy", "robust_risk")}},
		{Title: "The adversary's eye", Views: []View{
			{As: gaze{}, Doc: "The training samples that the adversary weighs most, at most " +
				"24, for the run under the cursor at its last evaluation. The ratio is dQ/dP, " +
				"for the exact worst case Q over the whole training split at the run's " +
				"radius; 1 is no reweighting. The larger the ratio, the brighter the frame. A " +
				"sample's number is its place in the training split, from 0. P opens all " +
				"samples on page Samples."}}},
		{Title: "Settings", Views: []View{{As: settings{}, Plain: true,
			Doc: "The settings that the run under the cursor reads, as it trains now. Marked " +
				"settings, in which the watched runs differ, come first. Settings that are " +
				"not at their default follow."}}},
		{Title: "Machine", Views: []View{{As: settings{machine: true}, Plain: true,
			Doc: "What the machine does during the run under the cursor, with the last ten " +
				"minutes of each figure. A GPU has its use (in which part of the time it " +
				"computes), memory, power and temperature. The run has the memory and the cores " +
				"of its processes, how many of its workers use at least half a core, and its " +
				"memory on GPUs. The disk is that of the runs. A marked line says what the run " +
				"waits for, if that is known."}}},
	}
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

// Of returns the measure of the bars for a run.
func (v *View) Of(m *runner.Meta) lab.Measure { return lab.ListNamed(v.Named(v.Bars, m)) }

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

// shown returns the names of all measures that the panels show over the steps.
func shown(panels []Panel) map[string]bool {
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
func quantities(panels []Panel) map[string]lab.Measure {
	drawn, all := shown(panels), map[string]lab.Measure{}
	// If both have a measure of the same name, the one of steps is taken.
	for _, m := range append(lab.EvalMeasures(), lab.StepMeasures()...) {
		if drawn[m.Name] {
			all[m.Name] = m
		}
	}
	return all
}
