package measure

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"drolab/dro"
)

// madeUp returns an evaluation of two small splits with three classes and four groups. The last
// group has no samples, and the third has few.
func madeUp(seed uint64) *Evaluation {
	rng := rand.New(rand.NewPCG(seed, 0))
	pass := func(n int) *Pass {
		p := &Pass{Worst: dro.Worst{Risk: rng.Float64()},
			Risks: []Number{Num(rng.Float64()), Num(rng.Float64())}}
		for range n {
			p.Losses = append(p.Losses, rng.ExpFloat64())
			p.Correct = append(p.Correct, rng.IntN(3) > 0)
			p.Confidences = append(p.Confidences, 1.0/3+rng.Float64()*2/3)
			p.Labels = append(p.Labels, rng.IntN(3))
			p.Groups = append(p.Groups, min(2, rng.IntN(40)/18))
		}
		return p
	}
	e := &Evaluation{Settings: Settings{MinGroup: 20, EtaMax: 10},
		Problem: &dro.Problem{Set: dro.CressieRead{K: 2}, Rho: 1},
		Classes: 3, Groups: 4, Train: pass(90), Test: pass(150), Val: pass(120)}
	e.Ratios = make([]float64, 90)
	for i := range e.Ratios {
		e.Ratios[i] = rng.Float64()
	}
	return e
}

// where returns the mean of a value over the samples for which in holds, and their number.
func where(p *Pass, value func(i int) float64, in func(i int) bool) (mean float64, n int) {
	for i := range p.Losses {
		if in(i) {
			mean, n = mean+value(i), n+1
		}
	}
	return mean / float64(n), n
}

// bruteForce computes each measure of a split, sample by sample.
func bruteForce(e *Evaluation, p *Pass) map[string][]float64 {
	right := func(i int) float64 {
		if p.Correct[i] {
			return 1
		}
		return 0
	}
	loss := func(i int) float64 { return p.Losses[i] }
	all := func(int) bool { return true }
	want := map[string][]float64{"robust_risk": {p.Worst.Risk}}
	for _, r := range p.Risks {
		want["robust_risk_at"] = append(want["robust_risk_at"], r.Float())
	}
	one := func(name string, x float64) { want[name] = append(want[name], x) }
	worst := map[string]float64{"class": 2, "group": 2}
	part := func(kind string, is func(i int) bool) {
		a, n := where(p, right, is)
		l, _ := where(p, loss, is)
		one(kind+"_accuracy", a)
		one(kind+"_loss", l)
		if n >= 20 {
			worst[kind] = min(worst[kind], a)
		}
	}
	balanced := 0.0
	for c := range 3 {
		part("class", func(i int) bool { return p.Labels[i] == c })
		balanced += want["class_accuracy"][c] / 3
	}
	for g := range 4 {
		part("group", func(i int) bool { return p.Groups[i] == g })
		recall, classes := 0.0, 0.0
		for c := range 3 {
			a, n := where(p, right,
				func(i int) bool { return p.Groups[i] == g && p.Labels[i] == c })
			if n > 0 {
				recall, classes = recall+a, classes+1
			}
		}
		one("group_recall", recall/classes)
	}
	one("worst_class_accuracy", worst["class"])
	one("worst_group_accuracy", worst["group"])
	one("balanced_accuracy", balanced)
	a, _ := where(p, right, all)
	l, _ := where(p, loss, all)
	one("test_accuracy", a)
	one("test_loss", l)
	ece := 0.0
	for b := range 15 {
		in := func(i int) bool {
			return p.Confidences[i] > float64(b)/15 && p.Confidences[i] <= float64(b+1)/15
		}
		a, n := where(p, right, in)
		c, _ := where(p, func(i int) float64 { return p.Confidences[i] }, in)
		if n > 0 {
			ece += float64(n) / float64(len(p.Losses)) * math.Abs(a-c)
		}
	}
	one("calibration_error", ece)
	pairs := 0.0 // the variance is half the mean square difference of two samples
	for _, a := range p.Losses {
		for _, b := range p.Losses {
			pairs += (a - b) * (a - b)
		}
	}
	one("risk_sensitivity", math.Sqrt(pairs)/float64(len(p.Losses)))
	return want
}

// ofTraining names the measures of the training split and of the method's state, which tests of
// their own compute a second time.
var ofTraining = map[string]bool{"above_bound": true, "best_eta": true, "best_lambda": true,
	"class_weight": true, "dual_gap": true, "effective_sample_size": true, "excess_risk": true,
	"full_grad_norm": true, "group_ratio": true, "output_dual_gap": true, "output_grad_norm": true,
	"penalised_gap": true, "ratio_histogram": true, "train_loss": true, "train_objective": true,
	"threshold": true, "train_robust_risk": true, "worst_divergence": true}

