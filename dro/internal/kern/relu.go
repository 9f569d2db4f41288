package kern

// reluChunk is the values of one task of ReLUBackward: 64 KiB of each operand.
const reluChunk = 16 << 10

// ReLUBackward is the backward pass of a ReLU that nothing else includes: dst = dy where y > 0, else 0.
type ReLUBackward struct {
	isa        ISA
	dst, dy, y []float32
}

// NewReLUBackward returns the operation for activations of any length.
func NewReLUBackward(isa ISA) (*ReLUBackward, error) {
	if err := isa.check(); err != nil {
		return nil, err
	}
	return &ReLUBackward{isa: isa}, nil
}

// Run sets dst from dy and the ReLU's output y, all of one length. dst may be dy.
func (r *ReLUBackward) Run(t *Team, dst, dy, y []float32) {
	if len(dst) != len(dy) || len(y) != len(dy) {
		panic("kern: ReLUBackward: slice has the wrong length")
	}
	r.dst, r.dy, r.y = dst, dy, y
	t.run((len(dy)+reluChunk-1)/reluChunk, (*reluCall)(r))
	r.dst, r.dy, r.y = nil, nil, nil
}

type reluCall ReLUBackward

func (r *reluCall) task(i int) {
	from, to := i*reluChunk, min((i+1)*reluChunk, len(r.dy))
	mask(r.isa, r.dst[from:to], r.dy[from:to], r.y[from:to])
}
