package runner

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"drolab/dro"
	"drolab/runner/measure"
)

func TestEventsSurviveTheLog(t *testing.T) {
	h := Head{Seq: 7, Step: 40}
	for _, e := range []Event{
		&StatusEvent{Head: h, Status: Failed, Cause: "step 40: loss is NaN"},
		&StepEvent{Head: h, Epoch: 1.5,
			Values: measure.Values{{Name: "loss", Number: measure.Num(.25)}, {Name: "lambda",
				Number: measure.Num(math.Inf(1))}, {Name: "tomorrow", Number: measure.Num(1)}},
			Min: measure.Values{{Name: "eta", Number: measure.Num(-2)}},
			Max: measure.Values{{Name: "eta", Number: measure.Number{}}}},
		&EvalEvent{Head: h,
			Values: measure.Values{
				{Name: "test_accuracy", Number: measure.Num(.5)}, {Name: "worst_class_accuracy",
					Number: measure.Num(1)}, {Name: "above_bound", Number: measure.Num(3)},
			},
			ByGroup: measure.Lists{{Name: "class_accuracy",
				Numbers: []measure.Number{measure.Num(1), {}}}},
			Heaviest: []Heavy{{12, 3.25, 4, 0}, {3, float64(float32(.1)), 1, 2}}},
		&WarningEvent{Head: h, Message: "look"}, &CheckpointEvent{Head: h, File: "step-40"},
		&ResumeEvent{Head: h}, &KnobEvent{Head: h, Key: "lr", Old: measure.Num(1),
			New: measure.Num(2)},
	} {
		line, err := EncodeEvent(e)
		if err != nil {
			t.Fatal(err)
		}
		back, err := DecodeEvent(line)
		if err != nil || !reflect.DeepEqual(e, back) {
			t.Errorf("%s\ncame back as %+v, error %v", line, back, err)
		}
	}
	if e, err := DecodeEvent([]byte(`{"seq":1,"type":"of tomorrow"}`)); e != nil || err != nil {
		t.Errorf("an unknown event gave %v, %v, want neither", e, err)
	}
	if _, err := DecodeEvent([]byte(`{"seq":`)); err == nil {
		t.Error("half a line was read as an event")
	}
}

// Heaviest returns the first samples of a full sort by loss. Equal losses stay in their order.
func TestHeaviest(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{0, 1, MostHeavy, 1000} {
		losses, ratios := make([]float64, n), make([]float64, n)
		places, order := make([]int, n), make([]int, n)
		for i := range n {
			losses[i] = float64(rng.IntN(1 + n/8)) // with ties
			ratios[i], places[i], order[i] = rng.Float64(), i%7, i
		}
		slices.SortStableFunc(order, func(i, j int) int {
			return cmp.Compare(losses[j], losses[i])
		})
		list := Heaviest(losses, ratios, places, places)
		if len(list) != min(n, MostHeavy) {
			t.Fatalf("%d of %d", len(list), n)
		}
		for k, h := range list {
			i := order[k]
			if h != (Heavy{i, float64(float32(ratios[i])), i % 7, i % 7}) {
				t.Errorf("of %d place %d is %+v, want sample %d", n, k, h, i)
			}
		}
	}
}

// Anybody may have written a log: entries that make no sense are left out, and the evaluation
// stays.
func TestHostileHeaviest(t *testing.T) {
	const ok = `[7,2.5,1,0]`
	many := ""
	for range 30 {
		many += ok + ","
	}
	for text, want := range map[string]int{
		"[" + ok + "]":                           1,
		"[]":                                     0,
		"[[-1,2,1,0]," + ok + "]":                1,
		"[[1e300,2,1,0],[1.5,2,1,0],[1,-2,1,0]]": 0,
		"[[1,2,3]," + ok + ",[1,2,3,4,5]]":       1,
		"[" + many + ok + "]":                    MostHeavy,
		`[["a",1,2,3]]`:                          0,
		`{"a":1}`:                                0,
		`null`:                                   0,
		"[[1,2,99999999999,0],[1,2,0,-3]," + ok + "]": 1,
	} {
		e, err := DecodeEvent([]byte(`{"seq":1,"type":"eval","time":"2026-01-02T03:04:05Z","step":3,` +
			`"epoch":1,"heaviest":` + text + `,"test_loss":2}`))
		eval, _ := e.(*EvalEvent)
		if err != nil || eval.Named("test_loss").Float() != 2 || len(eval.Heaviest) != want {
			t.Errorf("%s: %v, %+v", text, err, e)
		}
	}
}

// UserSides has the programs' own measures in the order of their names, and at most
// mostUserMeasures. The better side of a measure is the one on which all runs that give a side
// agree.
func TestUserSides(t *testing.T) {
	n := measure.Num(1)
	sided := func(s measure.Sides) *Meta { return &Meta{User: s} }
	runs := []struct {
		m *Meta
		v measure.Values
	}{
		{sided(measure.Sides{Higher: []string{"user.b", "user.a"}}),
			measure.Values{{Name: "loss", Number: n}, {Name: "user.b", Number: n}}},
		{sided(measure.Sides{Higher: []string{"user.a"}, Lower: []string{"user.b"}}),
			measure.Values{{Name: "user.b", Number: n}, {Name: "user.a", Number: n}}},
	}
	all := func() []measure.Measure {
		sides := UserSides{}
		for _, r := range runs {
			sides.Add(r.m, r.v)
		}
		return sides.Measures()
	}
	text := ""
	for _, m := range all() {
		text += fmt.Sprintf("%s%d%t%t ", m.Name, m.Better, m.Main, m.OfStep())
	}
	if want := fmt.Sprintf("user.a%dtruetrue user.b%dtruetrue ", dro.Higher,
		dro.Neither); text != want {
		t.Errorf("%s: want %s", text, want)
	}
	for i := range 1000 {
		runs[0].v.Set(fmt.Sprint("user.", i), n)
	}
	if got := len(all()); got != mostUserMeasures {
		t.Errorf("%d measures", got)
	}
}
