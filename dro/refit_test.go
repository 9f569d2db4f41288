package dro

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// cells draws n samples. The first feature follows the label, and the second follows an attribute
// that is mostly equal to the label; a sample's group is its label × that attribute.
func cells(rng *rand.Rand, n, d int, rare float64) (h Held) {
	for range n {
		y := rng.IntN(2)
		g := y
		if rng.Float64() < rare {
			g = 1 - y
		}
		f := make([]float32, d)
		for j := range f {
			f[j] = float32(rng.NormFloat64())
		}
		f[0] += float32(2*y-1) * 1.5
		f[1] = f[1]/2 + float32(2*g-1)*1.5
		h.Features, h.Labels = append(h.Features, f), append(h.Labels, y)
		h.Groups = append(h.Groups, 2*y+g)
	}
	return h
}

// only gives the same samples for every split.
func only(h Held) Splits { return func(string) (Held, error) { return h, nil } }

// Samples of one key are on one side of AFR's and DFR's own divisions.
func TestKeysStayTogetherInRefits(t *testing.T) {
	const n = 400
	keys := make([]uint32, n)
	for i := range keys {
		keys[i] = uint32(i % 90 % 37) // of unlike sizes
	}
	divided := func(marked func(i int) bool) (count int) {
		in := map[uint32][2]bool{}
		for i, k := range keys {
			sides := in[k]
			side := 0
			if marked(i) {
				side = 1
			}
			sides[side] = true
			in[k] = sides
		}
		for _, sides := range in {
			if sides[0] && sides[1] {
				count++
			}
		}
		return count
	}
	m, err := Find("afr")
	if err != nil {
		t.Fatal(err)
	}
	start := task(m, nil, map[string]Auto{"afr_split": Fixed(1)})
	start.Val, start.Samples, start.Keys = nil, n, keys
	trainer, err := m.New(start)
	if err != nil {
		t.Fatal(err)
	}
	w, mean, apart := make([]float64, n), 0.0, 0
	trainer.Weights(w, Batch{Losses: make([]float64, n), Index: indices(n)})
	for _, v := range w {
		mean += v / n
		if v == 0 {
			apart++
		}
	}
	if got := divided(func(i int) bool { return w[i] == 0 }); got != 0 {
		t.Errorf("afr divides %d keys, want 0", got)
	}
	if apart < n/5-8 || apart > n/5+8 {
		t.Errorf("afr sets %d samples apart, want about %d", apart, n/5)
	}
	if math.Abs(mean-1) > 1e-12 {
		t.Errorf("the mean weight of afr is %v, want 1", mean)
	}
	h := cells(testRand(78), n, 4, .1)
	h.Keys = keys
	for i := range h.Features {
		h.Features[i] = append(h.Features[i], float32(i)) // tells the samples apart
	}
	one, other := h.halves(testRand(79))
	first := map[float32]bool{}
	for _, row := range one.Features {
		first[row[len(row)-1]] = true
	}
	if got := divided(func(i int) bool { return first[float32(i)] }); got != 0 {
		t.Errorf("dfr divides %d keys, want 0", got)
	}
	half, second := len(one.Labels), len(other.Labels)
	if half+second != n {
		t.Errorf("the halves have %d and %d samples, want %d together", half, second, n)
	}
	if half < n/2-8 || half > n/2+8 {
		t.Errorf("the first half has %d samples, want about %d", half, n/2)
	}
	clear(keys)
	if _, err := m.New(start); err == nil || !strings.Contains(err.Error(), "split_by=") {
		t.Errorf("one key for all samples: afr says %v, want an error that names split_by=", err)
	}
	h.Keys = keys
	trainer = newTrainer(t, "dfr", nil, nil)
	_, _, err = trainer.(Refitter).Refit(unflatten(make([]float64, 12), 2), only(h), 1, noFits)
	if err == nil || !strings.Contains(err.Error(), "split_by=") {
		t.Errorf("one key for all samples: dfr says %v, want an error that names split_by=", err)
	}
}

// What a refit refuses is known before training, from labels, groups and keys alone.
func TestCheckHeldKnowsWhatRefitRefuses(t *testing.T) {
	for _, name := range []Algorithm{"dfr", "afr", "evals"} {
		refused, few := 0, 0
		for seed := range uint64(12) {
			h := cells(testRand(seed), 12, 2, .3)
			for i := range h.Labels {
				if i >= int(seed) {
					h.Labels[i], h.Groups[i] = 0, 0
				}
			}
			if seed%3 == 0 {
				h.Keys = make([]uint32, len(h.Labels))
				h.Keys[0] = uint32(seed % 2)
			}
			trainer := newTrainer(t, name, nil, nil).(Refitter)
			_, _, late := trainer.Refit(unflatten(make([]float64, 6), 2), only(h), seed, noFits)
			h.Features = nil
			early := trainer.CheckHeld(h, seed)
			said := ""
			if early != nil {
				said = fmt.Sprintf("%s: %v", name, early)
				refused++
			}
			if late == nil && said != "" || late != nil && late.Error() != said {
				t.Errorf("%s, seed %d: CheckHeld() = %v, Refit() = %v", name, seed, early, late)
			}
			var is *FewError
			if errors.As(early, &is) {
				few++
			}
		}
		t.Logf("%s: %d sets refused, %d of them for few samples", name, refused, few)
		if (name == "afr") != (refused == 0) || (name == "evals") != (few > 0) {
			t.Errorf("%s: %d sets refused, %d of them for few samples: the test cannot tell", name,
				refused, few)
		}
	}
}

// noOrders lets a fit run to its end, and noFits a refit.
func noOrders() error { return nil }

func noFits(Fit) error { return nil }

// A refit asks between the passes of its fits whether it is to end, and ends with the answer. It
// says which of how many fits goes on.
func TestRefitEndsBetweenPasses(t *testing.T) {
	h := cells(testRand(99), 120, 5, .3)
	end := errors.New("the end")
	for _, name := range []Algorithm{"dfr", "afr", "evals"} {
		trainer := newTrainer(t, name, nil, nil).(Refitter)
		all := 0
		var told []Fit
		_, _, err := trainer.Refit(ermOf(h, 2), only(h), 1, func(f Fit) error {
			if all++; !slices.Contains(told, f) {
				told = append(told, f)
			}
			return nil
		})
		if err != nil || !trainer.Refitted() {
			t.Fatalf("%s: Refit() = %v, Refitted() = %v, want a refit", name, err,
				trainer.Refitted())
		}
		for i, f := range told {
			if want := (Fit{i + 1, len(told)}); f != want {
				t.Errorf("%s: %v is told in the place of %v", name, f, want)
			}
		}
		for _, last := range []int{1, all/2 + 1, all} {
			trainer, asked := newTrainer(t, name, nil, nil).(Refitter), 0
			_, _, err := trainer.Refit(ermOf(h, 2), only(h), 1, func(Fit) error {
				if asked++; asked == last {
					return end
				}
				return nil
			})
			if !errors.Is(err, end) || asked != last || trainer.Refitted() {
				t.Errorf("%s: after question %d of %d: error %v, %d questions, Refitted() = %v, "+
					"want the error of that question and no refit", name, last, all, err, asked,
					trainer.Refitted())
			}
		}
	}
}
