package nn

import (
	"cmp"
	"fmt"
	"strings"

	"drolab/dro/internal/kern"
)

// stage is a layer in its place. A model is a list of stages, each behind the stages that it takes
// its input from.
type stage struct {
	layer
	name string // "conv1", "block2.conv1": the prefix of its tensors' names
	from int    // the stage whose output it takes; −1 is the batch itself
	plus int    // of a sum: the stage whose output it adds; −1 as in from
	in   kern.Shape
	mid  kern.Shape // before pooling
	out  kern.Shape
}

// config returns the geometry of a convolution or a linear layer.
func (s stage) config() kern.ConvConfig {
	relu := s.relu && !s.norm
	if s.kind == linear {
		return kern.Linear(s.in, s.layer.out, relu)
	}
	return kern.ConvConfig{
		In: s.in, Out: s.layer.out, KernelHeight: s.kernel, KernelWidth: s.kernel,
		Stride: s.stride, Pad: s.pad, ReLU: relu,
	}
}

// stages works out the sizes of a model for its input, or says why the input does not fit.
func stages(c Config) ([]stage, error) {
	layers := models(c)[c.Model]
	if layers == nil {
		return nil, fmt.Errorf("model: %q: expected one of %s", c.Model, strings.Join(Models(),
			", "))
	}
	list, err := arrange(layers, kern.Shape{Channels: c.C, Height: c.H, Width: c.W}, c.Classes)
	if err != nil {
		return nil, fmt.Errorf(
			"model: %s: an input of %d×%d×%d %w; choose another model or dataset",
			c.Model, c.C, c.H, c.W, err)
	}
	return list, nil
}

// arrange works out the stages of layers for an input of shape in.
func arrange(layers []layer, in kern.Shape, classes int) ([]stage, error) {
	s := sizing{classes: classes}
	if err := s.chain("", layers, -1, in); err != nil {
		return nil, err
	}
	return s.list, nil
}

// sizing collects the stages of a model.
type sizing struct {
	classes int
	list    []stage
}

// chain appends layers, each of which takes the output of the one before it. The first takes the
// output of stage from, whose shape is in.
func (s *sizing) chain(prefix string, layers []layer, from int, in kern.Shape) error {
	for i, l := range layers {
		name := fmt.Sprintf("%s%s%d", prefix, l.kind, i+1)
		var err error
		if l.kind == residual {
			err = s.residual(name, l, from, in)
		} else {
			err = s.append(stage{layer: l, name: name, from: from, in: in})
		}
		if err != nil {
			return err
		}
		from = len(s.list) - 1
		in = s.list[from].out
	}
	return nil
}

// residual appends a block's branch, its shortcut if the identity does not fit, and their sum.
func (s *sizing) residual(name string, l layer, from int, in kern.Shape) error {
	if err := s.chain(name+".", l.branch, from, in); err != nil {
		return err
	}
	end := len(s.list) - 1
	shape, shortcut := s.list[end].out, from
	if shape != in {
		projection := stage{
			layer: layer{kind: conv, out: shape.Channels, kernel: 1, stride: l.stride, norm: true},
			name:  name + ".shortcut", from: from, in: in,
		}
		if err := s.append(projection); err != nil {
			return err
		}
		shortcut = end + 1
	}
	return s.append(stage{
		layer: layer{kind: sum, relu: true}, name: name, from: end, plus: shortcut, in: shape,
	})
}

// append works out the output of a stage that knows its input, and adds the stage.
func (s *sizing) append(next stage) error {
	tooSmall := fmt.Errorf("is too small for its layer %s", next.name)
	mid, err := kinds[next.kind].shape(&next, s.classes)
	if err != nil {
		return tooSmall
	}
	next.mid, next.out = mid, mid
	if next.pool {
		next.out.Height, next.out.Width = mid.Height/2, mid.Width/2
	}
	if next.out.Height < 1 || next.out.Width < 1 {
		return tooSmall
	}
	s.list = append(s.list, next)
	return nil
}

// productShape returns the shape of the output of a convolution or a linear layer. A layer without
// a number of units gets one unit for each class.
func (s *stage) productShape(classes int) (kern.Shape, error) {
	s.layer.out = cmp.Or(s.layer.out, classes)
	return s.config().OutShape()
}
