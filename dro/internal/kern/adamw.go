package kern

import "math"

// AdamWConfig holds the settings of one update, as in torch.optim.AdamW. The caller accounts for
// the number t of the step in Rate and Root.
type AdamWConfig struct {
	Beta1, Beta2 float64
	Rate         float64 // learning rate / (1 − β1^t)
	Root         float64 // √(1 − β2^t)
	Eps          float64
	Keep         float64 // factor of the weights: 1 − learning rate · weight decay
	Scale        float64 // factor of the gradient: below 1 to clip it
}

// AdamW updates vectors of parameters. It is plain Go on every processor, because it takes little
// time beside the products of a step.
type AdamW struct {
	w, m, v, g []float32 // the running call

	keep, scale, grow1, beta2, grow2, root, eps, rate float32 // root is 1/Root
}

// Step sets g = scale·g, w = keep·w, m = m + (1−β1)(g − m), v = β2·v + (1−β2)g² and then
// w = w − rate·m/(√v/root + eps). It changes no value of g.
func (a *AdamW) Step(t *Team, w, m, v, g []float32, c *AdamWConfig) {
	if len(w) != len(g) || len(m) != len(g) || len(v) != len(g) {
		panic("kern: AdamW: slice has the wrong length")
	}
	a.w, a.m, a.v, a.g = w, m, v, g
	a.keep, a.scale = float32(c.Keep), float32(c.Scale)
	a.grow1, a.beta2, a.grow2 = float32(1-c.Beta1), float32(c.Beta2), float32(1-c.Beta2)
	a.root, a.eps, a.rate = float32(1/c.Root), float32(c.Eps), float32(c.Rate)
	t.run((len(g)+sgdChunk-1)/sgdChunk, (*adamStep)(a))
	a.w, a.m, a.v, a.g = nil, nil, nil, nil
}

type adamStep AdamW

func (a *adamStep) task(i int) {
	from, to := i*sgdChunk, min((i+1)*sgdChunk, len(a.g))
	g := a.g[from:to]
	w, m, v := a.w[from:to][:len(g)], a.m[from:to][:len(g)], a.v[from:to][:len(g)]
	keep, scale, rate, root, eps := a.keep, a.scale, a.rate, a.root, a.eps
	grow1, beta2, grow2 := a.grow1, a.beta2, a.grow2
	for k, d := range g {
		d *= scale
		first := m[k] + grow1*(d-m[k])
		second := beta2*v[k] + grow2*(d*d)
		m[k], v[k] = first, second
		w[k] = keep*w[k] - rate*first/(float32(math.Sqrt(float64(second)))*root+eps)
	}
}
