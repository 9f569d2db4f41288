package certificate

import (
	"fmt"
	"math"

	"drolab/dro"
	"drolab/dro/nn"
	"drolab/runner"
	"drolab/runner/data/loader"
	"drolab/runner/measure"
	"drolab/runner/train"
)

// Noise is the noise of mini-batches of N training samples at the network, with its dual variables,
// beside the bounds of the theory.
type Noise struct {
	N int `json:"n"`
	// Variance is E ‖g_n − ∇_x F‖² over draws of n samples; VarianceBound is σ0²/n.
	Variance      measure.Number `json:"variance"`
	VarianceBound measure.Number `json:"variance_bound"`
	// Bias is R_ρ − E R_ρ(n samples), with its standard error; BiasBound is Lemma 3's.
	Bias      float64 `json:"bias"`
	BiasError float64 `json:"bias_error"`
	BiasBound float64 `json:"bias_bound"`
}

// Constants are the constants that Theorem 1 assumes, measured at the current network: each is a
// lower bound on the constant that holds everywhere.
type Constants struct {
	Bound     float64 `json:"bound"`     // B: the largest training loss
	Lipschitz float64 `json:"lipschitz"` // G: the largest ‖∇ℓ_i‖ of the samples drawn
	// Smoothness is L: the largest ‖∇ℓ_i(y) − ∇ℓ_i(x)‖/‖y − x‖, for y along ∇ℓ_i.
	Smoothness float64 `json:"smoothness"`
	Samples    int     `json:"samples"` // number drawn for the two
	// Lz is the largest curvature of F in (λ, η) on the training split, and LzBound the theory's
	// bound on it over the run's box. Neither applies to methods without dual variables. LzBound
	// does not apply to sets that the theory leaves out.
	Lz      measure.Number `json:"l_z"`
	LzBound measure.Number `json:"l_z_bound"`
}

// streamTheory is the stream of random numbers for the draws of Noise; Constants uses the next
// one. Neither is a stream of the run's own, whose batches would not be independent of x.
const streamTheory = 77

// gradient computes ∇ of the mean of w_i ℓ_i over a batch of any size of training samples, where
// weigh computes the weights w from the losses. The network is in evaluation mode, since the
// theory's ℓ_i(x) has no batch statistics, and holds the gradient until the next one takes its
// place. It goes by pieces as large as a step's batch, since the network has no room for more at
// once. With add it adds −1 times this gradient to the one that is there.
func (f *Frozen) gradient(b *loader.Batch, weigh func(w, losses []float64), add bool) {
	net := f.Run.Net
	most := f.Meta.Spec.Batch
	whole := train.Batch{Split: runner.SplitTrain, Mode: nn.Evaluate, Batch: b}
	var part loader.Batch
	for from := 0; from < b.N; from += most {
		to := min(from+most, b.N)
		losses, w := make([]float64, to-from), make([]float64, to-from)
		net.Losses(losses, whole.Part(&part, from, to), nil)
		weigh(w, losses)
		share := float64(to-from) / float64(b.N)
		if add {
			share = -share
		}
		for i := range w {
			w[i] *= share
		}
		net.Gradient(w, from > 0 || add)
	}
}

// Noise measures mini-batches of each size, with so many draws for each, at the network and its
// dual variables, beside the bounds that follow from the constants. Without dual variables the
// variance does not apply.
func (f *Frozen) Noise(train *measure.Pass, sizes []int, draws int, c Constants) ([]Noise, error) {
	p := f.Problem()
	whole, err := dro.WorstCase(p.Set, nil, train.Losses, p.Rho)
	if err != nil {
		return nil, err
	}
	var list []Noise
	for _, n := range sizes {
		if n < 1 {
			return nil, fmt.Errorf("a batch of %d: expected at least 1", n)
		}
		one := Noise{N: n, BiasBound: dro.BiasBound(p.Set, p.Rho, c.Bound, n)}
		one.Bias, one.BiasError, err = dro.BatchBias(p.Set, train.Losses, p.Rho, whole.Risk,
			n, 20*draws, streamTheory)
		if err != nil {
			return nil, err
		}
		if one.Variance, err = f.variance(train, n, draws); err != nil {
			return nil, err
		}
		if of, err := f.constants(c); err == nil && one.Variance.Applies() {
			one.VarianceBound = measure.Num(math.Pow(of.Sigma0.Float64(), 2) / float64(n))
		}
		list = append(list, one)
	}
	return list, nil
}

