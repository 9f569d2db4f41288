package dro

import (
	"errors"
	"fmt"
	"math"
)

var errNoProblem = errors.New("no problem given: want an uncertainty set and a box")

// dual is the part that the methods with dual variables share: z, and the weights φ*′((ℓ_i − η)/λ)
// that z gives the samples.
type dual struct {
	Base
	problem Problem
	z       Z
	last    Eval // of the last batch that was weighed
}

// dualReads returns the keys of the settings of z that every method with dual variables reads, and
// the further ones.
func dualReads(further ...string) []string {
	z := []string{"coordinates", "lambda", "eta", "lambda0", "lambda_max", "eta_min", "eta_max"}
	return append(z, further...)
}

// newDual checks the task and places z at the start, projected onto the box.
func newDual(t Task) (dual, error) {
	start := Z{Lambda: t.Number("lambda"), Eta: t.Number("eta")}
	switch {
	case t.Problem == nil:
		return dual{}, errNoProblem
	case !(start.Lambda > 0) || math.IsInf(start.Lambda, 1):
		return dual{}, fmt.Errorf("lambda %v: want a positive finite value", start.Lambda)
	case math.IsNaN(start.Eta) || math.IsInf(start.Eta, 0):
		return dual{}, fmt.Errorf("eta %v: want a finite value", start.Eta)
	}
	if err := t.Problem.Validate(); err != nil {
		return dual{}, err
	}
	return dual{problem: *t.Problem, z: t.Problem.Box.Project(start)}, nil
}

// Z implements Dual.
func (d *dual) Z() Z { return d.z }

// Confine implements Dual.
func (d *dual) Confine() { d.z = d.problem.Box.Project(d.z) }

// Weights implements Trainer.
func (d *dual) Weights(w []float64, b Batch) { d.last = d.problem.At(w, b.Losses, d.z) }

// Samplewise implements Trainer.
func (d *dual) Samplewise() func(w, losses []float64) { return d.weigh }

func (d *dual) weigh(w, losses []float64) { d.problem.At(w, losses, d.z) }

// Report implements Trainer. A set without a radius has no λ.
func (d *dual) Report(record func(string, float64)) {
	record("objective", d.last.Value)
	if d.problem.Set.HasRadius() {
		record("lambda", d.z.Lambda)
	}
	record("eta", d.z.Eta)
	record("mean_ratio", d.last.MeanRatio)
	record("divergence", d.last.Divergence)
}

// State implements Trainer.
func (d *dual) State() State {
	return State{Numbers: map[string]float64{"lambda": d.z.Lambda, "eta": d.z.Eta}}
}

// Restore implements Trainer.
func (d *dual) Restore(s State) error {
	z, err := s.numbers("lambda", "eta")
	if err == nil {
		d.z = Z{Lambda: z[0], Eta: z[1]}
	}
	return err
}

// Warning implements Warner.
func (d *dual) Warning() string {
	if d.last.MeanRatio == 0 {
		return "every likelihood ratio of a batch is 0, so the network got no gradient: lower " +
			"eta, or take smaller steps on z (sfk: raise c or take sfk-auto; the others: lower " +
			"lr_z)"
	}
	return ""
}

// gradient returns ∂F/∂z of a batch at the present z.
func (d *dual) gradient(losses []float64) Z { return d.problem.At(nil, losses, d.z).Grad }

// Z holds the dual variables of one problem: the multiplier λ of the radius
// constraint and the multiplier η of the constraint mean r = 1. Both have the
// unit of the losses. The package also uses a Z for directions and gradients
// in the (λ, η) plane.
type Z struct {
	Lambda float64 `json:"lambda"`
	Eta    float64 `json:"eta"`
}

func (z Z) dot(w Z) float64 { return z.Lambda*w.Lambda + z.Eta*w.Eta }

func (z Z) sub(w Z) Z { return Z{z.Lambda - w.Lambda, z.Eta - w.Eta} }

// along returns z + a d.
func (z Z) along(a float64, d Z) Z { return Z{z.Lambda + a*d.Lambda, z.Eta + a*d.Eta} }

// Box is the set M = [λ0, λ̄] × [η_min, η_max] that the dual variables of a
// training run stay in, in the coordinates of the problem that it belongs to.
type Box struct{ Lambda, Eta [2]float64 }

// Contains reports whether z lies in b, boundary included. It is false for a
// NaN.
func (b Box) Contains(z Z) bool {
	return z.Lambda >= b.Lambda[0] && z.Lambda <= b.Lambda[1] &&
		z.Eta >= b.Eta[0] && z.Eta <= b.Eta[1]
}

// Project returns the point of b nearest to z. A NaN stays one, so that a
// diverged run is seen and not repaired.
func (b Box) Project(z Z) Z {
	return Z{clamp(z.Lambda, b.Lambda), clamp(z.Eta, b.Eta)}
}

// Corner returns argmin over e in b of ⟨e, g⟩, the linear minimisation step of
// Frank-Wolfe. Where a coordinate of g is zero every value is a minimiser and
// Corner takes the lower end.
func (b Box) Corner(g Z) Z {
	return Z{end(g.Lambda, b.Lambda), end(g.Eta, b.Eta)}
}

// Diameter returns D, the largest distance between two points of b.
func (b Box) Diameter() float64 {
	return math.Hypot(b.Lambda[1]-b.Lambda[0], b.Eta[1]-b.Eta[0])
}

func clamp(v float64, side [2]float64) float64 {
	return math.Min(math.Max(v, side[0]), side[1])
}

func end(slope float64, side [2]float64) float64 {
	if slope < 0 {
		return side[1]
	}
	return side[0]
}

// PaperIterate applies the output rule of the paper's Algorithm 1:
// t' = argmin ‖∇_x f‖² + gap² over the steps. Both are mini-batch values, so
// this is an argmin of noise as much as of progress (math.md §5); report it
// beside the last iterate, not instead of it. The zero value is ready, and the
// exported fields are all of its state.
type PaperIterate struct {
	// Step is t', counted from 1; 0 before the first Observe.
	Step int
	// GradNorm and Gap are the values of step t'.
	GradNorm, Gap float64
	// Z is z_{t'}, before the step, for the caller of Observe to keep.
	Z Z
}

// Observe takes ‖∇_x f_x(x_t; z_t)‖ and the Frank-Wolfe gap of step t ≥ 1 and
// reports whether t is the new t'. The output that belongs to it is x after the
// step's x-update and z before its z-step. A NaN is never chosen.
func (p *PaperIterate) Observe(t int, gradNorm, gap float64) bool {
	score := gradNorm*gradNorm + gap*gap
	best := p.GradNorm*p.GradNorm + p.Gap*p.Gap
	if !(score < best) && (p.Step != 0 || score != score) {
		return false
	}
	*p = PaperIterate{Step: t, GradNorm: gradNorm, Gap: gap}
	return true
}
