package dro

import "math"

// Regression is a linear model whose losses are convex in the parameters, so that min_x R_ρ(x) can
// be found exactly (see Least). It is softmax regression with the cross-entropy, or least squares
// with ℓ = ½‖Wx + b − e_y‖². Both have a prediction p of the label's unit vector e_y, and
// ∇ℓ = (p − e_y) xᵀ.
type Regression struct {
	X       [][]float64 // n samples of d features each
	Labels  []int       // in [0, Classes)
	Classes int
	Squared bool // least squares
}

// outputs returns the number of classes that have parameters. The last logit of the softmax is held
// at 0; parameters for all classes would give no other losses.
func (s *Regression) outputs() int {
	if s.Squared {
		return s.Classes
	}
	return s.Classes - 1
}

// size returns the number of parameters: for each output, one weight for each feature and then the
// bias.
func (s *Regression) size() int { return s.outputs() * s.inputs() }

func (s *Regression) inputs() int { return len(s.X[0]) + 1 }

// feature returns feature j of sample i. The last feature is 1, for the bias.
func (s *Regression) feature(i, j int) float64 {
	if j == len(s.X[i]) {
		return 1
	}
	return s.X[i][j]
}

// loss returns the loss of sample i and writes the prediction of its outputs to p.
func (s *Regression) loss(p, w []float64, i int) float64 {
	s.logits(p, w, i)
	if s.Squared {
		return s.square(p, i)
	}
	return s.crossEntropy(p, i)
}

// logits writes the logits W xᵢ + b to u.
func (s *Regression) logits(u, w []float64, i int) {
	in := s.inputs()
	for c := range u {
		u[c] = 0
		for j := range in {
			u[c] += w[c*in+j] * s.feature(i, j)
		}
	}
}

// conjugate returns ℓ*(q − e_y) of sample i, the conjugate over the logits.
func (s *Regression) conjugate(q []float64, i int) (value float64) {
	left := 1.0 // probability left for the softmax's last class
	for c, p := range q {
		switch {
		case s.Squared && c == s.Labels[i]: // ½(p − 1)² + (p − 1)
			value += (p*p - 1) / 2
		case s.Squared:
			value += p * p / 2
		default:
			value += negentropy(p)
			left -= p
		}
	}
	if s.Squared {
		return value
	}
	return value + negentropy(left)
}

// negentropy returns p log p: 0 at 0 and, but for rounding, +Inf below 0.
func negentropy(p float64) float64 {
	switch {
	case p > 0:
		return p * math.Log(p)
	case p > -1e-15:
		return 0
	}
	return math.Inf(1)
}

func (s *Regression) square(p []float64, i int) (loss float64) {
	for c, v := range p {
		if c == s.Labels[i] {
			v--
		}
		loss += v * v / 2
	}
	return loss
}

// crossEntropy returns the loss of sample i and turns the logits in p into their softmax.
func (s *Regression) crossEntropy(p []float64, i int) float64 {
	largest := 0.0
	for _, v := range p {
		largest = math.Max(largest, v)
	}
	sum := math.Exp(-largest) // term of the last class, whose logit is 0
	for c := range p {
		sum += math.Exp(p[c] - largest)
	}
	all := largest + math.Log(sum)
	own := 0.0
	if c := s.Labels[i]; c < len(p) {
		own = p[c]
	}
	for c := range p {
		p[c] = math.Exp(p[c] - all)
	}
	return math.Max(0, all-own)
}

func (s *Regression) losses(dst, w []float64) {
	p := make([]float64, s.outputs())
	for i := range dst {
		dst[i] = s.loss(p, w, i)
	}
}

// gradient writes ∇ℓ_i, given p of sample i.
func (s *Regression) gradient(dst, p []float64, i int) {
	in := s.inputs()
	for c := range p {
		d := p[c]
		if c == s.Labels[i] {
			d--
		}
		for j := range in {
			dst[c*in+j] = d * s.feature(i, j)
		}
	}
}

// addHessian adds a·∇²ℓ_i = a·M ⊗ x xᵀ to h, given p of sample i. M is the identity for least
// squares, and diag p − p pᵀ for the softmax.
func (s *Regression) addHessian(h [][]float64, a float64, p []float64, i int) {
	in := s.inputs()
	for c := range p {
		for e := range p {
			v := a * s.hessian(p, c, e)
			if v == 0 {
				continue
			}
			for j := range in {
				vx := v * s.feature(i, j)
				row := h[c*in+j][e*in:]
				for k := range in {
					row[k] += vx * s.feature(i, k)
				}
			}
		}
	}
}

// hessian returns entry (c, e) of the matrix M in addHessian.
func (s *Regression) hessian(p []float64, c, e int) float64 {
	same := 0.0
	if c == e {
		same = 1
	}
	if s.Squared {
		return same
	}
	return p[c] * (same - p[e])
}
