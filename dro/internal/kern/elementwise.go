package kern

// elementChunk is the number of values in a task of an elementwise operation: 64 KiB of each
// operand.
const elementChunk = 16 << 10

// elementwise is the running call of an operation on activations of any length, all of the same
// length.
type elementwise struct {
	isa       ISA
	dst, a, b []float32
}

func (e *elementwise) run(t *Team, dst, a, b []float32, j job) {
	if len(dst) != len(a) || len(dst) != len(b) {
		panic("kern: elementwise: slice has the wrong length")
	}
	e.dst, e.a, e.b = dst, a, b
	t.run((len(dst)+elementChunk-1)/elementChunk, j)
	e.dst, e.a, e.b = nil, nil, nil
}

// chunk returns the operands of task i.
func (e *elementwise) chunk(i int) (dst, a, b []float32) {
	from, to := i*elementChunk, min((i+1)*elementChunk, len(e.dst))
	return e.dst[from:to], e.a[from:to], e.b[from:to]
}

// ReLUBackward is the backward pass of a ReLU that no other operation includes. It sets dst = dy
// where y > 0, else 0.
type ReLUBackward struct{ elementwise }

// NewReLUBackward returns the operation for activations of any length.
func NewReLUBackward(isa ISA) (*ReLUBackward, error) {
	return &ReLUBackward{elementwise{isa: isa}}, isa.check()
}

// Run sets dst from dy and the ReLU's output y, all of one length. dst may be dy.
func (r *ReLUBackward) Run(t *Team, dst, dy, y []float32) { r.run(t, dst, dy, y, (*reluCall)(r)) }

type reluCall ReLUBackward

func (r *reluCall) task(i int) {
	dst, dy, y := r.chunk(i)
	mask(r.isa, dst, dy, y)
}

// MaskedSum is the backward pass of a ReLU whose output has the sum of two gradients: dst = a + b
// where y > 0, else 0.
type MaskedSum struct {
	elementwise
	y []float32
}

// NewMaskedSum returns the operation for activations of any length.
func NewMaskedSum(isa ISA) (*MaskedSum, error) {
	return &MaskedSum{elementwise: elementwise{isa: isa}}, isa.check()
}

// Run sets dst, which may be an operand, from a, b and the ReLU's output y, all of one length.
func (m *MaskedSum) Run(t *Team, dst, a, b, y []float32) {
	if len(y) != len(dst) {
		panic("kern: MaskedSum: slice has the wrong length")
	}
	m.y = y
	m.run(t, dst, a, b, (*maskedSumCall)(m))
	m.y = nil
}

type maskedSumCall MaskedSum

// cachedChunk is the number of values that the first of two passes leaves in the first-level cache
// for the second.
const cachedChunk = 2 << 10

func (m *maskedSumCall) task(i int) {
	dst, a, b := m.chunk(i)
	y := m.y[i*elementChunk:][:len(dst)]
	for from := 0; from < len(dst); from += cachedChunk {
		to := min(from+cachedChunk, len(dst))
		add(m.isa, dst[from:to], a[from:to], b[from:to])
		mask(m.isa, dst[from:to], dst[from:to], y[from:to])
	}
}

// Sum adds two activations: the two sides of a residual connection, or two gradients of a value
// that is used twice.
type Sum struct {
	elementwise
	relu bool
}

// NewSum returns the operation for activations of any length; with relu it ends with max(0, ·).
func NewSum(isa ISA, relu bool) (*Sum, error) {
	return &Sum{elementwise{isa: isa}, relu}, isa.check()
}

// Run sets dst to a + b, all of one length. dst may be an operand.
func (s *Sum) Run(t *Team, dst, a, b []float32) { s.run(t, dst, a, b, (*sumCall)(s)) }

type sumCall Sum

func (s *sumCall) task(i int) {
	dst, a, b := s.chunk(i)
	add(s.isa, dst, a, b)
	if s.relu {
		mask(s.isa, dst, dst, dst)
	}
}
