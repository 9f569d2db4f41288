package dro

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drolab/dro/peertest"

	"github.com/google/go-cmp/cmp"
)

// manyCells draws samples as cells does, of three classes if that is asked for.
func manyCells(seed uint64, n, d, classes int, rare float64) Held {
	h := cells(testRand(seed), n, d, rare)
	if classes == 3 {
		for i, f := range h.Features {
			if f[2] > .5 {
				h.Labels[i] = 2
			}
		}
	}
	return h
}

// ermOf returns a layer that fits samples without regard to anything else.
func ermOf(h Held, classes int) Layer {
	w := make([]float64, classes*(len(h.Features[0])+1))
	fitLasso(w, h.rows(), h.Labels, 1, classes, noOrders)
	return unflatten(w, classes)
}

// accuracy returns the accuracy on samples in percent.
func accuracy(l *Layer, of *Held) float64 {
	right := 0.0
	for i, row := range of.rows() {
		if l.class(row) == of.Labels[i] {
			right++
		}
	}
	return 100 * right / float64(len(of.Labels))
}

// The samples that are taken and the inferred environments are those of a program in NumPy, and the
// layer is as accurate as that of scikit-learn on the same samples.
func TestEvalsAgainstNumPyAndScikitLearn(t *testing.T) {
	peertest.Python(t, "numpy", "sklearn") // skips before the fits
	for _, classes := range []int{2, 3} {
		h, test := manyCells(90, 1500, 8, classes, .05), manyCells(91, 4000, 8, classes, .5)
		erm := ermOf(manyCells(92, 3000, 8, classes, .05), classes)
		to, how, err := newTrainer(t, "evals", nil, nil).(Refitter).Refit(erm, only(h), 7, noFits)
		if err != nil {
			t.Fatal(err)
		}
		other, rest := h.halves(evalsRand(7))
		_, least := smallestClass(h.Labels, rest.Labels)
		most := least / 2
		given, err := json.Marshal(map[string]any{"x": rest.Features, "y": rest.Labels,
			"other_x": other.Features, "other_y": other.Labels, "test_x": test.Features,
			"test_y": test.Labels, "weights": erm.Weights, "biases": erm.Bias, "most": most,
			"shares": evalsShares, "lambdas": evalsLambdas})
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "evals.json")
		if err := os.WriteFile(file, given, 0o666); err != nil {
			t.Fatal(err)
		}
		var want struct {
			Rows         [][]int
			Environments []bool
			Accuracy     [][]float64
		}
		out := peertest.Run(t, "numpy sklearn", "peer/evals.py", file)
		if err := json.Unmarshal(out, &want); err != nil {
			t.Fatal(err)
		}
		losses, _ := erm.lossesAndSlopes(&rest)
		for i, share := range evalsShares {
			got := extremes(losses, rest.Labels, classes, max(1, int(share*float64(most))))
			slices.Sort(got)
			if diff := cmp.Diff(want.Rows[i], got); diff != "" {
				t.Errorf("%d classes, share %v: other samples are taken (-want +got):\n%s", classes,
					share, diff)
			}
		}
		_, slopes := erm.lossesAndSlopes(&other)
		expectEnvironments(t, environments(slopes, other.Labels), other.Labels, want.Environments)
		if classes == 2 {
			expectAccuracy(t, how, most, accuracy(&to, &test), want.Accuracy)
		}
	}
}

// expectEnvironments expects the parts of the samples to be those of two environments, whichever of
// them is called the first.
func expectEnvironments(t *testing.T, got, labels []int, second []bool) {
	t.Helper()
	same, swapped, count := 0, 0, 0
	for i, g := range got {
		if g/2 != labels[i] {
			t.Errorf("sample %d of class %d is in part %d", i, labels[i], g)
		}
		if (g%2 == 1) == second[i] {
			same++
		} else {
			swapped++
		}
		count += g % 2
	}
	if same > 0 && swapped > 0 {
		t.Errorf("%d samples are in the environment of the same number, %d in the other one, "+
			"want all in one of the two", same, swapped)
	}
	if count == 0 || count == len(got) {
		t.Errorf("%d of %d samples are in the second environment: the test cannot tell", count,
			len(got))
	}
}

// expectAccuracy expects the accuracy of the layer that how describes to be within 1 point of that
// of the same fit in a list by share and λ. most is the largest k.
func expectAccuracy(t *testing.T, how string, most int, got float64, list [][]float64) {
	t.Helper()
	var samples, k, second int
	var lambda float64
	_, err := fmt.Sscanf(how, "logistic regression on %d of them, the %d largest and the %d "+
		"smallest losses of each class, with L1 at λ = %g,", &samples, &k, &second, &lambda)
	share := slices.IndexFunc(evalsShares, func(share float64) bool {
		return k == int(share*float64(most))
	})
	if err != nil || share < 0 || samples != 4*k || k != second {
		t.Fatalf("the refit says %q, which does not say what it fitted to: %v", how, err)
	}
	want := list[share][slices.Index(evalsLambdas, lambda)]
	t.Logf("accuracy %.2f %% with k = %d and λ = %g; scikit-learn %.2f", got, k, lambda, want)
	if !(math.Abs(got-want) <= 1) {
		t.Errorf("%s: accuracy %.2f %%, want within 1 of scikit-learn's %.2f", how, got, want)
	}
}

