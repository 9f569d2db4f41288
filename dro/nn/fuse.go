package nn

import (
	"slices"

	"drolab/dro/internal/kern"
)

// A plan joins neighbours whose results would only pass through memory: batch normalisation with
// the sum of a residual block, and the sum of two gradients with the mask of a ReLU. The bits stay
// what they are.

// masking, adding and these are what ops say of themselves in op.part; so is *normOp.
type (
	masking  struct{ data []float32 }
	adding   struct{ relu bool }
	normBack struct{ kernel *kern.BatchNorm }
	normSum  struct{ kernel *kern.BatchNorm }
)

// fuser knows who makes and who reads a piece of memory.
type fuser struct {
	*backend
	kernel  *kern.MaskedSum
	makers  map[*float32]*instruction
	readers map[*float32]int
}

// fused returns a plan of the two lists, with neighbours joined.
func (b *backend) fused(forward, backward []instruction) (*plan, error) {
	kernel, err := kern.NewMaskedSum(b.isa)
	f := &fuser{b, kernel, map[*float32]*instruction{}, map[*float32]int{}}
	for _, list := range [][]instruction{forward, backward} {
		for i := range list {
			f.enter(&list[i])
		}
	}
	remaining(forward, f.addNorm)
	remaining(backward, f.maskSum)
	gone := func(i instruction) bool { return i.op == nil }
	return &plan{slices.DeleteFunc(forward, gone), slices.DeleteFunc(backward, gone)}, err
}

// remaining runs f on what is left of a list.
func remaining(list []instruction, f func(*instruction)) {
	for i := range list {
		if list[i].op != nil {
			f(&list[i])
		}
	}
}

// enter notes what i makes and reads.
func (f *fuser) enter(i *instruction) {
	if made, ok := i.out.Data().([]float32); ok && i.part != nil {
		f.makers[&made[0]] = i
	}
	for _, in := range i.in {
		if len(in.F32) > 0 {
			f.readers[&in.F32[0]]++
		}
	}
}

// maker returns the op that makes an input which nothing else reads, or nil.
func (f *fuser) maker(in array) *instruction {
	if i := f.makers[&in.F32[0]]; i != nil && i.op != nil && f.readers[&in.F32[0]] == 1 {
		return i
	}
	return nil
}

// addNorm has a batch normalisation do the sum i, and its ReLU, that alone reads it.
func (f *fuser) addNorm(i *instruction) {
	if sum, ok := i.part.(adding); !ok || !sum.relu {
		return
	}
	for k, in := range i.in {
		before := f.maker(in)
		if before == nil {
			continue
		}
		if norm, ok := before.part.(*normOp); ok && !norm.relu {
			y, plus := i.out.Data().([]float32), i.in[1-k].F32
			part := normSum{norm.kernel}
			joined := &op{name: i.name, out: i.out, part: part, run: func(in []array) {
				norm.forward(y, in[0].F32, in[1].F32, in[2].F32, plus)
			}}
			*i, *before = instruction{joined, before.in}, instruction{}
			return
		}
	}
}

// maskSum has the mask i do the sum that it alone reads.
func (f *fuser) maskSum(i *instruction) {
	masked, ok := i.part.(masking)
	if !ok {
		return
	}
	sum := f.maker(i.in[0])
	if sum == nil {
		return
	}
	if _, ok := sum.part.(adding); ok {
		joined := &op{name: i.name, out: i.out, run: func(in []array) {
			f.kernel.Run(f.team, masked.data, in[0].F32, in[1].F32, in[2].F32)
		}}
		*i, *sum = instruction{joined, append(slices.Clone(sum.in), i.in[1])}, instruction{}
	}
}
