package kern

import (
	"errors"
	"runtime/debug"
)

// RowsPass computes [Rows.Forward], [Loss.Losses], [Loss.Gradient] and [Rows.BackwardWeights] of a
// linear layer and its loss, with the same bits, in one pass over the rows. The gradient takes each
// row from the first-level cache, where the forward direction has brought it, and threads wait for
// each other once. The weight of an image must follow from the loss of that image alone.
type RowsPass struct {
	rows *Rows
	loss *Loss

	team *Team
	call PassCall
}

// PassCall holds the operands and the results of a pass; [Rows] and [Loss] say how they lie in
// memory.
type PassCall struct {
	Images
	Labels []int
	Next   []int32   // where the rows of the next batch begin, as far as known
	W, B   []float32 // weights and bias

	Y, DY   []float32 // the outputs, and their gradient
	Losses  []float64
	Weights []float64 // the factors of the losses in the gradient
	DW, DB  []float32

	// Weigh sets Weights[i] from Losses[i] for the images [from, to). Several threads call it at
	// once.
	Weigh func(from, to int)
}

// NewRowsPass returns the pass of r and l, which must be for the same batch and have as many units
// as classes. It returns an error if the gradient of r is not computed image by image, in parts:
// for many units or a small batch.
func NewRowsPass(r *Rows, l *Loss) (*RowsPass, error) {
	if r.parts == 1 || r.batch != l.batch || r.units != l.classes {
		return nil, errors.New("rows: no pass of this layer and this loss")
	}
	return &RowsPass{rows: r, loss: l}, nil
}

// Run computes the pass c on the threads of t. It panics if the rows lie in a mapped file that was
// cut.
func (p *RowsPass) Run(t *Team, c PassCall) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	r, l := p.rows, p.loss
	r.check(c.Images, len(c.W), len(c.Y))
	n := len(c.Labels)
	if len(c.DW) != len(c.W) || len(c.DB) != r.units || len(c.DY) != len(c.Y) ||
		len(c.At) != n || len(c.Losses) != n || len(c.Weights) != n {
		panic("kern: RowsPass: slice has the wrong length")
	}
	p.call, p.team = c, t
	r.call = rowsCall{Images: c.Images, y: c.Y, w: c.W, b: c.B, dw: c.DW, db: c.DB, dy: c.DY}
	l.call = lossCall{c.Losses, c.DY, c.Y, c.Labels}
	t.run(r.partsHeld(), p)
	l.clear(c.Y, n)
	l.clear(c.DY, n)
	r.sumParts(t)
	p.team, p.call, r.call, l.call = nil, PassCall{}, rowsCall{}, lossCall{}
}

// task computes the pass for the images of a part, a vector at a time.
func (p *RowsPass) task(part int) {
	r, l, c := p.rows, p.loss, &p.call
	sums := r.sums(part)
	clear(sums)
	end := min(r.partStart(part+1), len(c.Labels))
	for first := r.partStart(part); first < end; first += vector {
		to := min(first+vector, end)
		next := c.At[to:]
		if to == end {
			next = p.nextRows(part)
		}
		r.outputsOf(first, next)
		l.lossesOf(part, first, to-first)
		c.Weigh(first, to)
		l.gradientOf(c.DY, c.DY, c.Labels, c.Weights, first, to)
		r.addImages(sums, first, to)
	}
}

// nextRows returns where the rows begin that the thread of a part reads after this part. They are
// the rows of the next part or, from the next batch, the rows of the first part of the thread's
// share.
func (p *RowsPass) nextRows(part int) []int32 {
	r, c := p.rows, &p.call
	first, end := p.team.shareOf(part, r.partsHeld())
	if part+1 < end {
		return c.At[r.partStart(part+1):]
	}
	return c.Next[min(r.partStart(first), len(c.Next)):]
}
