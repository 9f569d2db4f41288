package kern

import "math"

// sgdChunk is the number of parameters in a task: 64 KiB of each vector. Squared norms are summed
// within chunks and then over the chunks in order.
const sgdChunk = 16 << 10

// SGDConfig holds the settings of one update, as in torch.optim.SGD with dampening 0.
type SGDConfig struct {
	LearningRate float32
	Momentum     float32 // 0 for none
	WeightDecay  float32 // 0 for none
}

// AccumulateConfig holds the settings of the first half of an update that needs the new velocity
// before it moves the weights.
type AccumulateConfig struct {
	Momentum    float32
	Keep        float32 // factor of the gradient and the weight decay: 1 − dampening
	Scale       float32 // factor of the gradient alone: below 1 to clip it
	WeightDecay float32
}

// SGD updates one vector of parameters.
type SGD struct {
	isa   ISA
	norms []float64 // ‖g‖² of each chunk

	w, v, g    []float32 // the running call
	config     SGDConfig
	accumulate AccumulateConfig
}

// NewSGD returns an SGD for n parameters.
func NewSGD(isa ISA, n int) *SGD {
	isa.check()
	return &SGD{isa: isa, norms: make([]float64, ceilDiv(n, sgdChunk))}
}

// Step sets v = momentum·v + (g + weightDecay·w) and then w = w − learningRate·v, and returns ‖g‖²,
// without the weight decay.
func (s *SGD) Step(t *Team, w, v, g []float32, c SGDConfig) float64 {
	s.config = c
	return s.run(t, w, v, g, (*sgdStep)(s))
}

// SquaredNorm returns ‖g‖², with the same bits as Step.
func (s *SGD) SquaredNorm(t *Team, g []float32) float64 {
	return s.run(t, g, g, g, (*sgdNorm)(s))
}

// Accumulate sets v = momentum·v + keep·(scale·g + weightDecay·w) and returns ‖v‖².
func (s *SGD) Accumulate(t *Team, w, v, g []float32, c AccumulateConfig) float64 {
	s.accumulate = c
	return s.run(t, w, v, g, (*sgdAccumulate)(s))
}

// Advance sets w = w − rate·v.
func (s *SGD) Advance(t *Team, w, v []float32, rate float32) {
	s.config.LearningRate = rate
	s.run(t, w, v, v, (*sgdAdvance)(s))
}

// run runs j over all parameters and returns the sum of norms.
func (s *SGD) run(t *Team, w, v, g []float32, j job) (norm float64) {
	if len(w) != len(g) || len(v) != len(g) || ceilDiv(len(g), sgdChunk) != len(s.norms) {
		panic("kern: SGD: slice has the wrong length")
	}
	s.w, s.v, s.g = w, v, g
	t.run(len(s.norms), j)
	s.w, s.v, s.g = nil, nil, nil
	for _, n := range s.norms {
		norm += n
	}
	return norm
}

type sgdStep SGD

func (s *sgdStep) task(i int) {
	from, to := i*sgdChunk, min((i+1)*sgdChunk, len(s.g))
	s.norms[i] = sgdUpdate(s.isa, s.w[from:to], s.v[from:to], s.g[from:to], &s.config)
}

type sgdNorm SGD

func (s *sgdNorm) task(i int) {
	s.norms[i] = sumSquares(s.isa, s.g[i*sgdChunk:min((i+1)*sgdChunk, len(s.g))])
}

type sgdAccumulate SGD

func (s *sgdAccumulate) task(i int) {
	from, to := i*sgdChunk, min((i+1)*sgdChunk, len(s.g))
	w, v, c := s.w[from:to], s.v[from:to], s.accumulate
	for k, g := range s.g[from:to] {
		v[k] = c.Momentum*v[k] + c.Keep*(c.Scale*g+c.WeightDecay*w[k])
	}
	s.norms[i] = sumSquares(s.isa, v)
}

type sgdAdvance SGD

func (s *sgdAdvance) task(i int) {
	from, to := i*sgdChunk, min((i+1)*sgdChunk, len(s.v))
	w := s.w[from:to]
	for k, v := range s.v[from:to] {
		w[k] -= s.config.LearningRate * v
	}
}

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
	config     AdamWConfig
}

// Step sets g = scale·g, w = keep·w, m = m + (1−β1)(g − m), v = β2·v + (1−β2)g² and then
// w = w − rate·m/(√v/root + eps). It changes no value of g.
func (a *AdamW) Step(t *Team, w, m, v, g []float32, c AdamWConfig) {
	if len(w) != len(g) || len(m) != len(g) || len(v) != len(g) {
		panic("kern: AdamW: slice has the wrong length")
	}
	a.w, a.m, a.v, a.g, a.config = w, m, v, g, c
	t.run(ceilDiv(len(g), sgdChunk), a)
	a.w, a.m, a.v, a.g = nil, nil, nil, nil
}

func (a *AdamW) task(i int) {
	from, to := i*sgdChunk, min((i+1)*sgdChunk, len(a.g))
	g := a.g[from:to]
	w, m, v := a.w[from:to][:len(g)], a.m[from:to][:len(g)], a.v[from:to][:len(g)]
	c := &a.config
	keep, scale, rate := float32(c.Keep), float32(c.Scale), float32(c.Rate)
	root, eps, beta2 := float32(1/c.Root), float32(c.Eps), float32(c.Beta2)
	grow1, grow2 := float32(1-c.Beta1), float32(1-c.Beta2)
	for k, d := range g {
		d *= scale
		first := m[k] + grow1*(d-m[k])
		second := beta2*v[k] + grow2*(d*d)
		m[k], v[k] = first, second
		w[k] = keep*w[k] - rate*first/(float32(math.Sqrt(float64(second)))*root+eps)
	}
}
