package dro

// Stationarity is the paper's two-part test of a point (x, z), on the full
// data: both numbers at most ε.
type Stationarity struct {
	// GradNorm is ‖∇_x F(x; z)‖, which the caller measured.
	GradNorm float64
	// DualGap is F(x; z) − R_ρ(x) ≥ 0, in the unit of the losses.
	DualGap float64
}

// Within reports whether both parts are at most epsilon. It is false for NaN.
func (s Stationarity) Within(epsilon float64) bool {
	return s.GradNorm <= epsilon && s.DualGap <= epsilon
}

// Stationarity computes the test at z, in the problem's coordinates, from the
// losses at x of the whole data set and the norm of ∇_x F(x; z).
func (p *Problem) Stationarity(losses []float64, z Z, gradNorm float64) (Stationarity, error) {
	worst, err := p.Set.WorstCase(nil, losses, p.Rho)
	if err != nil {
		return Stationarity{}, err
	}
	return Stationarity{GradNorm: gradNorm, DualGap: p.At(nil, losses, z).Value - worst.Risk}, nil
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
