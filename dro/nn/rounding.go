package nn

import "drolab/dro/internal/kern"

// Several products read an activation or a gradient rounded to bf16. Where kernels can share a
// rounding, a plan makes one when the values are made. Batch normalisation writes the rounding in
// the pass that makes the values, and writes nothing else if nothing else is read. Roundings of
// gradients take turns in the same memory.

// convPart is the op.part of a convolution's ops, whose first input is the layer's input. It tells
// which input is the gradient of the layer's output; 0 is none.
type convPart struct {
	conv      *convOp
	gradInput int
}

// The ops of a convolution.
func forwardPart(c *convOp) convPart    { return convPart{c, 0} }
func dataGradPart(c *convOp) convPart   { return convPart{c, 2} }
func weightGradPart(c *convOp) convPart { return convPart{c, 1} }

// sums reports whether p computes the input's gradient and can add another gradient to it.
func (p convPart) sums() bool {
	canSum := true
	if kernel, ok := p.conv.trained.(*kern.BF16Conv); ok {
		canSum, _ = kernel.ReadsRoundings()
	}
	return canSum && p == dataGradPart(p.conv)
}

// rounder knows, for each piece of memory, how often it is read, and how often by products that can
// read its rounding. It also knows the shape of the values and, for gradients, the last instruction
// that reads the rounding.
type rounder struct {
	*backend
	reads, rounded map[*float32]int
	shapes         map[*float32]kern.Shape
	last           map[*float32]*instruction
	roundings      map[*float32]*kern.Rounding
	unused         map[int][]*kern.Rounding // of gradients, by length
}

// round makes the products of p share roundings.
func (b *backend) round(p *plan) {
	r := &rounder{b, map[*float32]int{}, map[*float32]int{}, map[*float32]kern.Shape{},
		map[*float32]*instruction{}, map[*float32]*kern.Rounding{}, map[int][]*kern.Rounding{}}
	p.visit(r.note)
	p.forward = r.roundList(p.forward)
	p.backward = r.roundList(p.backward)
}

// roundedOperands returns the convolution of the product i and the operands that the product reads
// as roundings: the layer's input, and the gradient of its output. An operand is nil if the product
// does not read its rounding.
func roundedOperands(i *instruction) (conv *convOp, x, dy *float32) {
	p, ok := i.part.(convPart)
	if !ok {
		return nil, nil, nil
	}
	kernel, ok := p.conv.trained.(*kern.BF16Conv)
	if !ok {
		return nil, nil, nil
	}
	roundsX, roundsDY := kernel.ReadsRoundings()
	if roundsX {
		x = &i.in[0].F32[0]
	}
	if roundsDY && p.gradInput > 0 {
		dy = &i.in[p.gradInput].F32[0]
	}
	return p.conv, x, dy
}

func (r *rounder) note(i *instruction) {
	conv, x, dy := roundedOperands(i)
	if x != nil {
		r.shapes[x] = conv.in
	}
	if dy != nil {
		r.shapes[dy], r.last[dy] = conv.out, i
	}
	for _, in := range i.in {
		if len(in.F32) == 0 {
			continue
		}
		piece := &in.F32[0]
		r.reads[piece]++
		if piece == x || piece == dy && conv.db == nil { // the bias gradient reads unrounded values
			r.rounded[piece]++
		}
	}
}

// roundList returns the list with roundings added where values are made, and makes its products
// read them.
func (r *rounder) roundList(list []instruction) (all []instruction) {
	for k := range list {
		i := &list[k]
		conv, x, dy := roundedOperands(i)
		if x != nil || dy != nil {
			conv.trained.(*kern.BF16Conv).SetRoundings(r.roundings[x], r.roundings[dy])
		}
		all = append(all, *i)
		if made := i.op.memory(); len(made) > 0 && r.shapes[&made[0]].Len() > 0 {
			all = r.roundMade(all, *i, made)
		}
		if dy != nil && r.last[dy] == i {
			n := r.batch.Len(conv.out)
			r.unused[n] = append(r.unused[n], r.roundings[dy])
		}
	}
	return all
}

// roundMade makes i write the rounding of the values that it makes, or appends an op that does so
// to a list.
func (r *rounder) roundMade(list []instruction, i instruction, made []float32) []instruction {
	piece := &made[0]
	rounding := r.memory(r.shapes[piece], r.last[piece] != nil)
	r.roundings[piece] = rounding
	alone := r.reads[piece] == r.rounded[piece]
	switch part := i.part.(type) {
	case *normOp:
		part.kernel.RoundForward(rounding, alone)
	case normSumPart:
		part.kernel.RoundForward(rounding, alone)
	case normGradPart:
		part.kernel.RoundBackward(rounding, alone)
	default:
		o := &op{name: i.name + ".rounded", out: i.out, run: func(_ []float32, in []array) {
			if r.mode != Evaluate {
				rounding.Round(r.team, in[0].F32)
			}
		}}
		list = append(list, instruction{op: o, in: []array{{F32: made}}})
	}
	return list
}

// memory returns memory for a rounding. A gradient may get the memory of another gradient that is
// read no more.
func (r *rounder) memory(s kern.Shape, gradient bool) *kern.Rounding {
	n := r.batch.Len(s)
	if unused := r.unused[n]; gradient && len(unused) > 0 {
		r.unused[n] = unused[:len(unused)-1]
		return unused[len(unused)-1]
	}
	return kern.NewRounding(r.batch, s)
}
