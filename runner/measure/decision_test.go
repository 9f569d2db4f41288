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
	"strconv"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/dro/peertest"
	"drolab/runner/spec"
)

// decided is a random split in the form in which the peer reads it.
type decided struct {
	Classes     int       `json:"classes"`
	Groups      int       `json:"groups"`
	MinGroup    int       `json:"min_group"`
	Labels      []int     `json:"labels"`
	Predictions []int     `json:"predictions"`
	Of          []int     `json:"of"`     // groups
	Shares      []int     `json:"shares"` // training samples of each group
	Scores      []float64 `json:"scores"` // [sample][class]
}

// drawDecided draws a split with ties, a group of one class, and a group without samples.
func drawDecided(rng *rand.Rand) (c decided) {
	c = decided{Classes: 2, Groups: 1 + rng.IntN(5), MinGroup: rng.IntN(2) * rng.IntN(8)}
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
	return &Evaluation{Spec: &s, Classes: c.Classes, Groups: c.Groups, Shares: c.Shares, Test: p}
}

// The measures of decisions agree with scikit-learn and Fairlearn on random splits.
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
		if row.Measure.Name == "" || applied[row.Measure.Name] < 50 {
			t.Errorf("%s was compared %d times", row.Measure.Name, applied[row.Measure.Name])
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
	s := spec.Defaults()
	s.MinGroup = 1
	p := &Pass{Labels: labels, Groups: groups}
	for i := range labels {
		p.Correct = append(p.Correct, !slices.Contains(wrong, i))
	}
	return &Evaluation{Spec: &s, Classes: 2, Groups: 1 + slices.Max(groups), Test: p}
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
	if on(t, mixed, "auroc").Applies() { // the predictions have no confidences
		t.Error("an AUROC without scores")
	}
	mixed.Spec.MinGroup = 2 // a group has one positive
	if on(t, mixed, "equal_opportunity").Applies() ||
		!on(t, mixed, "demographic_parity").Applies() {
		t.Error("min_group is not of the samples that a rate is a share of")
	}

	ofLabel := labelled([]int{0, 0, 1, 1}, []int{0, 1, 2, 3}, 3)
	if on(t, ofLabel, "demographic_parity").Applies() ||
		on(t, ofLabel, "demographic_parity_ratio").Applies() {
		t.Error("parity of groups that are made of the label")
	}
	if got := on(t, ofLabel, "equalised_odds"); got != Num(1) {
		t.Errorf("equalised odds of groups that are made of the label: %v", got)
	}

	never := labelled([]int{0, 1, 0, 1}, []int{0, 0, 1, 1}, 1, 3) // nothing is selected
	if on(t, never, "demographic_parity_ratio").Applies() ||
		on(t, never, "demographic_parity") != Num(0) {
		t.Error("a ratio of rates that are 0")
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
		var c decided
		for c.Classes != 2 || !slices.Contains(c.Labels, positiveLabel) {
			c = drawDecided(rng)
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
		if err := again.Spec.Assign("threshold", []byte(`"val_f1"`)); err != nil {
			t.Fatal(err)
		}
		if again.Val = again.Test; on(t, again, "threshold") != Num(best) {
			t.Fatalf("the threshold is %v, want %v", on(t, again, "threshold"), best)
		}
		values, _ := again.f1()
		if math.Abs(values[positiveLabel].Float()-most) > 1e-12 || on(t, again, "auroc") != plain {
			t.Errorf("at the threshold F1 is %v, want %v", values[positiveLabel], most)
		}
		stored := c.evaluation()
		stored.Spec, stored.Threshold = again.Spec, Num(best)
		if a, _ := stored.f1(); !slices.Equal(a, values) {
			t.Errorf("at a threshold that was chosen before F1 is %v, want %v", a, values)
		}
	}
	e := labelled([]int{0, 1}, []int{0, 0})
	for text, ok := range map[string]bool{`.3`: false, `0.3`: true, `0`: false, `1`: false,
		`"val_f2"`: false, `0.5`: true} {
		if err := e.Spec.Assign("threshold", []byte(text)); (err == nil) != ok {
			t.Errorf("threshold %s: %v", text, err)
		}
	}
	if e.Spec.Assign("threshold", []byte(`0.5`)); e.Spec.Threshold.IsSet() {
		t.Error("the class of the greatest probability is no threshold of its own")
	}
	if e.Spec.Assign("threshold", []byte(`0.3`)); on(t, e, "macro_f1").Applies() {
		t.Error("a threshold on probabilities that are not known")
	}
}

// parts holds the spec and the parts of a run.
type parts struct {
	spec.Spec
	Parts
}

func (p *parts) Measured() (*spec.Spec, *Parts, bool) { return &p.Spec, &p.Parts, false }

// Other data have no new fields: their files have no measures of two classes or of groups.
func TestDecisionsAreWrittenWhereTheyApply(t *testing.T) {
	names := func(classes, groups []string) (list []string) {
		of := &parts{spec.Defaults(), Parts{Classes: classes, Groups: groups}}
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
		if got := slices.Contains(spec.Selections(), m.Name); got != want {
			t.Errorf("select: %s is possible: %v, want %v", m.Name, got, want)
		}
	}
	for _, name := range []string{"val_loss", "val_accuracy", "val_auroc", "val_equalised_odds"} {
		if !slices.Contains(spec.Selections(), name) {
			t.Errorf("select: %s is not possible", name)
		}
	}
}

// Threads make no difference. A bootstrap interval is close to the normal limit's, where there is
// one: for accuracy p ± 1.96 √(p (1 − p)/n), for AUROC that of Hanley and McNeil 1982.
func TestBootstrap(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	e := labelled(make([]int, 600), make([]int, 600))
	p := e.Test
	for i := range p.Labels {
		p.Labels[i] = rng.IntN(2)
		x := rng.ExpFloat64() // a negative's score; a positive's is twice as large: A = 2/3
		x *= float64(1 + p.Labels[i])
		score := x / (1 + x)
		p.Correct[i] = (score > .5) == (p.Labels[i] == 1)
		p.Confidences = append(p.Confidences, max(score, 1-score))
	}
	rows := []Measure{}
	for _, name := range []string{"test_accuracy", "auroc", "demographic_parity"} {
		m, _ := FindMeasure(name)
		rows = append(rows, m)
	}
	got := e.Bootstrap(rows, 400, 1, 3)
	if other := e.Bootstrap(rows, 400, 3, 3); !slices.Equal(got, other) {
		t.Errorf("on one thread %v, on three %v", got, other)
	}
	accuracy, area := rows[0].Value(e).Float(), rows[1].Value(e).Float()
	n := 0.
	for _, l := range p.Labels {
		n += float64(l)
	}
	m := 600 - n
	q1, q2 := area/(2-area), 2*area*area/(1+area)
	variance := (area*(1-area) + (n-1)*(q1-area*area) + (m-1)*(q2-area*area)) / (n * m)
	for k, half := range []float64{z95 * math.Sqrt(accuracy*(1-accuracy)/600),
		z95 * math.Sqrt(variance)} {
		low, high := got[k][0].Float(), got[k][1].Float()
		value := rows[k].Value(e).Float()
		if math.Abs(high-low-2*half) > .15*2*half || math.Abs((low+high)/2-value) > .3*half {
			t.Errorf("%s: %v in [%v, %v], the limit has ± %v", rows[k].Name, value, low, high, half)
		}
	}
	if got[2] != (Interval{}) {
		t.Errorf("an interval of what does not apply: %v", got[2])
	}
	if e.Bootstrap(rows, 0, 1, 3)[0] != (Interval{}) {
		t.Error("an interval of no resample")
	}
}

// BenchmarkDecisions measures the cost that decisions add to an evaluation of 16 000 samples.
func BenchmarkDecisions(b *testing.B) {
	for _, classes := range []int{2, 8} {
		b.Run(fmt.Sprint(classes, " classes"), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(9, 10))
			c := decided{Classes: classes, Groups: 4, MinGroup: 20}
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

// drawn returns scores with many ties. Each score belongs to one sample, or has a random weight.
func drawn(rng *rand.Rand, n, values int, weighted bool) (list []scoreGroup) {
	for range n {
		s := scoreGroup{Score: float64(rng.IntN(values)) / float64(values)}
		weight := 1.0
		if weighted {
			weight = rng.Float64() + .01
		}
		if rng.Float64() < .2+.5*s.Score {
			s.Of = weight
		} else {
			s.Others = weight
		}
		list = append(list, s)
	}
	return list
}

// AUROC is the share of pairs that are in order, here counted by the definition.
func TestAUROC(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, values := range []int{1, 2, 7, 1000} {
		list := drawn(rng, 200, values, values > 2)
		var won, pairs float64
		for _, a := range list {
			for _, b := range list {
				pairs += a.Of * b.Others
				switch {
				case a.Score > b.Score:
					won += a.Of * b.Others
				case a.Score == b.Score:
					won += a.Of * b.Others / 2
				}
			}
		}
		if got := AUROC(list); math.Abs(got.Float()-won/pairs) > 1e-12 {
			t.Errorf("%d values: %v, want %v", values, got, won/pairs)
		}
	}
	if AUROC([]scoreGroup{{1, 1, 0}, {2, 3, 0}}).Applies() || AUROC(nil).Applies() {
		t.Error("it applies without others")
	}
	if got := AUROC([]scoreGroup{{math.NaN(), 1, 0}, {math.NaN(), 0, 1}}); got.Float() != .5 {
		t.Errorf("scores that are no numbers: %v", got)
	}
}

// AUROC agrees with scikit-learn's.
func TestAUROCAgainstPeer(t *testing.T) {
	peertest.Python(t, "sklearn")
	rng := rand.New(rand.NewPCG(3, 4))
	var lists [][]scoreGroup
	var sent [][][3]float64
	for _, values := range []int{2, 10, 1000, 1 << 30} {
		list := drawn(rng, 500, values, values == 10)
		var rows [][3]float64
		for _, s := range list {
			of := 0.0
			if s.Of > 0 {
				of = 1
			}
			rows = append(rows, [3]float64{s.Score, of, s.Of + s.Others})
		}
		lists, sent = append(lists, list), append(sent, rows)
	}
	text, err := json.Marshal(sent)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "lists.json")
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
	out := peertest.Run(t, "sklearn", filepath.Join("peer", "auroc.py"), path)
	lines := strings.Fields(string(out))
	if len(lines) != len(lists) {
		t.Fatalf("%s", out)
	}
	for i, line := range lines {
		want, err := strconv.ParseFloat(line, 64)
		if got := AUROC(lists[i]).Float(); err != nil || math.Abs(got-want) > 1e-12 {
			t.Errorf("list %d: %v, scikit-learn has %s", i, got, line)
		}
	}
}

// Every ratio falls into the bin that has it between its edges, and a ratio on an edge into the bin
// that begins there.
func TestRatioHistogram(t *testing.T) {
	edges := append(RatioEdges(), math.Inf(1))
	var ratios []float64
	for _, e := range edges[:ratioBins] {
		ratios = append(ratios, e, e*1.01)
	}
	ratios = append(ratios, 1e300)
	want := make([]float64, ratioBins)
	for _, r := range ratios {
		for i := range ratioBins {
			if r >= edges[i] && r < edges[i+1] {
				want[i]++
			}
		}
	}
	row := histogramRow()
	for i, n := range row.List(&Evaluation{Ratios: ratios}) {
		if n.Float() != want[i] {
			t.Errorf("bin %d from %g has %g, want %g", i, edges[i], n.Float(), want[i])
		}
	}
}