// EIIL's objective is greatest at the inferred environments, among all divisions of ten samples.
func TestEnvironmentsMaximiseTheirObjective(t *testing.T) {
	rng := testRand(93)
	for range 50 {
		slopes := make([]float64, 10)
		for i := range slopes {
			slopes[i] = rng.NormFloat64()
		}
		objective := func(second func(i int) bool) float64 {
			var sums [2]float64
			for i, s := range slopes {
				if second(i) {
					sums[1] += s / 10
				} else {
					sums[0] += s / 10
				}
			}
			return (sums[0]*sums[0] + sums[1]*sums[1]) / 2
		}
		most := 0.0
		for division := range 1 << 10 {
			most = max(most, objective(func(i int) bool { return division>>i&1 == 1 }))
		}
		parts := environments(slopes, make([]int, 10))
		if got := objective(func(i int) bool { return parts[i] == 1 }); !within(got, most, 1e-12) {
			t.Errorf("slopes %v: the objective is %v, its maximum %v", slopes, got, most)
		}
	}
}

// A slope is the derivative of the loss in a factor of all logits. Small losses are not rounded to
// 0, and large ones are finite.
func TestSlopesOfLosses(t *testing.T) {
	rng := testRand(94)
	for range 100 {
		l := Layer{Weights: [][]float64{{0}, {0}, {0}}, Bias: []float64{rng.NormFloat64(),
			rng.NormFloat64(), rng.NormFloat64()}}
		h := Held{Features: [][]float32{{1}}, Labels: []int{rng.IntN(3)}, Groups: []int{0}}
		loss := func(factor float64) float64 {
			scaled := Layer{Weights: l.Weights, Bias: slices.Clone(l.Bias)}
			for k := range scaled.Bias {
				scaled.Bias[k] *= factor
			}
			losses, _ := scaled.lossesAndSlopes(&h)
			return losses[0]
		}
		_, slopes := l.lossesAndSlopes(&h)
		want := (loss(1+1e-5) - loss(1-1e-5)) / 2e-5
		if got := slopes[0]; math.Abs(got-want) > 1e-8 {
			t.Errorf("logits %v of class %d: the slope is %v, by differences %v", l.Bias,
				h.Labels[0], got, want)
		}
	}
	l := Layer{Weights: [][]float64{{0}, {0}}, Bias: []float64{50, 0}}
	h := Held{Features: [][]float32{{1}, {1}}, Labels: []int{0, 1}, Groups: []int{0, 0}}
	losses, _ := l.lossesAndSlopes(&h)
	if want := math.Exp(-50); !within(losses[0], want, 1e-12) || !within(losses[1], 50, 1e-12) {
		t.Errorf("the losses are %v, want %v and 50", losses, want)
	}
}

// Where the network follows a feature that goes with the label in all but a few samples, the new
// layer follows the other feature. It reads no groups.
func TestEvalsFindsTheFeatureThatHolds(t *testing.T) {
	h, test := cells(testRand(95), 1500, 5, .05), cells(testRand(96), 2000, 5, .5)
	erm := Layer{Weights: [][]float64{{0, 0, 0, 0, 0}, {1, 4, 0, 0, 0}}, Bias: []float64{0, 0}}
	refit := func(h Held, seed uint64) Layer {
		evals := newTrainer(t, "evals", nil, nil).(Refitter)
		to, _, err := evals.Refit(erm, only(h), seed, noFits)
		if err != nil {
			t.Fatalf("Refit with seed %d: %v", seed, err)
		}
		return to
	}
	layer := refit(h, 1)
	before, after := worstGroup(&erm, test.rows(), &test), worstGroup(&layer, test.rows(), &test)
	if !(before < .1) || !(after > .8) { // the best possible is .93
		t.Errorf("the worst group has the accuracy %.3f, before %.3f, want above .8 and below .1",
			after, before)
	}
	if other := refit(h, 2); cmp.Equal(other, layer) {
		t.Error("another seed gives the same layer")
	}
	clear(h.Groups)
	if again := refit(h, 1); !cmp.Equal(again, layer) {
		t.Error("other groups give another layer")
	}
}

// Too few samples are refused in one line.
func TestEvalsSaysWhatItLacks(t *testing.T) {
	few := cells(testRand(98), 40, 3, .1)
	for i := range few.Labels {
		few.Labels[i] = 0
	}
	few.Labels[0] = 1
	evals := newTrainer(t, "evals", nil, nil).(Refitter)
	_, _, err := evals.Refit(ermOf(few, 2), only(few), 1, noFits)
	var named *FewError
	if !errors.As(err, &named) || named.Class != 1 || named.Samples > 1 || named.Least != 2 {
		t.Errorf("one sample of a class: Refit() = %v, want a FewError of class 1", err)
	}
	m, err := Find("evals")
	if err != nil {
		t.Fatal(err)
	}
	start := task(m, nil, nil)
	start.Val = nil
	if _, err := m.New(start); err == nil || !strings.Contains(err.Error(), "set val_fraction") {
		t.Errorf("without a validation split: New() = %v, want an error with val_fraction", err)
	}
}
