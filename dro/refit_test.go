package dro

import (
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

// slopes returns the derivatives of Σ v ℓ in a layer's weights and biases, written out.
func slopes(w []float64, rows [][]float64, labels []int, v []float64, classes int) []float64 {
	d := len(rows[0]) + 1
	grad := make([]float64, len(w))
	for i, row := range rows {
		p, sum := make([]float64, classes), 0.0
		for k := range p {
			u := w[k*d+d-1]
			for j, x := range row {
				u += w[k*d+j] * x
			}
			p[k] = math.Exp(u)
			sum += p[k]
		}
		for k := range p {
			p[k] /= sum
			if k == labels[i] {
				p[k]--
			}
			for j, x := range row {
				grad[k*d+j] += v[i] * p[k] * x
			}
			grad[k*d+d-1] += v[i] * p[k]
		}
	}
	return grad
}

// At the solution under L1, a coordinate's slope is −sign(w), or within ±1 where w is 0. Two
// classes take one logistic regression, three take the softmax.
func TestLassoIsStationary(t *testing.T) {
	for classes := 2; classes <= 3; classes++ {
		h := cells(testRand(71), 200, 6, .3)
		rows := h.rows()
		for i := range h.Labels {
			h.Labels[i] = (h.Labels[i] + i%classes) % classes
		}
		for _, c := range []float64{.01, .1, 1} {
			w := make([]float64, classes*7)
			fitLasso(w, rows, h.Labels, c, classes)
			v, zeros := make([]float64, 200), 0
			fill(v, c)
			first := 0
			if classes == 2 {
				first = 7 // the other class is held at 0
			}
			for j, g := range slopes(w, rows, h.Labels, v, classes)[first:] {
				at := w[first+j]
				if at == 0 {
					zeros++
				}
				if at == 0 && math.Abs(g) > 1+1e-3 ||
					at != 0 && math.Abs(g+math.Copysign(1, at)) > 2e-3 {
					t.Errorf("%d classes, C = %v: coordinate %d is %v, its slope %v", classes, c,
						j, at, g)
				}
			}
			if c == .01 && zeros == 0 {
				t.Errorf("%d classes: no coordinate is 0", classes)
			}
		}
	}
}

// AFR's layer is where the slopes of Σ μ ℓ and of λ‖w − start‖² cancel. The weights μ follow the
// source's code: exp(−γ p) times N/n_y, divided by their sum.
func TestAFRIsStationary(t *testing.T) {
	m, err := Find("afr")
	if err != nil {
		t.Fatal(err)
	}
	h, lambda, gamma := cells(testRand(72), 300, 4, .1), .01, 3.
	at := Layer{Weights: [][]float64{{-1, -.5, 0, 0}, {1, 1.5, .1, 0}}, Bias: []float64{.1, -.2}}
	trainer, err := m.New(task(m, nil, map[string]Auto{"afr_gamma": Fixed(gamma),
		"afr_lambda": Fixed(lambda)}))
	if err != nil {
		t.Fatal(err)
	}
	to, _, err := trainer.(Refitter).Refit(at, only(h), 1)
	if err != nil {
		t.Fatal(err)
	}
	rows, w, start := h.rows(), flatten(to), flatten(at)
	mu, sum, of := make([]float64, 300), 0.0, [2]float64{}
	for i, row := range rows {
		var u [2]float64
		for k := range u {
			u[k] = at.Bias[k]
			for j, x := range row {
				u[k] += at.Weights[k][j] * x
			}
		}
		y := h.Labels[i]
		mu[i] = math.Exp(-gamma / (1 + math.Exp(u[1-y]-u[y])))
		of[y]++
	}
	for i, y := range h.Labels {
		mu[i] *= 300 / of[y]
		sum += mu[i]
	}
	for i := range mu {
		mu[i] /= sum
	}
	for j, g := range slopes(w, rows, h.Labels, mu, 2) {
		if total := g + 2*lambda*(w[j]-start[j]); math.Abs(total) > 5e-4 {
			t.Errorf("coordinate %d: slope %v", j, total)
		}
	}
	if !trainer.(Refitter).Refitted() || trainer.(Refitter).RefitsOn().Split != "val" {
		t.Error("not refitted, or not on val")
	}
}

// Where ERM is misled by a feature that goes with the label in all but a few samples, DFR's layer
// follows the other feature. The seed alone decides DFR's draws.
func TestDFRFindsTheFeatureThatHolds(t *testing.T) {
	h, test := cells(testRand(73), 2000, 5, .02), cells(testRand(74), 2000, 5, .5)
	refit := func(seed uint64) Layer {
		trainer := newTrainer(t, "dfr", nil, nil)
		zero := unflatten(make([]float64, 12), 2)
		to, how, err := trainer.(Refitter).Refit(zero, only(h), seed)
		if err != nil || how == "" {
			t.Fatal(err, how)
		}
		return to
	}
	erm := make([]float64, 12)
	fitLasso(erm, h.rows(), h.Labels, 1, 2)
	layer := refit(1)
	plain := unflatten(erm, 2)
	before, after := worstGroup(&plain, test.rows(), &test),
		worstGroup(&layer, test.rows(), &test)
	if !(before < .6) || !(after > .85) { // the best possible is .93
		t.Errorf("worst group %.3f of ERM, %.3f of DFR", before, after)
	}
	again, other := refit(1), refit(2)
	if again.Bias[1] != layer.Bias[1] || other.Bias[1] == layer.Bias[1] {
		t.Errorf("biases %v, %v again, %v by another seed", layer.Bias, again.Bias, other.Bias)
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
				if split == refitVal {
					return val, nil
				}
				return h, nil
			}, 1)
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
		{first, []int{5, 0, 5}, false, "one half of them"},
	} {
		w, how := refit(c.val, c.counts)
		if (w == 0) != c.zero || !strings.Contains(how, c.by) ||
			!strings.Contains(how, "10 draws") {
			t.Errorf("%v: weight %v: %s", c.counts, w, how)
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
		if (err != nil) != (c.want == "") || err == nil &&
			trainer.(Refitter).RefitsOn().Split != c.want {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// With afr_split=train, a fifth of the training samples weighs nothing until the refit, which uses
// only those samples.
func TestAFRSetsAFifthApart(t *testing.T) {
	const n = 403
	m, err := Find("afr")
	if err != nil {
		t.Fatal(err)
	}
	start := task(m, nil, map[string]Auto{"afr_split": Fixed(1)})
	start.Val, start.Samples = nil, n
	trainer, err := m.New(start)
	if err != nil {
		t.Fatal(err)
	}
	w, mean, apart := make([]float64, n), 0.0, 0
	trainer.Weights(w, Batch{Losses: make([]float64, n), Index: indices(n)})
	for _, v := range w {
		if mean += v / n; v == 0 {
			apart++
		}
	}
	if math.Abs(mean-1) > 1e-12 || apart != n/5 || trainer.Samplewise() != nil {
		t.Errorf("mean weight %v, %d of %d apart", mean, apart, n)
	}
	h, at := cells(testRand(75), n, 4, .1), unflatten(make([]float64, 10), 2)
	refit := func() Layer {
		to, _, err := trainer.(Refitter).Refit(at, only(h), 1)
		if err != nil {
			t.Fatal(err)
		}
		return to
	}
	before := refit()
	for i, v := range w {
		if v > 0 {
			h.Labels[i] = 1 - h.Labels[i]
		}
	}
	if after := refit(); after.Bias[0] != before.Bias[0] {
		t.Error("the refit looks at samples of ERM's")
	}
	h.Labels[slices.Index(w, 0)] = 1 - h.Labels[slices.Index(w, 0)]
	if after := refit(); after.Bias[0] == before.Bias[0] {
		t.Error("the refit does not look at a sample that is set apart")
	}
}

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
		if mean += v / n; v == 0 {
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
	if half+second != n || half < n/2-8 || half > n/2+8 {
		t.Errorf("the halves have %d and %d samples, want about %d", half, second, n/2)
	}
	clear(keys)
	if _, err := m.New(start); err == nil || !strings.Contains(err.Error(), "split_by=") {
		t.Errorf("one key for all samples: afr says %v, want an error that names split_by=", err)
	}
	h.Keys = keys
	trainer = newTrainer(t, "dfr", nil, nil)
	_, _, err = trainer.(Refitter).Refit(unflatten(make([]float64, 12), 2), only(h), 1)
	if err == nil || !strings.Contains(err.Error(), "split_by=") {
		t.Errorf("one key for all samples: dfr says %v, want an error that names split_by=", err)
	}
}
