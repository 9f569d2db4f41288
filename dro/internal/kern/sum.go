package kern

// Sum adds activations and clears the sum where a ReLU was off. It adds the two sides of a residual
// connection, or two gradients of a value that is used twice, and is the backward pass of a ReLU
// that no other operation includes.
type Sum struct {
	isa          ISA
	dst, a, b, y []float32 // the running call
}

// NewSum returns the operation for activations of any length.
func NewSum(isa ISA) *Sum {
	isa.check()
	return &Sum{isa: isa}
}

// Run sets dst to a + b where y > 0 or y is NaN, and to 0 elsewhere. One of b and y may be nil: a
// is then masked alone, or the whole sum is kept. All have one length, and dst may be any of them;
// with dst as y, the sum ends with max(0, ·).
func (s *Sum) Run(t *Team, dst, a, b, y []float32) {
	if n := len(dst); len(a) != n || b != nil && len(b) != n || y != nil && len(y) != n {
		panic("kern: Sum: slice has the wrong length")
	}
	s.dst, s.a, s.b, s.y = dst, a, b, y
	t.run(ceilDiv(len(dst), elementChunk), s)
	s.dst, s.a, s.b, s.y = nil, nil, nil, nil
}

// elementChunk is the number of values in a task of an elementwise operation: 64 KiB of each
// operand.
const elementChunk = 16 << 10

// cachedChunk is the number of values that the first of two passes leaves in the first-level cache
// for the second.
const cachedChunk = 2 << 10

func (s *Sum) task(i int) {
	end := min((i+1)*elementChunk, len(s.dst))
	for from := i * elementChunk; from < end; from += cachedChunk {
		to := min(from+cachedChunk, end)
		dst, sum := s.dst[from:to], s.a[from:to]
		if s.b != nil {
			add(s.isa, dst, sum, s.b[from:to])
			sum = dst
		}
		if s.y != nil {
			mask(s.isa, dst, sum, s.y[from:to])
		}
	}
}
