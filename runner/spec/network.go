package spec

import (
	"drolab/dro/nn"
	"drolab/runner/data"
)

// autoConvolution is the value of convolution that SettleConvolution replaces.
const autoConvolution = "auto"

func convolutions() []string { return append([]string{autoConvolution}, nn.Convolutions()...) }

// SettleConvolution replaces the convolution auto by what it comes to for the model and its
// precision. A record says that, so that a run can be repeated whatever auto is later.
func (s *Spec) SettleConvolution() {
	if s.Convolution == autoConvolution {
		s.Convolution = nn.FasterConvolution(s.Model, s.Precision)
	}
}

// Network returns the configuration of the network for inputs of a shape and a number of classes.
func (s Spec) Network(shape data.Shape, classes int) nn.Config {
	s.SettleConvolution()
	return nn.Config{
		Model: s.Model, C: shape.C, H: shape.H, W: shape.W, Classes: classes, Batch: s.Batch,
		Init: s.Init, Seed: s.Seed, Precision: s.Precision, Convolution: s.Convolution,
		Hidden: s.Hidden, Activation: s.Activation, Dropout: s.Dropout,
		Loss: s.Loss, Optimizer: s.Optimizer,
	}
}
