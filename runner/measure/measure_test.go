package measure

import (
	"strings"
	"testing"

	"drolab/dro"
)

// TestAsks: a measure whose description mentions the set or its radius says that it depends on
// them, because the same network has another value at another set or radius.
func TestAsks(t *testing.T) {
	problem := []string{"R_ρ", "worst case Q", "worst case on", "F(x; λ, η) on",
		"F(x; λ, η) of", "φ(r)"}
	for _, m := range append(EvalMeasures(), StepMeasures()...) {
		asks := false
		for _, words := range problem {
			asks = asks || strings.Contains(m.Doc, words)
		}
		if asks && m.Asks == dro.OfNetwork {
			t.Errorf("%s depends on the set and says that any two networks can be compared in "+
				"it: %s", m.Name, m.Doc)
		}
	}
	for name, want := range map[string]dro.Question{
		"test_accuracy":         dro.OfNetwork,
		"worst_class_accuracy":  dro.OfNetwork,
		"train_loss":            dro.OfLoss,
		"class_weight":          dro.OfProblem,
		"robust_risk":           dro.OfProblem,
		"train_robust_risk":     dro.OfProblem,
		"train_objective":       dro.OfProblem,
		"dual_gap":              dro.OfProblem,
		"effective_sample_size": dro.OfProblem,
		"objective":             dro.OfProblem,
		"gap":                   dro.OfProblem,
		"full_grad_norm":        dro.OfObjective,
	} {
		if m, ok := FindMeasure(name); !ok || m.Asks != want {
			t.Errorf("%s asks %d, want %d", name, m.Asks, want)
		}
	}
}

// TestTableIsMadeOnce: all callers get the same rows, none of which occurs twice, and what one of
// them appends changes no other's list. A registered measure is in the table until it is removed.
func TestTableIsMadeOnce(t *testing.T) {
	lists := map[string]func() []Measure{"EvalMeasures": EvalMeasures,
		"StepMeasures": StepMeasures, "SummaryMeasures": SummaryMeasures, "Decisions": Decisions}
	for name, list := range lists {
		a, b := list(), list()
		if &a[0] != &b[0] {
			t.Errorf("%s() makes a list for each call", name)
		}
		if a, b = append(a, Measure{}), append(b, Measure{}); &a[0] == &b[0] {
			t.Errorf("two callers that append to %s() write to the same place", name)
		}
	}
	named := map[string]bool{}
	for _, m := range append(EvalMeasures(), StepMeasures()...) {
		if named[m.Name] {
			t.Errorf("two measures have the name %q", m.Name)
		}
		named[m.Name] = true
	}

	remove := RegisterMeasure(Measure{Measure: dro.Measure{Name: "own"},
		Value: func(*Evaluation) Number { return Num(1) }})
	if _, ok := FindMeasure("own"); !ok {
		t.Error(`FindMeasure("own") finds nothing after RegisterMeasure`)
	}
	if got := EvalMeasures(); got[len(got)-1].Name != "own" {
		t.Errorf("the last of EvalMeasures() is %q after RegisterMeasure", got[len(got)-1].Name)
	}
	remove()
	if _, ok := FindMeasure("own"); ok {
		t.Error(`FindMeasure("own") finds a measure that was removed`)
	}
}