// constants returns the theory's constants on the run's box. A bound that follows from measured
// constants does not hold for the whole space of weights.
func (f *Frozen) constants(c Constants) (dro.Constants, error) {
	return f.Problem().Constants(dro.Assumptions{Bound: c.Bound, Lipschitz: c.Lipschitz,
		Smoothness: c.Smoothness})
}

// variance returns the variance that the paper bounds by σ0²/n. It is E ‖g_n‖² − ‖∇F‖², which
// equals E ‖g_n − ∇F‖²: since z is held, a draw's gradient has the mean ∇F.
func (f *Frozen) variance(train *measure.Pass, n, draws int) (measure.Number, error) {
	z, ok := f.Z()
	if !ok {
		return measure.Number{}, nil
	}
	weights := make([]float64, len(train.Losses))
	f.Problem().Evaluate(weights, train.Losses, z)
	whole, err := f.Run.GradNorm(weights)
	if err != nil {
		return measure.Number{}, err
	}
	loader, err := f.draws(n, streamTheory)
	if err != nil {
		return measure.Number{}, err
	}
	defer loader.Close()
	atZ := func(w, losses []float64) { f.Problem().Evaluate(w, losses, z) }
	square := 0.0
	for range draws {
		f.gradient(loader.Next(), atZ, false)
		square += math.Pow(f.Run.Net.GradNorm(), 2) / float64(draws)
	}
	return measure.Num(max(0, square-whole*whole)), nil
}

// Constants measures the constants at so many samples, drawn one by one, with three gradients of
// each. Afterwards the weights are as before. It fails for a network that does not give its
// weights.
func (f *Frozen) Constants(training *measure.Pass, samples int) (Constants, error) {
	c := Constants{Samples: min(samples, len(training.Losses))}
	for _, l := range training.Losses {
		c.Bound = max(c.Bound, l)
	}
	if z, ok := f.Z(); ok {
		c.Lz = measure.Num(largestCurvature(f.Problem(), training.Losses, z))
	}
	loader, err := f.draws(1, streamTheory+1)
	if err != nil {
		return c, err
	}
	defer loader.Close()
	one := func(w, _ []float64) { w[0] = 1 }
	own, ok := f.Run.Net.(train.Parameters)
	if !ok {
		return c, fmt.Errorf("run %s: the constants need a network whose weights are at hand",
			f.Meta.ID)
	}
	before := runner.CloneTensors(own.Tensors())
	for range c.Samples {
		b := loader.Next()
		f.gradient(b, one, false)
		norm := f.Run.Net.GradNorm()
		c.Lipschitz = max(c.Lipschitz, norm)
		if norm > leastSlope {
			rate := probeDistance / norm // the weights move by probeDistance
			f.Run.Net.Step(train.Rule{SGD: nn.SGD{LR: rate}})
			f.gradient(b, one, false)
			runner.CopyTensors(own.Tensors(), before)
			f.gradient(b, one, true)
			c.Smoothness = max(c.Smoothness, f.Run.Net.GradNorm()/probeDistance)
		}
	}
	if of, err := f.constants(c); err == nil && c.Lz.Applies() {
		c.LzBound = measure.Num(of.Lz.Float64())
	}
	return c, nil
}

const (
	// probeDistance is the distance along a gradient over which its change is measured, in the
	// weights' unit: far above the rounding of float32, far below the weights.
	probeDistance = 1e-2
	// leastSlope is the norm of a gradient too short to go along: the sample is learnt.
	leastSlope = 1e-6
)

// largestCurvature returns the curvature that L_z bounds: the largest eigenvalue of ∇²F in z, a 2×2
// matrix that is computed from three directions.
func largestCurvature(p *dro.Problem, losses []float64, z dro.Z) float64 {
	a := p.Curvature(losses, z, dro.Z{Lambda: 1})
	b := p.Curvature(losses, z, dro.Z{Eta: 1})
	mixed := (p.Curvature(losses, z, dro.Z{Lambda: 1, Eta: 1}) - a - b) / 2
	if !p.Set.HasRadius() {
		return b
	}
	return (a+b)/2 + math.Hypot((a-b)/2, mixed)
}
