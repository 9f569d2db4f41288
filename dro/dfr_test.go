package dro

import (
	"strings"
	"testing"

	"drolab/dro/testsize"
)

// Where ERM is misled by a feature that goes with the label in all but a few samples, DFR's layer
// follows the other feature. The seed alone decides DFR's draws.
func TestDFRFindsTheFeatureThatHolds(t *testing.T) {
	testsize.NotShort(t, "fits hundreds of layers: TestDFRChoosesByManyDivisions fits fewer")
	h, test := cells(testRand(73), 2000, 5, .02), cells(testRand(74), 2000, 5, .5)
	refit := func(seed uint64) Layer {
		trainer := newTrainer(t, "dfr", nil, nil)
		zero := unflatten(make([]float64, 12), 2)
		to, how, err := trainer.(Refitter).Refit(zero, only(h), seed, noFits)
		if err != nil {
			t.Fatalf("Refit with seed %d: %v", seed, err)
		}
		if how == "" {
			t.Fatalf("Refit with seed %d does not say how it fitted the layer", seed)
		}
		return to
	}
	erm := make([]float64, 12)
	fitLasso(erm, h.rows(), h.Labels, 1, 2, noOrders)
	layer := refit(1)
	plain := unflatten(erm, 2)
	before, after := worstGroup(&plain, test.rows(), &test),
		worstGroup(&layer, test.rows(), &test)
	if !(before < .6) {
		t.Errorf("the worst group of ERM has the accuracy %.3f, want below .6", before)
	}
	if !(after > .85) { // the best possible is .93
		t.Errorf("the worst group of DFR has the accuracy %.3f, want above .85", after)
	}
	again, other := refit(1), refit(2)
	if again.Bias[1] != layer.Bias[1] {
		t.Errorf("the same seed gives the biases %v, want %v", again.Bias, layer.Bias)
	}
	if other.Bias[1] == layer.Bias[1] {
		t.Errorf("another seed gives the same biases, %v", other.Bias)
	}
}

// C does not hang on one division of the samples. On samples for which single divisions choose
// different C, the averages choose the same one whatever the seed.
func TestDFRChoosesByManyDivisions(t *testing.T) {
	h, f := cells(testRand(80), 300, 20, .1), dfrTrainer{}
	single, mean := map[float64]int{}, map[float64]int{}
	for seed := range uint64(8) {
		rng := testRand(seed)
		other, rest := h.halves(rng)
		draw := rest.balancedDraw(rng)
		var one dfrChoice
		err := one.add(draw, other, newStandardiser(draw.rows()), 2, &fits{between: noFits})
		if err != nil {
			t.Fatal(err)
		}
		single[one.best()]++
		all, err := f.judge(h, nil, newStandardiser(h.rows()), 2, rng, &fits{between: noFits})
		if err != nil {
			t.Fatal(err)
		}
		mean[all.best()]++
	}
	if len(single) < 2 {
		t.Errorf("single divisions choose %v, want several C: the test cannot tell", single)
	}
	if len(mean) != 1 {
		t.Errorf("means over divisions choose %v, want one C", mean)
	}
}

// Fitted to training samples, DFR takes the strength that is best on the validation split, and the
// mean of ten draws. Where all validation samples are of the first class, the best layer is 0. One
// half of the training samples judges where the validation split lacks a group.
func TestDFROnTrainIsJudgedByValidation(t *testing.T) {
	m, err := Find("dfr")
	if err != nil {
		t.Fatal(err)
	}
	h := cells(testRand(76), 2000, 5, .02)
	refit := func(val Held, counts []int) (bias float64, how string) {
		start := task(m, nil, map[string]Auto{"dfr_split": Fixed(2)})
		start.Val = counts
		trainer, err := m.New(start)
		if err != nil {
			t.Fatal(err)
		}
		to, how, err := trainer.(Refitter).Refit(unflatten(make([]float64, 12), 2),
			func(split string) (Held, error) {
				if split == valSplit {
					return val, nil
				}
				return h, nil
			}, 1, noFits)
		if err != nil {
			t.Fatal(err)
		}
		return to.Weights[1][0], how
	}
	first := cells(testRand(77), 2000, 5, .02)
	clear(first.Labels)
	for _, c := range []struct {
		val    Held
		counts []int
		zero   bool
		by     string
	}{
		{h, []int{5, 5, 5}, false, "the split val"},
		{first, []int{5, 5, 5}, true, "the split val"},
		{first, []int{5, 0, 5}, false, "the other half of them"},
	} {
		w, how := refit(c.val, c.counts)
		if (w == 0) != c.zero {
			t.Errorf("%v: weight %v, want 0: %t", c.counts, w, c.zero)
		}
		for _, want := range []string{c.by, "10 draws"} {
			if !strings.Contains(how, want) {
				t.Errorf("%v: C was chosen by %q, want %q", c.counts, how, want)
			}
		}
	}
}

// Where the validation split lacks a group, DFR draws from the training split.
func TestDFRSaysWhatItDrawsFrom(t *testing.T) {
	m, err := Find("dfr")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		val   []int
		split float64
		want  string
	}{
		{[]int{5, 5, 5}, 0, "val"}, {nil, 0, "train"}, {[]int{5, 0, 5}, 0, "train"},
		{[]int{5, 5, 5}, 2, "train"}, {[]int{5, 5, 5}, 1, "val"}, {nil, 1, ""},
	} {
		start := task(m, nil, map[string]Auto{"dfr_split": Fixed(c.split)})
		start.Val = c.val
		trainer, err := m.New(start)
		if (err != nil) != (c.want == "") {
			t.Errorf("New with val %v and dfr_split=%v = %v, want an error: %t", c.val, c.split,
				err, c.want == "")
		}
		if err != nil {
			continue
		}
		if got := trainer.(Refitter).RefitsOn().Split; got != c.want {
			t.Errorf("val %v, dfr_split=%v: fitted to the split %q, want %q", c.val, c.split, got,
				c.want)
		}
	}
}
