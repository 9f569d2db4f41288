package dro

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// BatchBias returns risk − E R_ρ, the bias that Lemma 3 bounds (see BiasBound). The risk given is
// R_ρ of all losses; the mean is over batches of n of the losses, drawn with replacement. deviation
// is the standard error of that mean over the given number of draws.
func BatchBias(
	set Set, losses []float64, rho, risk float64, n, draws int, seed uint64,
) (bias, deviation float64, err error) {
	if n < 1 || draws < 2 {
		return 0, 0, fmt.Errorf("%d draws of %d losses: want at least 2 of at least 1", draws, n)
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
