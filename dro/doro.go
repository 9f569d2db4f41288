package dro

import (
	"cmp"
	"math"
	"slices"
)

// doro is DORO, Algorithm 1 of its paper. It leaves out the ⌊εn⌋ samples of each batch with the
// largest losses, as outliers, and takes the exact worst case of the others.
func doro() Method {
	return Method{
		Name: "doro",
		Doc:  "DORO: drops a batch's largest losses, takes the exact worst case of the others",
		Source: "Zhai, Dan, Kolter, Ravikumar 2021 (arXiv 2106.06142), Algorithm 1; the source " +
			"has χ² and CVaR",
		Adversarial: true,
		Settings: []Setting{{
			Key: "doro_epsilon", Doc: "ε of DORO: the share of a batch that is dropped",
			Default: Fixed(.05), Want: "a number in [0, 1)",
			Check: func(x float64) bool { return x >= 0 && x < 1 },
		}},
		Measures: batchRisk().Measures,
		New: func(t Task) (Trainer, error) {
			b, err := newBatchTrainer(t)
			if err != nil {
				return nil, err
			}
			return &doroTrainer{batchTrainer: b, epsilon: t.Number("doro_epsilon")}, nil
		},
	}
}

// doroTrainer takes the worst case of the samples that ε leaves. It has no state, like
// batchTrainer.
type doroTrainer struct {
	batchTrainer
	epsilon   float64
	order     []int  // indices of the batch's samples, the largest losses first
	rest      buffer // losses of the samples that are left, then their ratios
	untrimmed bool   // no sample of the last batch was left out
}

// Weights implements Trainer. The objective is the worst case R of the m samples that are left, so
// the weights are n ∂R/∂ℓ_i = (n/m) r_i. If one of the losses that are left is not finite, all
// weights are NaN, as in batch.
func (d *doroTrainer) Weights(w []float64, b Batch) {
	n := len(b.Losses)
	out := int(d.epsilon * float64(n))
	d.untrimmed = out == 0
	d.order = d.order[:0]
	for i := range n {
		d.order = append(d.order, i)
	}
	slices.SortFunc(d.order, func(i, j int) int { // the first of equals is out first
		return cmp.Or(cmp.Compare(b.Losses[j], b.Losses[i]), i-j)
	})
	m := n - out
	memory := d.rest.values(2 * m)
	losses, ratios := memory[:m], memory[m:]
	for k, i := range d.order[out:] {
		losses[k] = b.Losses[i]
	}
	d.batchTrainer.Weights(ratios, Batch{Losses: losses})
	outlier := 0.0
	if math.IsNaN(d.last.Risk) {
		outlier = d.last.Risk
	}
	fill(w[:n], outlier)
	for k, i := range d.order[out:] {
		w[i] = ratios[k] * float64(n) / float64(m)
	}
}

// Warning implements Warner.
func (d *doroTrainer) Warning() string {
	if d.untrimmed && d.epsilon > 0 {
		return "doro_epsilon · batch is below 1: no sample is left out; raise one of them"
	}
	return ""
}
