package runner

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

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
			t.Fatalf("Heaviest() of %d samples lists %d, want %d", n, len(list), min(n, MostHeavy))
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
		if err != nil {
			t.Errorf("heaviest %s: %v", text, err)
			continue
		}
		if got := eval.Named("test_loss").Float(); got != 2 {
			t.Errorf("heaviest %s: test_loss is read as %v, want 2", text, got)
		}
		if n := len(eval.Heaviest); n != want {
			t.Errorf("heaviest %s: %d samples are read, want %d: %+v", text, n, want, eval.Heaviest)
		}
	}
}
