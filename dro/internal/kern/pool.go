package kern

// MaxPool is the maximum over windows of 2×2 positions that do not overlap. A last row or column
// that fills no window is left out.
type MaxPool struct {
	isa     ISA
	batch   Batch
	in, out Shape

	dx, x, y, dy []float32 // the running call
	relu         bool
}

// NewMaxPool returns the pooling of activations of shape in.
func NewMaxPool(isa ISA, b Batch, in Shape) *MaxPool {
	out := Shape{in.Channels, in.Height / 2, in.Width / 2}
	b.check(isa, out)
	return &MaxPool{isa: isa, batch: b, in: in, out: out}
}

// Out returns the shape of the output.
func (m *MaxPool) Out() Shape { return m.out }

// Forward sets y to the maxima of x; a window with a NaN gives NaN.
func (m *MaxPool) Forward(t *Team, y, x []float32) {
	m.check(y, x)
	m.y, m.x = y, x
	t.run(m.batch.Blocks*m.out.Height, (*poolForward)(m))
	m.y, m.x = nil, nil
}

// Backward sets dx, the gradient of the input x, from the output y and its gradient dy: each
// window's gradient goes to its first maximum in row order, as in PyTorch. With relu, x is the
// output of a ReLU, and dx is the gradient of what went into that ReLU.
func (m *MaxPool) Backward(t *Team, dx, x, y, dy []float32, relu bool) {
	m.check(y, x)
	m.check(dy, dx)
	m.dx, m.x, m.y, m.dy, m.relu = dx, x, y, dy, relu
	t.run(m.batch.Blocks*m.out.Height, (*poolBackward)(m))
	m.dx, m.x, m.y, m.dy = nil, nil, nil, nil
}

func (m *MaxPool) check(out, in []float32) {
	if len(out) != m.batch.Len(m.out) || len(in) != m.batch.Len(m.in) {
		panic("kern: MaxPool: slice has the wrong length")
	}
}

// depth returns the number of values at one position of one block.
func (m *MaxPool) depth() int { return m.in.Channels * m.batch.Lanes }

// values returns the values at position (row, col) of s, which has the shape of the input or of the
// output.
func (m *MaxPool) values(s []float32, shape Shape, block, row, col int) []float32 {
	return s[((block*shape.Height+row)*shape.Width+col)*m.depth():][:m.depth()]
}

// poolForward's task is one row of the output.
type poolForward MaxPool

func (f *poolForward) task(i int) {
	m := (*MaxPool)(f)
	block, row := i/m.out.Height, i%m.out.Height
	for col := range m.out.Width {
		x := func(inRow, inCol int) []float32 { return m.values(m.x, m.in, block, inRow, inCol) }
		maxOf4(m.isa, m.values(m.y, m.out, block, row, col), x(2*row, 2*col), x(2*row, 2*col+1),
			x(2*row+1, 2*col), x(2*row+1, 2*col+1))
	}
}

// poolBackward's task is the input rows of one row of the output, and the row left over below the
// last.
type poolBackward MaxPool

func (f *poolBackward) task(i int) {
	m := (*MaxPool)(f)
	block, row := i/m.out.Height, i%m.out.Height
	for col := range m.out.Width {
		var x, dx [4][]float32
		for k := range x {
			inRow, inCol := 2*row+k/2, 2*col+k%2
			x[k] = m.values(m.x, m.in, block, inRow, inCol)
			dx[k] = m.values(m.dx, m.in, block, inRow, inCol)
		}
		y, dy := m.values(m.y, m.out, block, row, col), m.values(m.dy, m.out, block, row, col)
		maxOf4Backward(m.isa, &dx, &x, y, dy, m.relu)
	}
	if m.in.Width%2 == 1 {
		clear(m.values(m.dx, m.in, block, 2*row, m.in.Width-1))
		clear(m.values(m.dx, m.in, block, 2*row+1, m.in.Width-1))
	}
	if row == m.out.Height-1 && m.in.Height%2 == 1 {
		for col := range m.in.Width {
			clear(m.values(m.dx, m.in, block, m.in.Height-1, col))
		}
	}
}

// AveragePool is the mean of each channel over all positions.
type AveragePool struct {
	isa   ISA
	batch Batch
	in    Shape

	wide, flat []float32 // the running call: activations of the input's shape and of the output's
}

// NewAveragePool returns the pooling of activations of shape in.
func NewAveragePool(isa ISA, b Batch, in Shape) *AveragePool {
	b.check(isa, in)
	return &AveragePool{isa: isa, batch: b, in: in}
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

// lanes returns the lanes of position k in the block and channel of task i, and the lanes of their
// mean.
func (p *AveragePool) lanes(i, k int) (wide, flat []float32) {
	lanes, channels := p.batch.Lanes, p.in.Channels
	block, channel := i/channels, i%channels
	first := ((block*p.in.Height*p.in.Width+k)*channels + channel) * lanes
	return p.wide[first:][:lanes], p.flat[i*lanes:][:lanes]
}

type averageForward AveragePool

func (f *averageForward) task(i int) {
	p := (*AveragePool)(f)
	_, y := p.lanes(i, 0)
	clear(y)
	for k := range p.in.Height * p.in.Width {
		x, _ := p.lanes(i, k)
		add(p.isa, y, y, x)
	}
	for j := range y {
		y[j] /= float32(p.in.Height * p.in.Width)
	}
}

type averageBackward AveragePool

func (f *averageBackward) task(i int) {
	p := (*AveragePool)(f)
	first, dy := p.lanes(i, 0)
	for j, v := range dy {
		first[j] = v / float32(p.in.Height*p.in.Width)
	}
	for k := 1; k < p.in.Height*p.in.Width; k++ {
		dx, _ := p.lanes(i, k)
		copy(dx, first)
	}
}
