package kern

import "fmt"

// MaxPool is the maximum over windows of Size×Size positions that do not overlap. Rows and columns that fill
// no window are left out.
type MaxPool struct {
	isa     ISA
	batch   Batch
	in, out Shape
	size    int

	dx, x, y, dy []float32 // the running call
	relu         bool
}

// NewMaxPool returns a pooling of activations in by windows of size×size.
func NewMaxPool(isa ISA, b Batch, in Shape, size int) (*MaxPool, error) {
	if err := isa.check(); err != nil {
		return nil, err
	}
	if !b.valid() || !in.valid() || size < 1 || size > in.Height || size > in.Width {
		return nil, fmt.Errorf("max-pool of %+v by %d in %+v: "+
			"the window must fit the input, the batch be from NewBatch", in, size, b)
	}
	out := Shape{in.Channels, in.Height / size, in.Width / size}
	return &MaxPool{isa: isa, batch: b, in: in, out: out, size: size}, nil
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

// Backward sets dx, the gradient of the input x, from the output y and its gradient dy: each window's
// gradient goes to its first maximum in row order, as in PyTorch. With relu, x is the output of a ReLU, and
// dx is the gradient of what went into that ReLU.
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

// depth returns the values of one position of one block.
func (m *MaxPool) depth() int { return m.in.Channels * m.batch.Lanes }

// outAt returns the output position (row, col) of s.
func (m *MaxPool) outAt(s []float32, block, row, col int) []float32 {
	return s[((block*m.out.Height+row)*m.out.Width+col)*m.depth():][:m.depth()]
}

// inAt returns position (row, col) of s, the input or its gradient.
func (m *MaxPool) inAt(s []float32, block, row, col int) []float32 {
	return s[((block*m.in.Height+row)*m.in.Width+col)*m.depth():][:m.depth()]
}

// poolForward's task is one row of the output.
type poolForward MaxPool

func (f *poolForward) task(i int) {
	m := (*MaxPool)(f)
	block, row := i/m.out.Height, i%m.out.Height
	for col := range m.out.Width {
		y := m.outAt(m.y, block, row, col)
		if m.size == 2 {
			maxOf4(m.isa, y, m.inAt(m.x, block, 2*row, 2*col), m.inAt(m.x, block, 2*row, 2*col+1),
				m.inAt(m.x, block, 2*row+1, 2*col), m.inAt(m.x, block, 2*row+1, 2*col+1))
			continue
		}
		copy(y, m.inAt(m.x, block, row*m.size, col*m.size))
		for k := 1; k < m.size*m.size; k++ {
			x := m.inAt(m.x, block, row*m.size+k/m.size, col*m.size+k%m.size)
			maxOf4(m.isa, y, y, x, x, x)
		}
	}
}

// poolBackward's task is the input rows of one row of the output, and the rows left over below the last.
type poolBackward MaxPool

func (f *poolBackward) task(i int) {
	m := (*MaxPool)(f)
	block, row := i/m.out.Height, i%m.out.Height
	for col := range m.out.Width {
		y, dy := m.outAt(m.y, block, row, col), m.outAt(m.dy, block, row, col)
		if m.size == 2 {
			var x, dx [4][]float32
			for k := range x {
				x[k], dx[k] = m.inAt(m.x, block, 2*row+k/2, 2*col+k%2), m.inAt(m.dx, block, 2*row+k/2, 2*col+k%2)
			}
			maxOf4Backward(m.isa, &dx, &x, y, dy, m.relu)
		} else {
			m.windowBackward(block, row, col, y, dy)
		}
	}
	bottom := (row + 1) * m.size
	if row == m.out.Height-1 {
		bottom = m.in.Height
	}
	for r := row * m.size; r < bottom; r++ {
		left := m.out.Width * m.size
		if r >= m.out.Height*m.size {
			left = 0
		}
		for c := left; c < m.in.Width; c++ {
			clear(m.inAt(m.dx, block, r, c))
		}
	}
}

// windowBackward is the backward pass of one window of any size.
func (m *MaxPool) windowBackward(block, row, col int, y, dy []float32) {
	for i, g := range dy {
		v := y[i]
		if m.relu && v <= 0 {
			g = 0
		}
		for k := range m.size * m.size {
			r, c := row*m.size+k/m.size, col*m.size+k%m.size
			u, d := m.inAt(m.x, block, r, c)[i], &m.inAt(m.dx, block, r, c)[i]
			if u == v || u != u {
				*d, g, v = g, 0, u
			} else {
				*d = 0
			}
		}
	}
}
