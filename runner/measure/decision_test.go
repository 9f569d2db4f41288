package measure

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drolab/dro/peertest"
	"drolab/runner/spec"
)

// decided is a drawn split as the peer takes it.
type decided struct {
	Classes     int       `json:"classes"`
	Groups      int       `json:"groups"`
	MinGroup    int       `json:"min_group"`
	Labels      []int     `json:"labels"`
	Predictions []int     `json:"predictions"`
	Of          []int     `json:"of"`     // groups
	Scores      []float64 `json:"scores"` // [sample][class]
}

// drawDecided draws a split with ties, groups of one class, and groups without samples.
func drawDecided(rng *rand.Rand) (c decided) {
	c = decided{Classes: 2, Groups: 1 + rng.IntN(5), MinGroup: rng.IntN(2) * rng.IntN(8)}
	if rng.IntN(4) == 0 {
		c.Classes = 3 + rng.IntN(3)
	}
	values := []float64{2, 8, 1 << 20}[rng.IntN(3)] // few give ties
	single := rng.IntN(c.Groups + 1)                // a group of one class, or none
	empty := rng.IntN(c.Groups + 1)                 // likewise without samples
	for range 2 + rng.IntN(150) {
		label, group := rng.IntN(c.Classes), rng.IntN(c.Groups)
		if group == empty && c.Groups > 1 {
			group = (group + 1) % c.Groups
		}
		if group == single {
			label = single % 2
		}
		weights, sum := make([]float64, c.Classes), 0.
		for k := range weights {
			weights[k] = 1 + math.Floor(rng.Float64()*values)
			if k == label {
				weights[k] *= 2
			}
			sum += weights[k]
		}
		best := slices.Index(weights, slices.Max(weights))
		for k, w := range weights {
			weights[k] = float64(float32(w / sum))
		}
		if c.Classes == 2 { // as confidences have it, which are of the prediction
			weights[1-best] = 1 - weights[best]
		}
		c.Labels, c.Predictions = append(c.Labels, label), append(c.Predictions, best)
		c.Of, c.Scores = append(c.Of, group), append(c.Scores, weights...)
	}
	return c
}

// evaluation is that of the split, which has what a pass of a network has.
func (c *decided) evaluation() *Evaluation {
	s := spec.Defaults()
	s.MinGroup = c.MinGroup
	p := &Pass{Labels: c.Labels, Groups: c.Of}
	for i, label := range c.Labels {
		p.Correct = append(p.Correct, label == c.Predictions[i])
		p.Confidences = append(p.Confidences, c.Scores[i*c.Classes+c.Predictions[i]])
	}
	if c.Classes > 2 {
		p.Predictions = c.Predictions
		for _, x := range c.Scores {
			p.Probabilities = append(p.Probabilities, float32(x))
		}
	}
	return &Evaluation{Spec: &s, Classes: c.Classes, Groups: c.Groups, Test: p}
}

// What is decided comes to scikit-learn's and Fairlearn's figures, on drawn splits.
func TestDecisionsAgainstPeers(t *testing.T) {
	peertest.Python(t, "sklearn", "fairlearn")
	rng := rand.New(rand.NewPCG(5, 6))
	cases := make([]decided, 200)
	for i := range cases {
		cases[i] = drawDecided(rng)
	}
	text, err := json.Marshal(cases)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "cases.json")
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
	out := peertest.Run(t, "sklearn fairlearn", filepath.Join("peer", "decision.py"), path)
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	if len(lines) != len(cases) {
		t.Fatalf("%d lines", len(lines))
	}
	applied := map[string]int{}
	for i, line := range lines {
		var want map[string]json.RawMessage
		if err := json.Unmarshal(line, &want); err != nil {
			t.Fatal(err)
		}
		e := cases[i].evaluation()
		for _, row := range decisionRows() {
			if row.pair && e.Classes > 2 {
				continue
			}
			m := row.test()
			got := []Number{}
			if m.IsList() {
				got = m.List(e)
			} else {
				got = append(got, m.Value(e))
			}
			applied[m.Name] += sameAsPeer(t, fmt.Sprint(i, " ", m.Name), got, want[m.Name])
		}
	}
	for _, row := range decisionRows() {
		if row.Measure.Name == "" || applied[row.Measure.Name] < 50 {
			t.Errorf("%s was compared %d times", row.Measure.Name, applied[row.Measure.Name])
		}
	}
}

// sameAsPeer compares numbers with a peer's, and counts those that apply.
func sameAsPeer(t *testing.T, what string, got []Number, peer json.RawMessage) (applied int) {
	t.Helper()
	want := make([]*float64, 1)
	if strings.HasPrefix(string(peer), "[") {
		if err := json.Unmarshal(peer, &want); err != nil {
			t.Fatal(err)
		}
	} else if peer != nil {
		if err := json.Unmarshal(peer, &want[0]); err != nil {
			t.Fatal(err)
		}
	}
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, the peer has %d", what, len(got), len(want))
	}
	for k, w := range want {
		switch {
		case w == nil && got[k].Applies():
			t.Errorf("%s: %v does not apply", what, got[k])
		case w != nil && !(math.Abs(got[k].Float()-*w) <= 1e-12):
			t.Errorf("%s: %v, the peer has %v", what, got[k], *w)
		case w != nil:
			applied++
		}
	}
	return applied
}
