package dro

import (
	"fmt"
	"math"
)

// Settings are the options of a Dual beyond its Problem.
type Settings struct {
	// Start is z_1, in the problem's coordinates. SFK and PGD project it onto
	// the box; PAN projects η only and keeps λ = Start.Lambda throughout.
	// Default (1, 0), the paper's.
	Start Z
	// C is the curvature constant of SFK's step γ = min(gap/C, 1), in the unit
	// of the losses. Default 1000; useful values are 500 to 5000 (math.md §6).
	C float64
	// AutoC replaces C by C_t = Kappa dᵀHd with the batch's own Hessian along
	// the step, followed by halving until the batch objective decreases.
	AutoC bool
	// Kappa scales AutoC's estimate; 1, the default, is the exact minimiser of
	// the batch's quadratic model along the step.
	Kappa float64
	// ShareBatch lets SFK take its z-step on the losses that the x-step
	// computed, at x_t, instead of an independent draw at x_{t+1}: no second
	// forward pass, and no longer the paper's algorithm.
	ShareBatch bool
}

// DefaultSettings returns Start (1, 0), C = 1000 and Kappa = 1.
func DefaultSettings() Settings { return Settings{Start: Z{Lambda: 1}, C: 1000, Kappa: 1} }

// Validate checks the settings.
func (s Settings) Validate() error {
	for _, f := range []struct {
		key   string
		value float64
	}{{"c", s.C}, {"kappa", s.Kappa}, {"lambda", s.Start.Lambda}} {
		if !(f.value > 0) || math.IsInf(f.value, 1) {
			return fmt.Errorf("%s %v: want a positive finite value", f.key, f.value)
		}
	}
	if math.IsNaN(s.Start.Eta) || math.IsInf(s.Start.Eta, 0) {
		return fmt.Errorf("eta %v: want a finite value", s.Start.Eta)
	}
	return nil
}

// Move describes one z-step. Values that the algorithm does not have are NaN.
type Move struct {
	// Gap is the Frank-Wolfe gap ⟨z − e, ∇F⟩ of the batch at the z before the
	// step; it bounds F(z) − min over the box of F.
	Gap float64
	// Gamma is the step length in [0, 1] taken towards the corner e.
	Gamma float64
	// Halvings counts the reductions of Gamma; only AutoC has any.
	Halvings int
}

// maxHalvings ends the search when γ d is lost in the rounding of z.
const maxHalvings = 60

// Dual owns the dual variables z of one run. Its methods do not allocate and
// are not safe for concurrent use.
type Dual struct {
	algorithm Algorithm
	problem   Problem
	settings  Settings

	z Z
}

// NewDual checks its arguments and places z at the start.
func NewDual(a Algorithm, p Problem, s Settings) (*Dual, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if err := Applies(a, p.Set); err != nil {
		return nil, err
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	d := &Dual{algorithm: a, problem: p, settings: s}
	d.SetZ(p.Box.Project(s.Start))
	return d, nil
}

// Z returns the dual variables, in the problem's coordinates.
func (d *Dual) Z() Z { return d.z }

// SetZ replaces the dual variables, for a resume. PAN keeps its λ.
func (d *Dual) SetZ(z Z) {
	if d.algorithm == PAN {
		z.Lambda = d.settings.Start.Lambda
	}
	d.z = z
}

// FreshBatch reports whether the next Step wants the losses of samples drawn
// independently of the x-step's, computed at x_{t+1}. Otherwise Step takes the
// very losses that Ratios took.
func (d *Dual) FreshBatch() bool { return d.algorithm == SFK && !d.settings.ShareBatch }

// Ratios writes the weights of the x-step at the current z: the step's gradient
// is mean ratios_i ∇ℓ_i. For ERM they are 1, Value is the mean loss and the
// rest of the Eval is NaN.
func (d *Dual) Ratios(ratios, losses []float64) Eval {
	if d.algorithm == ERM {
		return uniform(ratios, losses)
	}
	return d.problem.At(ratios, losses, d.z)
}

func uniform(ratios, losses []float64) Eval {
	checkRatios(ratios, losses)
	for i := range ratios {
		ratios[i] = 1
	}
	var sum float64
	for _, l := range losses {
		sum += l
	}
	nan := math.NaN()
	return Eval{Value: sum / float64(len(losses)), Grad: Z{nan, nan}, MeanRatio: nan, Divergence: nan}
}

// Step moves z on the losses: SFK by a Frank-Wolfe step, PGD and PAN by a
// projected gradient step of length alpha, ERM not at all.
func (d *Dual) Step(losses []float64, alpha float64) Move {
	switch d.algorithm {
	case SFK:
		return d.frankWolfe(losses)
	case PGD, PAN:
		grad := d.problem.At(nil, losses, d.z).Grad
		d.SetZ(d.problem.Box.Project(d.z.along(-alpha, grad)))
	}
	return Move{Gap: math.NaN(), Gamma: math.NaN()}
}

// frankWolfe is lines 6 to 10 of the paper's Algorithm 1.
func (d *Dual) frankWolfe(losses []float64) Move {
	eval := d.problem.At(nil, losses, d.z)
	dir := d.problem.Box.Corner(eval.Grad).sub(d.z)
	gap := -dir.dot(eval.Grad)
	if !d.settings.AutoC {
		gamma := math.Min(gap/d.settings.C, 1)
		d.z = d.z.along(gamma, dir)
		return Move{Gap: gap, Gamma: gamma}
	}
	gamma, halvings := d.search(losses, eval.Value, dir, gap)
	d.z = d.z.along(gamma, dir)
	return Move{Gap: gap, Gamma: gamma, Halvings: halvings}
}

// search returns γ of the option "c: auto" (math.md §5): the minimiser of the
// batch's quadratic model, halved while F(z + γd) > F(z) − γ gap/2. The halving
// matters where few samples are active: the Hessian there is nearly zero and
// the model would send z to a corner.
func (d *Dual) search(losses []float64, value float64, dir Z, gap float64) (gamma float64, halvings int) {
	gamma = 1
	if c := d.settings.Kappa * d.problem.Curvature(losses, d.z, dir); c > gap {
		gamma = gap / c
	}
	for halvings < maxHalvings && d.problem.At(nil, losses, d.z.along(gamma, dir)).Value > value-gamma*gap/2 {
		gamma /= 2
		halvings++
	}
	return gamma, halvings
}