// isDecision reports whether a measure is one of decision.go, which scikit-learn and fairlearn
// compute a second time.
func isDecision(name string) bool {
	return slices.ContainsFunc(Decisions(), func(m Measure) bool {
		return strings.TrimPrefix(m.Name, "test_") == name
	})
}

// Every measure that both splits have, but for those of decision.go, agrees with loops over the
// samples, on both splits.
func TestMeasuresOfSplitsByBruteForce(t *testing.T) {
	for seed := range uint64(5) {
		e := madeUp(seed)
		for prefix, p := range map[string]*Pass{"": e.Test, "val_": e.Val} {
			want := bruteForce(e, p)
			for _, m := range EvalMeasures() {
				name, isVal := strings.CutPrefix(m.Name, "val_")
				if isVal != (prefix != "") {
					continue
				}
				if isVal && (name == "loss" || name == "accuracy") {
					name = "test_" + name
				}
				if want[name] == nil && !ofTraining[name] && !isDecision(name) {
					t.Errorf("%s: bruteForce has no %s; if it is a measure of the training split, "+
						"name it in ofTraining", m.Name, name)
				}
				var got []Number
				if m.IsList() {
					got = m.List(e)
				} else if _, ok := want[name]; ok {
					got = []Number{m.Value(e)}
				}
				compareAll(t, fmt.Sprint(seed, " ", m.Name), got, want[name])
				delete(want, name)
			}
			if len(want) > 0 {
				t.Errorf("%q: no measure is %v", prefix, want)
			}
		}
	}
}

func compareAll(t *testing.T, what string, got []Number, want []float64) {
	t.Helper()
	if want == nil { // of the training split, or a decision
		return
	}
	if len(got) != len(want) {
		t.Errorf("%s: %v, want %v", what, got, want)
		return
	}
	for i, w := range want {
		if got[i].Applies() == math.IsNaN(w) || math.Abs(got[i].Float()-w) > 1e-12 {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
}

func TestRatiosByGroupAndClass(t *testing.T) {
	e := madeUp(1)
	ratio := func(i int) float64 { return e.Ratios[i] }
	for name, labels := range map[string][]int{"class_weight": e.Train.Labels,
		"group_ratio": e.Train.Groups} {
		m, _ := FindMeasure(name)
		for k, got := range m.List(e) {
			want, n := where(e.Train, ratio, func(i int) bool { return labels[i] == k })
			if got.Applies() != (n > 0) || n > 0 && math.Abs(got.Float()-want) > 1e-12 {
				t.Errorf("%s of %d: %v, want %v", name, k, got, want)
			}
		}
	}
}

// The recall of a group of one class is its accuracy.
func TestRecallOfOneClass(t *testing.T) {
	e := madeUp(2)
	e.Test.Groups, e.Groups = e.Test.Labels, 3
	accuracy, _ := FindMeasure("group_accuracy")
	recall, _ := FindMeasure("group_recall")
	if a, r := accuracy.List(e), recall.List(e); !slices.Equal(a, r) {
		t.Errorf("accuracy %v, recall %v", a, r)
	}
}

// A part that is too small is not the worst, and where all parts are too small there is no worst.
func TestTooSmallToBeWorst(t *testing.T) {
	e := madeUp(3)
	m, _ := FindMeasure("worst_group_accuracy")
	all := e.By(PerGroup, e.Test, e.Test.Hits())
	for i, g := range e.Test.Groups {
		if g == 2 { // it has fewer than 20 samples
			e.Test.Correct[i] = false
		}
	}
	e.Test.right = nil
	if got, want := m.Value(e), Least(all[:2]); got != want {
		t.Errorf("the worst is %v, want %v", got, want)
	}
	if e.Settings.MinGroup = 0; m.Value(e) != Num(0) {
		t.Errorf("with no least size the worst is %v", m.Value(e))
	}
	if e.Settings.MinGroup = 1000; m.Value(e).Applies() {
		t.Errorf("of no group that is large enough the worst is %v", m.Value(e))
	}
}

// A measure of no samples does not apply: none is NaN.
func TestMeasuresOfNothing(t *testing.T) {
	empty := func() *Pass {
		return &Pass{Losses: []float64{}, Correct: []bool{}, Confidences: []float64{},
			Predictions: []int{}, Labels: []int{}, Groups: []int{}}
	}
	for title, nothing := range map[string]func() *Pass{"unknown": func() *Pass { return &Pass{} },
		"empty": empty} {
		e := madeUp(2)
		e.Train, e.Test, e.Val, e.Ratios = nothing(), nothing(), nothing(), nil
		for _, m := range EvalMeasures() {
			var values []Number
			if m.Axis == NoAxis {
				values = []Number{m.Value(e)}
			} else {
				values = m.List(e)
			}
			for _, v := range values {
				if v.Applies() && math.IsNaN(v.Float()) {
					t.Errorf("%s of an %s split is %v", m.Name, title, v)
				}
			}
		}
	}
}
