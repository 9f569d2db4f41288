package watch

import (
	"slices"
	"strings"

	"drolab/dro"
	"drolab/runner"
	"drolab/tui/lab"
)

// panel is one of the page's drawings, of which one view is shown.
type panel struct {
	title string
	views []view

	// What is kept of it.
	view  int
	first int  // first bar shown
	roomy bool // its plots were drawn in lines, as there was room
}

// view is one of the things a panel can show: curves over the steps, bars by
// class, or the path of (λ, η). Curves and bars are of measures, by name.
type view struct {
	name   string   // empty where the panel's name says it
	curves []string // of steps or evaluations; two share a panel where it has the room
	bars   string   // of classes, or of groups where a run has them
	plain  bool     // of classes although groups are given
	phase  bool
	as     form   // how it is drawn, where curves, bars and phase do not say it
	beside string // the list measure of a film's second map
	doc    string // what it is, where measures do not say it
	val    *view  // the same of the validation split; nil where that is nothing else
}

// panels is the table of panels for runs of the methods on such data (none: on
// any), in the order of the screen: those that stand in list and one more, with
// what no other shows. All that is drawn, exported and defined comes from it and
// from the measures that it names.
func panels(list []panel, methods []dro.Algorithm, runs ...*runner.Meta) []panel {
	fitTo(list, runs)
	drawn, rest := shown(list), panel{title: "Other measures"}
	for _, m := range slices.Concat(lab.StepMeasures(), lab.EvalMeasures()) {
		if !drawn[m.Name] && reported(&m, methods, runs) {
			drawn[m.Name] = true
			rest.views = append(rest.views, view{name: m.Title, curves: []string{m.Name}})
		}
	}
	list = append(list, rest)
	if slices.ContainsFunc(runs, lab.Validates) {
		for _, p := range list {
			for i := range p.views {
				p.views[i].val = p.views[i].onValidation()
			}
		}
	}
	return list
}

// fitTo makes curves of classes those of groups, where all runs have groups, and
// adds the bars of classes where some have.
func fitTo(list []panel, runs []*runner.Meta) {
	by := func(a runner.Axis) func(*runner.Meta) bool {
		return func(m *runner.Meta) bool { return m.Main() == a }
	}
	if !slices.ContainsFunc(runs, by(runner.PerGroup)) {
		return
	}
	for i := range list {
		if v := list[i].views[0]; v.bars != "" {
			v.plain = true
			list[i].views = append(list[i].views, v)
		}
	}
	if slices.ContainsFunc(runs, by(runner.PerClass)) {
		return
	}
	for _, p := range list {
		for i := range p.views {
			v := &p.views[i]
			for c, name := range v.curves {
				if v.curves[c] = runs[0].Fit(name); v.curves[c] != name {
					v.name = strings.Replace(v.name, "class", "group", 1)
				}
			}
		}
	}
}

// reported tells whether runs of the methods on such data have a measure.
func reported(m *lab.Measure, methods []dro.Algorithm, runs []*runner.Meta) bool {
	if len(runs) > 0 && !slices.ContainsFunc(runs, m.CanApply) {
		return false
	}
	return !m.OfStep() || ownedBy(m, methods) || !ownedBy(m, dro.Algorithms())
}

// ownedBy tells whether a measure is one of the methods' own.
func ownedBy(m *lab.Measure, methods []dro.Algorithm) bool {
	return slices.ContainsFunc(methods, func(a dro.Algorithm) bool {
		method, err := dro.Find(a)
		return err == nil && slices.ContainsFunc(method.Measures,
			func(d dro.Measure) bool { return d.Name == m.Name })
	})
}

