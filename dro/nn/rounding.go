package nn

import "drolab/dro/internal/kern"

// Several products read an activation or a gradient rounded to bf16. Where kernels can share a
// rounding, a plan makes one, when the values are made: batch normalisation writes it in the same
// pass, and where no one else reads its values, nothing but it.

// product is what the ops of a convolution say of themselves: which inputs, counted from 1, are the
// layer's input and the gradient of its output; 0 is none.
type product struct {
	conv  *convOp
	x, dy int
}

// sharer knows of a piece of memory which instruction makes it, how often it is read, and how often
// by products that can read its rounding.
type sharer struct {
	*backend
	makers         map[*float32]*instruction
	reads, rounded map[*float32]int
	roundings      map[*float32]*kern.Rounding
}

// share has the products of p share roundings.
func (b *backend) share(p *plan) error {
	s := &sharer{b, map[*float32]*instruction{}, map[*float32]int{}, map[*float32]int{},
		map[*float32]*kern.Rounding{}}
	lists := []*[]instruction{&p.forward, &p.backward}
	for _, list := range lists {
		for i := range *list {
			s.enter(&(*list)[i])
		}
	}
	for _, list := range lists {
		for i := range *list {
			if err := s.give(&(*list)[i]); err != nil {
				return err
			}
		}
	}
	for _, list := range lists {
		*list = s.withRoundings(*list)
	}
	return nil
}

// rounds returns the inputs of i that its product reads as roundings: of the layer's input and of
// its output's gradient.
func rounds(i *instruction) (conv *convOp, x, dy array) {
	p, ok := i.part.(product)
	if !ok {
		return nil, array{}, array{}
	}
	kernel, ok := p.conv.trained.(*kern.BF16Conv)
	if !ok {
		return nil, array{}, array{}
	}
	roundsX, roundsDY := kernel.Rounds()
	if roundsX && p.x > 0 {
		x = i.in[p.x-1]
	}
	if roundsDY && p.dy > 0 {
		dy = i.in[p.dy-1]
	}
	return p.conv, x, dy
}

func (s *sharer) enter(i *instruction) {
	if made, ok := i.out.Data().([]float32); ok {
		s.makers[&made[0]] = i
	}
	for _, in := range i.in {
		if len(in.F32) > 0 {
			s.reads[&in.F32[0]]++
		}
	}
	conv, x, dy := rounds(i)
	if x.F32 != nil {
		s.rounded[&x.F32[0]]++
	}
	if dy.F32 != nil && conv.db == nil { // a bias's gradient is of what is not rounded
		s.rounded[&dy.F32[0]]++
	}
}

// give gives the layer of i its roundings.
func (s *sharer) give(i *instruction) (err error) {
	conv, x, dy := rounds(i)
	if x.F32 != nil {
		if conv.roundedX, err = s.of(x, conv.in); err != nil {
			return err
		}
	}
	if dy.F32 != nil {
		conv.roundedDY, err = s.of(dy, conv.out)
	}
	if x.F32 != nil || dy.F32 != nil {
		conv.trained.(*kern.BF16Conv).Given(conv.roundedX, conv.roundedDY)
	}
	return err
}

// of returns the rounding of values of a shape; of what no instruction makes there is none.
func (s *sharer) of(values array, shape kern.Shape) (r *kern.Rounding, err error) {
	at := &values.F32[0]
	if s.roundings[at] == nil && s.makers[at] != nil {
		s.roundings[at], err = kern.NewRounding(s.batch, shape)
	}
	return s.roundings[at], err
}

// withRoundings is list with roundings where values are made.
func (s *sharer) withRoundings(list []instruction) (all []instruction) {
	for _, i := range list {
		all = append(all, i)
		made, ok := i.out.Data().([]float32)
		if !ok {
			continue
		}
		at := &made[0]
		r, alone := s.roundings[at], s.reads[at] == s.rounded[at]
		if r == nil {
			continue
		}
		switch part := i.part.(type) {
		case *normOp:
			part.kernel.RoundForward(r, alone)
		case normSum:
			part.kernel.RoundForward(r, alone)
		case normBack:
			part.kernel.RoundBackward(r, alone)
		default:
			all = append(all, s.round(i, r, made))
		}
	}
	return all
}

// round returns the instruction that rounds what i makes.
func (s *sharer) round(i instruction, r *kern.Rounding, made []float32) instruction {
	o := &op{name: i.name + ".rounded", out: i.out, run: func(in []array) {
		if s.mode != Evaluate {
			r.Round(s.team, in[0].F32)
		}
	}}
	return instruction{o, []array{{F32: made}}}
}
