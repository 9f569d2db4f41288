package dro

import "math"

// Softmax is a softmax regression: cross-entropies that are convex in the
// parameters, so that min_x R_ρ(x) can be found exactly (see Least). The last
// class's logit is held at 0, which changes no loss that all classes' could have.
type Softmax struct {
	X       [][]float64 // n samples of d features each
	Labels  []int       // in [0, Classes)
	Classes int
}

// size is how many parameters there are: for each class but the last one a weight
// a feature, and then the bias.
func (s *Softmax) size() int { return (s.Classes - 1) * s.inputs() }

func (s *Softmax) inputs() int { return len(s.X[0]) + 1 }

// at gives feature j of sample i; the last is 1, for the bias.
func (s *Softmax) at(i, j int) float64 {
	if j == len(s.X[i]) {
		return 1
	}
	return s.X[i][j]
}

// loss returns −log p of sample i's class, and writes p of all but the last class.
func (s *Softmax) loss(p, w []float64, i int) float64 {
	in := s.inputs()
	largest := 0.0
	for c := range p {
		p[c] = 0
		for j := range in {
			p[c] += w[c*in+j] * s.at(i, j)
		}
		largest = math.Max(largest, p[c])
	}
	sum := math.Exp(-largest) // the last class's
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

func (s *Softmax) losses(dst, w []float64) {
	p := make([]float64, s.Classes-1)
	for i := range dst {
		dst[i] = s.loss(p, w, i)
	}
}

// slope writes ∇ℓ_i, given p of sample i.
func (s *Softmax) slope(dst, p []float64, i int) {
	in := s.inputs()
	for c := range p {
		d := p[c]
		if c == s.Labels[i] {
			d--
		}
		for j := range in {
			dst[c*in+j] = d * s.at(i, j)
		}
	}
}

// bend adds a ∇²ℓ_i = a (diag p − p pᵀ) ⊗ x xᵀ, given p of sample i.
func (s *Softmax) bend(h [][]float64, a float64, p []float64, i int) {
	in := s.inputs()
	for c := range p {
		for e := range p {
			v := -a * p[c] * p[e]
			if c == e {
				v += a * p[c]
			}
			for j := range in {
				vx := v * s.at(i, j)
				row := h[c*in+j][e*in:]
				for k := range in {
					row[k] += vx * s.at(i, k)
				}
			}
		}
	}
}
