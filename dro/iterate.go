package dro

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
