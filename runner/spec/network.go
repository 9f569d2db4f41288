package spec

import (
	"drolab/dro/nn"
	"drolab/runner/data"
)

// Network returns the configuration of the network for inputs of a shape and a number of classes.
func (s *Spec) Network(shape data.Shape, classes int) nn.Config {
	return nn.Config{
		Model: s.Model, C: shape.C, H: shape.H, W: shape.W, Classes: classes, Batch: s.Batch,
		Init: s.Init, Seed: s.Seed, Precision: s.Precision, Convolution: s.Convolution,
		Hidden: s.Hidden, Activation: s.Activation, Dropout: s.Dropout,
		Loss: s.Loss, Optimizer: s.Optimizer,
	}
}
