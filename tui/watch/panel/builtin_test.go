package panel

import (
	"fmt"
	"slices"
	"testing"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/measure"
	"drolab/tui/internal/tuitest"
)

// TestPanels: every panel is made of measures that exist, and no view is empty.
func TestPanels(t *testing.T) {
	table := panels(BuiltIn(), dro.Algorithms())
	drawn := quantities(table)
	for _, p := range table {
		if p.Title == "" || len(p.Views) == 0 {
			t.Errorf("panel %q has %d views", p.Title, len(p.Views))
		}
		for _, v := range p.Views {
			for _, name := range v.Measures() {
				if _, ok := drawn[name]; !ok {
					t.Errorf("%s: no measure is called %q", p.Title, name)
				}
			}
			m, found := measure.FindMeasure(v.Bars)
			classes := found && m.IsList() || v.Lists() || v.ShowsSamples()
			if curves := len(v.Measures()) > 0; classes == curves {
				t.Errorf("%s: view %q shows curves of %v and bars of %q, want one of both", p.Title,
					v.Name, v.Measures(), v.Bars)
			}
			if other := v.Phase || v.As != nil; other != (v.Doc != "") {
				t.Errorf("%s: view %q has the text %q; its measures define it: %v", p.Title, v.Name,
					v.Doc, !other)
			}
		}
	}
}

// TestFilms: a film of groups has two measures of groups, and the film of classes beside it two
// measures of classes.
func TestFilms(t *testing.T) {
	m := tuitest.Meta(dro.SFK, tuitest.Epoch0())
	m.Groups = []string{"coast", "reef", "wreck"}
	got := fmt.Sprint(filmMeasures(panels(BuiltIn(), []dro.Algorithm{dro.SFK}, m), m))
	if got != "[class_accuracy class_weight group_accuracy group_ratio]" {
		t.Errorf("the films show %s, want classes and groups by accuracy and weight", got)
	}
}

// TestPanelsOfGroups: if all runs have groups, the panel of the worst class shows the worst group
// instead.
func TestPanelsOfGroups(t *testing.T) {
	m := tuitest.Meta(dro.SFK, tuitest.Epoch0())
	m.Groups = []string{"coast", "reef", "wreck"}
	grouped := panels(BuiltIn(), []dro.Algorithm{dro.SFK}, m)
	if v := grouped[5].Views[0]; v.Name != "worst group and mean" ||
		v.Curves[0] != "worst_group_accuracy" {
		t.Errorf("the panel of accuracies shows %+v, want worst group and mean", v)
	}
}

// TestPanelsWithoutLambda: a set without a radius has no λ, so the panel of the dual variables
// shows η, and no panel draws λ.
func TestPanelsWithoutLambda(t *testing.T) {
	m := tuitest.Meta(dro.SFK, tuitest.Epoch0())
	for set, first := range map[string]string{"chi2": "λ and η", "cvar": "η"} {
		m.Spec.Uncertainty = set
		table := panels(BuiltIn(), []dro.Algorithm{dro.SFK}, m)
		_, drawn := quantities(table)["lambda"]
		if got := table[2].Views[0].Name; got != first {
			t.Errorf("%s: the panel of z shows %q, want %q", set, got, first)
		}
		if drawn != (set == "chi2") {
			t.Errorf("%s: λ is drawn: %v, want %v", set, drawn, set == "chi2")
		}
	}
}

// TestPanelsOfDecisions: if the groups have two classes, their rates are shown beside their
// accuracies, and the gaps are drawn.
func TestPanelsOfDecisions(t *testing.T) {
	m := tuitest.Meta(dro.SFK, tuitest.Epoch0())
	m.Groups = []string{"coast", "reef", "wreck"}
	for _, two := range []bool{false, true} {
		if two {
			m.Classes = m.Classes[:2]
		}
		table, rates := panels(BuiltIn(), []dro.Algorithm{dro.SFK}, m), 0
		for _, v := range table[1].Views {
			if v.Bars == "group_selection_rate" {
				rates++
			}
		}
		drawn := quantities(table)
		_, gap := drawn["equalised_odds"]
		if _, area := drawn["auroc"]; !area {
			t.Errorf("of two classes %v: no panel draws AUROC", two)
		}
		if gap != two {
			t.Errorf("of two classes %v: the gap of the odds is drawn: %v, want %v", two, gap, two)
		}
		if (rates == 1) != two {
			t.Errorf("of two classes %v: %d views of rates", two, rates)
		}
	}
}

// TestNoPanelWithoutMeasures: whatever method is watched alone, every curve that a panel offers is
// of a measure that the method has, and the largest grid still has a panel for each place.
func TestNoPanelWithoutMeasures(t *testing.T) {
	const places = 6
	for _, method := range dro.Algorithms() {
		m := tuitest.Meta(method, tuitest.Epoch0())
		table := panels(BuiltIn(), []dro.Algorithm{method}, m)
		for _, p := range table {
			for _, v := range p.Views {
				for _, name := range v.Measures() {
					q := quantities(table)[name]
					if !reported(&q, []dro.Algorithm{method}, []*runner.Meta{m}) {
						t.Errorf("%s: panel %s offers %s, which the method does not have", method,
							p.Title, name)
					}
				}
			}
		}
		gap := slices.ContainsFunc(table, func(p Panel) bool { return p.Title == "Gap" })
		if want := method != dro.Baseline(); method == dro.SFK && !gap || gap && !want {
			t.Errorf("%s: a panel of gaps: %v, want %v", method, gap, want)
		}
		if len(table) < places {
			t.Errorf("%s: %d panels, want %d at least", method, len(table), places)
		}
	}
}
