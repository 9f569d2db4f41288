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
