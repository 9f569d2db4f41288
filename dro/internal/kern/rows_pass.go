package kern

import (
	"errors"
	"runtime/debug"
)

// RowsPass is [Rows.Forward], [Loss.Losses], [Loss.Gradient] and [Rows.BackwardWeights] of a linear
// layer and the loss of its outputs in one pass over the rows, to the bit: the gradient takes each
// row from the first-level cache, where it has just been brought, and threads wait for each other
// once. It needs weights that follow from each image's own loss.
type RowsPass struct {
	rows *Rows
	loss *Loss

	team *Team
	call PassCall
}

// PassCall is what a pass computes, and from what; [Rows] and [Loss] say how they lie.
type PassCall struct {
	Images
	Labels []int
	Next   []int32   // where the rows of the next batch begin, as far as that is known
	W, B   []float32 // weights and bias

	Y, DY   []float32 // the outputs, and their gradient
	Losses  []float64
	Weights []float64 // by which the losses' gradients are summed
	DW, DB  []float32

	// Weigh sets weights[i] by losses[i] for the images from to to: several threads call it at
	// once.
	Weigh func(from, to int)
}

// NewRowsPass returns the pass of r and l, which must be of one batch, or an error where the
// gradient of r is not computed image by image: that of many units.
func NewRowsPass(r *Rows, l *Loss) (*RowsPass, error) {
	if r.parts == 1 || r.batch != l.batch || r.units != l.classes {
		return nil, errors.New("rows: no pass of this layer and this loss")
	}
	return &RowsPass{rows: r, loss: l}, nil
}

// Run computes it. Where the rows are of a file that was cut it panics.
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

// task is a part's images, a vector at a time.
func (p *RowsPass) task(part int) {
	r, l, c := p.rows, p.loss, &p.call
	sums := r.sums(part)
	clear(sums)
	end := min(r.partStart(part+1), len(c.Labels))
	for first := r.partStart(part); first < end; first += vector {
		to := min(first+vector, end)
		next := c.At[to:]
		if to == end {
			next = p.after(part)
		}
		r.outputsOf(first, next)
		l.lossesOf(part, first, to-first)
		c.Weigh(first, to)
		l.gradientOf(c.DY, c.DY, c.Labels, c.Weights, first, to)
		r.addImages(sums, first, to)
	}
}

// after is where the rows begin that the thread of a part reads when it is done: of the next part,
// or of the next batch.
func (p *RowsPass) after(part int) []int32 {
	r, c := p.rows, &p.call
	first, end := p.team.shareOf(part, r.partsHeld())
	if part+1 < end {
		return c.At[r.partStart(part+1):]
	}
	return c.Next[min(r.partStart(first), len(c.Next)):]
}
