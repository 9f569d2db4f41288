package certificate

import (
	"math"
	"testing"

	"drolab/runner/spec"

	"github.com/google/go-cmp/cmp"
)

// On every split, the last layer of the frozen features gives the network's own logits: their
// softmax gives its probabilities, and their losses are its losses.
func TestFeatures(t *testing.T) {
	models := map[string]func(*spec.Spec){
		"linear": shapes,
		"mlp":    func(s *spec.Spec) { table(s); s.Model, s.Dropout = "mlp", .1 },
	}
	if !testing.Short() {
		models["convnet"] = func(s *spec.Spec) { shapes(s); s.Samples, s.Model = 48, "convnet" }
	}
	for name, change := range models {
		t.Run(name, func(t *testing.T) {
			r := trained(t, change)
			q := ViewOf{Run: r, Step: -1, Inspection: Inspection{Threads: 2,
				Probabilities: true}}
			f, err := Features(t.Context(), q, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			splits := 2
			if f.Data.Val != nil {
				splits = 3
			}
			if n := len(f.Splits); n != splits {
				t.Errorf("Features() has %d splits, want %d", n, splits)
			}
			if f.Step != r.Meta.Steps {
				t.Errorf("Features() are of step %d, want the last, %d", f.Step, r.Meta.Steps)
			}
			for _, p := range f.Splits {
				q.Split = p.Split
				l, err := NewView(t.Context(), q)
				if err != nil {
					t.Fatal(err)
				}
				for what, lists := range map[string][2][]int{"rows": {l.Rows, p.Rows},
					"labels": {l.Labels, p.Labels}, "groups": {l.Groups, p.Groups}} {
					if diff := cmp.Diff(lists[0], lists[1]); diff != "" {
						t.Errorf("%s: the %s differ (-NewView +Features):\n%s", p.Split, what, diff)
					}
				}
				for i, x := range p.Features {
					part, sum := logits(&f.Layer, x), 0.0
					for _, u := range part {
						sum += math.Exp(u)
					}
					for k, u := range part {
						if off := math.Exp(u)/sum - float64(l.Of(i)[k]); math.Abs(off) > 1e-6 {
							t.Fatalf("%s: class %d of sample %d is off by %v", p.Split, k, i, off)
						}
					}
					off := math.Log(sum) - part[p.Labels[i]] - l.Losses[i]
					if math.Abs(off) > 1e-5 {
						t.Fatalf("%s: the loss of sample %d is off by %v", p.Split, i, off)
					}
				}
				if err := l.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