// standing are the panels that are there whatever the methods: a row each, with
// its views, what is shown first at the front.
func standing() []panel {
	curves := func(name string, measures ...string) view { return view{name: name, curves: measures} }
	const who, look = "class_accuracy", "class_weight"
	return []panel{
		{title: "Loss", views: []view{curves("train and test", "loss", "test_loss"), curves("train", "loss"),
			curves("test", "test_loss"), curves("robust risk", "robust_risk"),
			{name: "robust risk by radius", bars: "robust_risk_at", as: byRadius{}, plain: true,
				doc: "R_ρ of every run's last evaluation over ρ; the vertical mark is the training radius of " +
					"the run under the cursor."}}},
		{title: "Who suffers, by class", views: []view{
			{bars: who, as: everyone{}, doc: "A line a class, with the mark of every run at its accuracy, of " +
				"seeds at their mean; sorted by the baseline's accuracy. The number is of the run under the cursor, " +
				"whose mark stands over it."},
			{name: "one run", bars: who}, {name: "test loss", bars: "class_loss"}}},
		{title: "Dual variables", views: []view{curves("λ and η", "lambda", "eta"), curves("λ", "lambda"),
			curves("η", "eta"),
			{name: "phase portrait", phase: true,
				doc: "Phase portrait: the paths of (λ, η) of all runs over the steps, from ◦ to the run's mark, " +
					"older parts faint, in the box that both stay in; ✕ is (λ*, η*), the best for the " +
					"network of the last evaluation."},
			{name: "likelihood ratios", bars: "ratio_histogram", as: histogram{}, plain: true,
				doc: "How many training samples the adversary gives which likelihood ratio, for the run under the " +
					"cursor: those at the left are as good as gone for it, 1 is no reweighting."}}},
		{title: "Where the adversary looks, by class", views: []view{
			{bars: who, beside: look, as: film{}, doc: "Two maps of the run under the cursor, a row a class, x " +
				"across: its accuracy, and how the adversary weighs it. Where the right map is bright the " +
				"adversary looks; the left one shows what comes of it."},
			{name: "weight", bars: look}, {name: "weight of all runs", bars: look, as: everyone{},
				doc: "A line a class, with the mark of every run at the adversary's ratio."}}},
		{title: "Gap", views: []view{curves("dual gap and γ", "dual_gap", "gamma"), curves("dual gap", "dual_gap"),
			curves("Frank-Wolfe gap", "gap"), curves("γ", "gamma")}},
		{title: "Test accuracy", views: []view{curves("worst class and mean", "worst_class_accuracy",
			"test_accuracy"),
			curves("worst class", "worst_class_accuracy"), curves("mean", "test_accuracy"),
			curves("worst class and robust risk", "worst_class_accuracy", "robust_risk")}},
	}
}

// measures are the names of all that a view shows over the steps.
func (v *view) measures() []string {
	if v.phase {
		return []string{"lambda", "eta"}
	}
	return v.curves
}

// of is the measure of the bars in a run.
func (v *view) of(m *runner.Meta) lab.Measure {
	name := v.bars
	if !v.plain {
		name = m.Fit(name)
	}
	return lab.ListNamed(name)
}

// onValidation is the view with the measures of the validation split; nil where
// none of them has one.
func (v view) onValidation() *view {
	other := false
	on := func(name string) string {
		val := lab.Validation(name)
		other = other || val != name
		return val
	}
	v.curves = slices.Clone(v.curves)
	for i := range v.curves {
		v.curves[i] = on(v.curves[i])
	}
	if v.bars != "" {
		v.bars = on(v.bars)
	}
	if !other {
		return nil
	}
	return &v
}

// shown are the names of all that panels show over the steps.
func shown(panels []panel) map[string]bool {
	drawn := map[string]bool{}
	for _, p := range panels {
		for i := range p.views {
			for _, name := range p.views[i].measures() {
				drawn[name] = true
			}
		}
	}
	return drawn
}

// quantities are those of the panels, by name.
func quantities(panels []panel) map[string]lab.Measure {
	drawn, all := shown(panels), map[string]lab.Measure{}
	// Of a name that both have it is the step's.
	for _, m := range append(lab.EvalMeasures(), lab.StepMeasures()...) {
		if drawn[m.Name] {
			all[m.Name] = m
		}
	}
	return all
}
