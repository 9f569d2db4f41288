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

	"drolab/dro"
	"drolab/dro/peertest"
)

// decisionCase is a random split in the form in which the peer reads it.
type decisionCase struct {
	Classes     int       `json:"classes"`
	Groups      int       `json:"groups"`
	MinGroup    int       `json:"min_group"`
	Labels      []int     `json:"labels"`
	Predictions []int     `json:"predictions"`
	Of          []int     `json:"of"`     // groups
	Shares      []int     `json:"shares"` // training samples of each group
	Scores      []float64 `json:"scores"` // [sample][class]
}

// drawDecisionCase draws a split with ties, a group of one class, and a group without samples.
func drawDecisionCase(rng *rand.Rand) (c decisionCase) {
	c = decisionCase{Classes: 2, Groups: 1 + rng.IntN(5), MinGroup: rng.IntN(2) * rng.IntN(8)}
	if rng.IntN(4) == 0 {
		c.Classes = 3 + rng.IntN(3)
	}
	for range c.Groups {
		c.Shares = append(c.Shares, rng.IntN(3)*rng.IntN(100))
	}
	values := []float64{2, 8, 1 << 20}[rng.IntN(3)] // few give ties
	single := rng.IntN(c.Groups + 1)                // a group of one class, or none
	empty := rng.IntN(c.Groups + 1)                 // a group without samples, or none
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
		if c.Classes == 2 { // as confidences, which belong to the prediction
			weights[1-best] = 1 - weights[best]
		}
		c.Labels, c.Predictions = append(c.Labels, label), append(c.Predictions, best)
		c.Of, c.Scores = append(c.Of, group), append(c.Scores, weights...)
	}
	return c
}

// evaluation returns the evaluation of the split, with the fields that a network's pass fills.
func (c *decisionCase) evaluation() *Evaluation {
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
	return &Evaluation{Settings: Settings{MinGroup: c.MinGroup}, Classes: c.Classes,
		Groups: c.Groups, Shares: c.Shares, Test: p}
}

// The measures of decisions agree with scikit-learn and Fairlearn on random splits.
func TestDecisionsAgainstPeers(t *testing.T) {
	peertest.Python(t, "sklearn", "fairlearn")
	rng := rand.New(rand.NewPCG(5, 6))
	cases := make([]decisionCase, 200)
	for i := range cases {
		cases[i] = drawDecisionCase(rng)
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
			m := row.ofTest()
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
		if n := applied[row.Measure.Name]; n < 50 {
			t.Errorf("%q was compared %d times, want 50 or more", row.Measure.Name, n)
		}
	}
}

// sameAsPeer compares numbers with a peer's, and returns how many of them apply.
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

// on returns the value of a measure on the test split.
func on(t *testing.T, e *Evaluation, name string) Number {
	t.Helper()
	m, found := FindMeasure(name)
	if !found || m.IsList() {
		t.Fatalf("%s is no such measure", name)
	}
	return m.Value(e)
}

// labelled returns a split of two classes whose predictions are right but for the samples in wrong.
func labelled(labels, groups []int, wrong ...int) *Evaluation {
	p := &Pass{Labels: labels, Groups: groups}
	for i := range labels {
		p.Correct = append(p.Correct, !slices.Contains(wrong, i))
	}
	return &Evaluation{Settings: Settings{MinGroup: 1}, Classes: 2,
		Groups: 1 + slices.Max(groups), Test: p}
}

// expectNone expects a measure not to apply.
func expectNone(t *testing.T, e *Evaluation, name string) {
	t.Helper()
	if n := on(t, e, name); n.Applies() {
		t.Errorf("%s is %v, want none", name, n)
	}
}

