package kern

import "fmt"

// AveragePool is the mean of each channel over all positions.
type AveragePool struct {
	isa   ISA
	batch Batch
	in    Shape

	wide, flat []float32 // the running call: activations of the input's shape and of the output's
}

// NewAveragePool returns the pooling of activations of shape in.
func NewAveragePool(isa ISA, b Batch, in Shape) (*AveragePool, error) {
	if err := isa.check(); err != nil {
		return nil, err
	}
	if !b.valid() || !in.valid() {
		return nil, fmt.Errorf(
			"average of %+v in %+v: sizes must be positive and the batch from NewBatch", in, b)
	}
	return &AveragePool{isa: isa, batch: b, in: in}, nil
}

// Out returns the shape of the output.
func (p *AveragePool) Out() Shape { return Shape{p.in.Channels, 1, 1} }

// Forward sets y to the means of x.
func (p *AveragePool) Forward(t *Team, y, x []float32) { p.run(t, x, y, (*averageForward)(p)) }

// Backward sets dx, the gradient of the input, from the output's gradient dy.
func (p *AveragePool) Backward(t *Team, dx, dy []float32) {
	p.run(t, dx, dy, (*averageBackward)(p))
}

func (p *AveragePool) run(t *Team, wide, flat []float32, j job) {
	if len(wide) != p.batch.Len(p.in) || len(flat) != p.batch.Len(p.Out()) {
		panic("kern: AveragePool: slice has the wrong length")
	}
	p.wide, p.flat = wide, flat
	t.run(p.batch.Blocks*p.in.Channels, j)
	p.wide, p.flat = nil, nil
}

// at returns the lanes of position k in the block and channel of task i, and the lanes of their
// mean.
func (p *AveragePool) at(i, k int) (wide, flat []float32) {
	lanes, channels := p.batch.Lanes, p.in.Channels
	block, channel := i/channels, i%channels
	first := ((block*p.in.Height*p.in.Width+k)*channels + channel) * lanes
	return p.wide[first:][:lanes], p.flat[i*lanes:][:lanes]
}

type averageForward AveragePool

func (f *averageForward) task(i int) {
	p := (*AveragePool)(f)
	_, y := p.at(i, 0)
	clear(y)
	for k := range p.in.Height * p.in.Width {
		x, _ := p.at(i, k)
		add(p.isa, y, y, x)
	}
	for j := range y {
		y[j] /= float32(p.in.Height * p.in.Width)
	}
}

type averageBackward AveragePool

func (f *averageBackward) task(i int) {
	p := (*AveragePool)(f)
	first, dy := p.at(i, 0)
	for j, v := range dy {
		first[j] = v / float32(p.in.Height*p.in.Width)
	}
	for k := 1; k < p.in.Height*p.in.Width; k++ {
		dx, _ := p.at(i, k)
		copy(dx, first)
	}
}
