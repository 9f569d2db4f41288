package dro

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// batchRisk minimises the exact worst-case risk of each mini-batch. Its gradient weighs the batch's
// losses by the batch's own worst distribution, so there are no dual variables to keep. The
// objective is the mean of R_ρ over batches of n samples, which lies below R_ρ and rises to it with
// n (math.md §5).
func batchRisk() Method {
	return Method{
		Name: "batch", Adversarial: true,
		Doc:    "the exact worst case of each mini-batch; biased low, less so in larger batches",
		Source: "Levy, Carmon, Duchi, Sidford 2020 (arXiv 2010.05893), the mini-batch estimator",
		Measures: []Measure{
			{Name: "batch_risk", Title: "batch's robust risk",
				Unit: "nats", Scale: Log, Better: Lower, Noisy: true, Asks: OfProblem,
				Doc: "exact R_ρ of the x-batch: on average below R_ρ of all samples, by less " +
					"in larger batches"},
			effectiveBatch(),
			{Name: "batch_lambda", Title: "batch's λ", Unit: "nats", Noisy: true,
				Doc: "λ of the x-batch's exact worst case; 0 where the radius does not bind there"},
			{Name: "batch_eta", Title: "batch's η", Unit: "nats", Noisy: true,
				Doc: "η of the x-batch's exact worst case, unshifted: the loss level around " +
					"which it reweights"},
		},
		New: func(t Task) (Trainer, error) {
			b, err := newBatchTrainer(t)
			if err != nil {
				return nil, err
			}
			return &b, nil
		},
	}
}

// effectiveBatch returns the measure of the effective number of samples in a weighted batch.
func effectiveBatch() Measure {
	return Measure{
		Name: "effective_batch", Title: "effective batch",
		Unit: "samples", Scale: Whole, Noisy: true,
		Doc: "n (mean w)²/mean w² of the x-batch: the number of equal weights whose mean is " +
			"as noisy",
	}
}

// batchTrainer weighs each batch by its exact worst case. It has no state, since the next batch has
// a worst case of its own.
type batchTrainer struct {
	Base
	problem Problem
	solver  interior
	last    Worst // of the last batch that was weighed
}

func newBatchTrainer(t Task) (batchTrainer, error) {
	if t.Problem == nil {
		return batchTrainer{}, errNoProblem
	}
	return batchTrainer{problem: *t.Problem}, t.Problem.Validate()
}

// Weights implements Trainer. Losses that are not finite have no worst case: the risk and all
// weights of the batch are then NaN.
func (b *batchTrainer) Weights(w []float64, batch Batch) {
	w = w[:len(batch.Losses)]
	var err error
	b.last, err = b.solver.worstCase(b.problem.Set, w, batch.Losses, b.problem.Rho)
	if err != nil {
		b.last = Worst{Risk: math.NaN()}
		fill(w, math.NaN())
	}
}

// Report implements Trainer. A set without a radius has no λ.
func (b *batchTrainer) Report(record func(string, float64)) {
	record("batch_risk", b.last.Risk)
	record("effective_batch", b.last.EffectiveSampleSize)
	if b.problem.Set.HasRadius() {
		record("batch_lambda", b.last.Z.Lambda)
	}
	record("batch_eta", b.last.Z.Eta)
}

// BatchBias returns risk − E R_ρ, the bias that Lemma 3 bounds (see BiasBound). The risk given is
// R_ρ of all losses; the mean is over batches of n of the losses, drawn with replacement. deviation
// is the standard error of that mean over the given number of draws.
func BatchBias(
	set Set, losses []float64, rho, risk float64, n, draws int, seed uint64,
) (bias, deviation float64, err error) {
	if n < 1 || draws < 2 {
		return 0, 0, fmt.Errorf("%d draws of %d losses: expected at least 2 of at least 1", draws,
			n)
	}
	rng := rand.New(rand.NewPCG(seed, uint64(n)))
	batch, solver := make([]float64, n), new(interior)
	var sum, square float64
	for range draws {
		for i := range batch {
			batch[i] = losses[rng.IntN(len(losses))]
		}
		w, err := solver.worstCase(set, nil, batch, rho)
		if err != nil {
			return 0, 0, err
		}
		d := risk - w.Risk
		sum, square = sum+d, square+d*d
	}
	k := float64(draws)
	bias = sum / k
	return bias, math.Sqrt(max(0, square/k-bias*bias) / (k - 1)), nil
}
