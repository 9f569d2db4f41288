package nn

import (
	"slices"

	"drolab/dro/internal/kern"
)

// A plan joins neighbours whose results would only pass through memory. It joins batch
// normalisation with the sum of a residual block, and the sum of two gradients with the mask of a
// ReLU. The sum and its mask may also join the convolution that computes one of the two gradients.
// The bits stay the same.

// maskPart, sumPart, normGradPart and normSumPart are values of op.part, which tell what an op
// does; so are *normOp and convPart.
type (
	maskPart     struct{}
	sumPart      struct{ relu bool }
	normGradPart struct{ kernel *kern.BatchNorm }
	normSumPart  struct{ kernel *kern.BatchNorm }
)

// fuser knows, for each piece of memory, the instruction that makes it and the number of its
// readers.
type fuser struct {
	*backend
	makers  map[*float32]*instruction
	readers map[*float32]int
}

// fuse returns a plan of the two lists, with neighbours joined.
func (b *backend) fuse(forward, backward []instruction) *plan {
	f := &fuser{b, map[*float32]*instruction{}, map[*float32]int{}}
	p := &plan{forward, backward}
	p.visit(f.note)
	visitUnfused(forward, f.addNorm)
	visitUnfused(backward, f.maskSum)
	gone := func(i instruction) bool { return i.op == nil }
	p.forward, p.backward = slices.DeleteFunc(forward, gone), slices.DeleteFunc(backward, gone)
	b.round(p)
	shareMemory(p.backward)
	return p
}

// visitUnfused runs f on the instructions of a list that are not joined to others yet.
func visitUnfused(list []instruction, f func(*instruction)) {
	for i := range list {
		if list[i].op != nil {
			f(&list[i])
		}
	}
}

// note records the memory that i makes and reads.
func (f *fuser) note(i *instruction) {
	if made, ok := i.out.Data().([]float32); ok && i.part != nil {
		f.makers[&made[0]] = i
	}
	for _, in := range i.in {
		if len(in.F32) > 0 {
			f.readers[&in.F32[0]]++
		}
	}
}

// maker returns the instruction that makes an input which nothing else reads, or nil.
func (f *fuser) maker(in array) *instruction {
	if i := f.makers[&in.F32[0]]; i != nil && i.op != nil && f.readers[&in.F32[0]] == 1 {
		return i
	}
	return nil
}

// addNorm joins the sum i, and its ReLU, to a batch normalisation whose output nothing else reads.
func (f *fuser) addNorm(i *instruction) {
	if sum, ok := i.part.(sumPart); !ok || !sum.relu {
		return
	}
	for k, in := range i.in {
		before := f.maker(in)
		if before == nil {
			continue
		}
		if norm, ok := before.part.(*normOp); ok && !norm.relu {
			joined := &op{name: i.name, out: i.out, part: normSumPart{norm.kernel}}
			joined.run = func(to []float32, in []array) {
				norm.forward(to, in[0].F32, in[1].F32, in[2].F32, in[3].F32)
			}
			in := append(slices.Clone(before.in), i.in[1-k])
			*i, *before = instruction{joined, in, i.to}, instruction{}
			return
		}
	}
}

// maskSum joins the mask i to a sum that nothing else reads.
func (f *fuser) maskSum(i *instruction) {
	if _, ok := i.part.(maskPart); !ok {
		return
	}
	sum := f.maker(i.in[0])
	if sum == nil {
		return
	}
	if _, ok := sum.part.(sumPart); ok && !f.sumInConv(i, sum) {
		joined := &op{name: i.name, out: i.out, moves: true, over: true}
		joined.run = func(to []float32, in []array) {
			f.sums.Run(f.team, to, in[0].F32, in[1].F32, in[2].F32)
		}
		*i = instruction{joined, append(slices.Clone(sum.in), i.in[1]), i.to}
		*sum = instruction{}
	}
}

// sumInConv joins the sum and the mask i to a convolution whose gradient the sum adds and nothing
// else reads, the convolution of the most work. It reports whether there is one.
func (f *fuser) sumInConv(i, sum *instruction) bool {
	var best *instruction
	var most float64
	var plus array
	for k, in := range sum.in {
		before := f.maker(in)
		if before == nil {
			continue
		}
		if p, ok := before.part.(convPart); ok && p.sums() && p.conv.exact.FLOPs() > most {
			best, most, plus = before, p.conv.exact.FLOPs(), sum.in[1-k]
		}
	}
	if best == nil {
		return false
	}
	conv := best.part.(convPart).conv
	joined := &op{name: best.name, out: i.out, part: best.part, moves: true}
	joined.run = func(to []float32, in []array) {
		conv.kernel().BackwardData(f.team, to, in[2].F32, in[1].F32, in[3].F32, in[4].F32)
	}
	in := append(slices.Clone(best.in), i.in[1], plus)
	*i = instruction{joined, in, i.to}
	*sum, *best = instruction{}, instruction{}
	return true
}

// shareMemory makes gradients of activations take over memory that is not read any more. With as
// few pieces as possible, the pieces stay in the caches.
func shareMemory(list []instruction) {
	last := map[*float32]int{} // the last reader of a piece, by its place before any sharing
	for k, i := range list {
		for _, in := range i.in {
			if len(in.F32) > 0 {
				last[&in.F32[0]] = k
			}
		}
	}
	held, free := map[*float32][]float32{}, map[int][][]float32{} // by piece, by length
	release := func(k int, pieces []*float32) {
		for _, piece := range pieces {
			if m := held[piece]; m != nil && last[piece] == k {
				free[len(m)] = append(free[len(m)], m)
				delete(held, piece)
			}
		}
	}
	for k := range list {
		i := &list[k]
		var read []*float32
		i.in = slices.Clone(i.in)
		for n, in := range i.in {
			if len(in.F32) == 0 {
				continue
			}
			piece := &in.F32[0]
			read = append(read, piece)
			if held[piece] != nil {
				i.in[n].F32 = held[piece]
			}
		}
		if i.over {
			release(k, read)
		}
		if i.moves {
			piece, unused := &i.to[0], free[len(i.to)]
			if n := len(unused); n > 0 {
				i.to, free[len(i.to)] = unused[n-1], unused[:n-1]
			}
			held[piece] = i.to
		}
		release(k, read)
	}
}
