package kern

// elementChunk is the values of one task of an elementwise operation: 64 KiB of each operand.
const elementChunk = 16 << 10

// elementwise is the running call of an operation on activations of any one length.
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

// ReLUBackward is the backward pass of a ReLU that nothing else includes: dst = dy where y > 0,
// else 0.
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

// Sum adds two activations, of a residual connection or as gradients of a value that is used twice.
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
	a, b = a[:len(dst)], b[:len(dst)]
	for k := range dst {
		dst[k] = a[k] + b[k]
	}
	if s.relu {
		mask(s.isa, dst, dst, dst)
	}
}