// A measure that cannot be known or compared does not apply, and the other measures do.
func TestDecisionsThatDoNotApply(t *testing.T) {
	mixed := labelled([]int{0, 1, 0, 1}, []int{0, 0, 1, 1}, 3)
	for name, want := range map[string]float64{"equal_opportunity": 1, "equalised_odds": 1,
		"demographic_parity": .5, "demographic_parity_ratio": 0} {
		if got := on(t, mixed, name); got != Num(want) {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	expectNone(t, mixed, "auroc") // the predictions have no confidences
	mixed.Settings.MinGroup = 2   // a group has one positive, and two samples
	expectNone(t, mixed, "equal_opportunity")
	if !on(t, mixed, "demographic_parity").Applies() {
		t.Error("demographic_parity does not apply to groups with min_group samples")
	}

	ofLabel := labelled([]int{0, 0, 1, 1}, []int{0, 1, 2, 3}, 3)
	expectNone(t, ofLabel, "demographic_parity")
	expectNone(t, ofLabel, "demographic_parity_ratio")
	if got := on(t, ofLabel, "equalised_odds"); got != Num(1) {
		t.Errorf("equalised_odds of groups that are made of the label is %v, want 1", got)
	}

	never := labelled([]int{0, 1, 0, 1}, []int{0, 0, 1, 1}, 1, 3) // nothing is selected
	expectNone(t, never, "demographic_parity_ratio")
	if got := on(t, never, "demographic_parity"); got != Num(0) {
		t.Errorf("demographic_parity of rates that are 0 is %v, want 0", got)
	}

	many := labelled([]int{0, 1, 2, 1}, []int{0, 0, 1, 1})
	many.Classes = 3
	for _, name := range []string{"auroc", "macro_f1", "worst_class_f1", "equalised_odds",
		"equal_opportunity", "demographic_parity"} {
		if on(t, many, name).Applies() {
			t.Errorf("%s of three classes, of which it is known what is right alone", name)
		}
	}
}

// The threshold of val_f1 is the score with the greatest F1 of the second class, by brute force,
// and the largest of equals. Decisions follow the threshold; orderings such as AUROC do not.
func TestThreshold(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for range 50 {
		var c decisionCase
		for c.Classes != 2 || !slices.Contains(c.Labels, positiveLabel) {
			c = drawDecisionCase(rng)
		}
		e := c.evaluation()
		plain := on(t, e, "auroc")
		f1 := func(at float64) float64 {
			hit, taken, all := 0., 0., 0.
			for i, label := range c.Labels {
				in := c.Scores[2*i+1] >= at
				switch {
				case in && label == positiveLabel:
					hit, taken, all = hit+1, taken+1, all+1
				case in:
					taken++
				case label == positiveLabel:
					all++
				}
			}
			return 2 * hit / (taken + all)
		}
		best, most := 0., 0.
		for i := range c.Labels {
			at := c.Scores[2*i+1]
			if f := f1(at); f > most || f == most && at > best {
				best, most = at, f
			}
		}
		again := c.evaluation()
		again.Settings.ByVal = true
		if again.Val = again.Test; on(t, again, "threshold") != Num(best) {
			t.Fatalf("the threshold is %v, want %v", on(t, again, "threshold"), best)
		}
		values, _ := again.f1()
		if math.Abs(values[positiveLabel].Float()-most) > 1e-12 {
			t.Errorf("at the threshold F1 is %v, want %v", values[positiveLabel], most)
		}
		if got := on(t, again, "auroc"); got != plain {
			t.Errorf("at the threshold the AUROC is %v, want %v, as without", got, plain)
		}
		stored := c.evaluation()
		stored.Settings, stored.Threshold = again.Settings, Num(best)
		if a, _ := stored.f1(); !slices.Equal(a, values) {
			t.Errorf("at a threshold that was chosen before F1 is %v, want %v", a, values)
		}
	}
	e := labelled([]int{0, 1}, []int{0, 0})
	e.Settings.Threshold = Num(.3)
	if got := on(t, e, "macro_f1"); got.Applies() {
		t.Errorf("macro_f1 is %v at a threshold on probabilities that are not known", got)
	}
}

// subject is a run with these parts, and without settings that measures depend on.
type subject struct{ Parts }

func (s *subject) Measured() (Settings, *Parts, bool) { return Settings{}, &s.Parts, false }

// Other data have no new fields: their files have no measures of two classes or of groups.
func TestDecisionsAreWrittenWhereTheyApply(t *testing.T) {
	names := func(classes, groups []string) (list []string) {
		of := &subject{Parts{Classes: classes, Groups: groups}}
		of.ClassCounts.Val = []int{1, 1}
		for _, row := range decisionRows() {
			for _, m := range []Measure{row.ofTest(), row.ofVal()} {
				if m.CanApply(of) {
					list = append(list, m.Name)
				}
			}
		}
		return list
	}
	two, three := []string{"no", "yes"}, []string{"a", "b", "c"}
	var all, any, grouped int // fields where everything applies, on any data, and on groups
	for _, row := range decisionRows() {
		if all += 2; !row.pair {
			grouped += 2
			if !row.group {
				any += 2
			}
		}
	}
	for _, c := range []struct {
		classes, groups []string
		want            int
	}{{two, two, all}, {two, nil, any}, {three, two, grouped}, {three, nil, any}} {
		if got := names(c.classes, c.groups); len(got) != c.want {
			t.Errorf("%v by %v: %v", c.classes, c.groups, got)
		}
	}
}

// A run may select by every number of the validation split that has a better side, and by no other.
func TestSelections(t *testing.T) {
	for _, m := range EvalMeasures() {
		want := strings.HasPrefix(m.Name, "val_") && !m.IsList() && m.Better != dro.Neither
		if got := slices.Contains(Selections(), m.Name); got != want {
			t.Errorf("select: %s is possible: %v, want %v", m.Name, got, want)
		}
	}
	for _, name := range []string{"val_loss", "val_accuracy", "val_auroc", "val_equalised_odds"} {
		if !slices.Contains(Selections(), name) {
			t.Errorf("select: %s is not possible", name)
		}
	}
}

// BenchmarkDecisions measures the cost that decisions add to an evaluation of 16 000 samples.
func BenchmarkDecisions(b *testing.B) {
	for _, classes := range []int{2, 8} {
		b.Run(fmt.Sprint(classes, " classes"), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(9, 10))
			c := decisionCase{Classes: classes, Groups: 4, MinGroup: 20}
			for range 16000 {
				sum, from := 0., len(c.Scores)
				for range classes {
					c.Scores = append(c.Scores, rng.Float64())
					sum += c.Scores[len(c.Scores)-1]
				}
				scores := c.Scores[from:]
				for k := range scores {
					scores[k] /= sum
				}
				c.Predictions = append(c.Predictions, slices.Index(scores, slices.Max(scores)))
				c.Labels = append(c.Labels, rng.IntN(classes))
				c.Of = append(c.Of, rng.IntN(4))
			}
			rows := Decisions()
			e := c.evaluation()
			for b.Loop() {
				e.Test.areas, e.Test.right, e.Test.predicted = nil, nil, nil
				var v Values
				var l Lists
				for _, m := range rows {
					m.Compute(e, &v, &l)
				}
			}
		})
	}
}
