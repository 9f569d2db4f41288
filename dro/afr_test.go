package dro

import (
	"math"
	"slices"
	"testing"
)

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
	to, _, err := trainer.(Refitter).Refit(at, only(h), 1, noFits)
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
	if !trainer.(Refitter).Refitted() {
		t.Error("the layer is not refitted")
	}
	if got := trainer.(Refitter).RefitsOn().Split; got != "val" {
		t.Errorf("the layer is refitted on the split %q, want val", got)
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
	w := make([]float64, n)
	trainer.Weights(w, Batch{Losses: make([]float64, n), Index: indices(n)})
	mean, apart := 0.0, 0
	for _, v := range w {
		mean += v / n
		if v == 0 {
			apart++
		}
	}
	if math.Abs(mean-1) > 1e-12 {
		t.Errorf("the mean weight is %v, want 1", mean)
	}
	if apart != n/5 {
		t.Errorf("%d of %d samples are set apart, want %d", apart, n, n/5)
	}
	if trainer.Samplewise() != nil {
		t.Error("afr gives weights from losses alone, and samples are set apart by their keys")
	}
	h, at := cells(testRand(75), n, 4, .1), unflatten(make([]float64, 10), 2)
	refit := func() Layer {
		to, _, err := trainer.(Refitter).Refit(at, only(h), 1, noFits)
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
