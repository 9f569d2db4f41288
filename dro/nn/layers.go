package nn

// A Layer is a layer of a model in its place, for who writes the network down in another form: its
// tensors are Name + ".weight", ".bias" and, of batch normalisation, ".norm.weight", ".norm.bias",
// ".norm.running_mean" and ".norm.running_var", in the shapes that PyTorch has.
type Layer struct {
	Name string
	// Kind is conv, linear, average (over all positions) or sum (of the outputs of From and Plus).
	Kind string
	// From and Plus are the layers whose outputs it takes, by their places; −1 is the batch.
	From, Plus int
	In, Out    [3]int // channels, rows, columns
	// Kernel is the side of a convolution's window, Stride and Pad go with it.
	Kernel, Stride, Pad int
	// Norm, ReLU and Pool follow in this order: batch normalisation in place of the bias, with
	// NormEpsilon, and 2×2 max-pooling.
	Norm, ReLU, Pool bool
}

// NormEpsilon is what batch normalisation adds to a variance.
const NormEpsilon = 1e-5

// Layers describes a model for an input of c×h×w, the logits last. The error is New's.
func Layers(model string, c, h, w, classes int) ([]Layer, error) {
	stages, err := stages(model, c, h, w, classes)
	if err != nil {
		return nil, err
	}
	list := make([]Layer, len(stages))
	for i, s := range stages {
		list[i] = Layer{
			Name: s.name, Kind: string(s.kind), From: s.from, Plus: s.plus,
			In:     [3]int{s.in.Channels, s.in.Height, s.in.Width},
			Out:    [3]int{s.out.Channels, s.out.Height, s.out.Width},
			Kernel: s.kernel, Stride: s.stride, Pad: s.pad,
			Norm: s.norm, ReLU: s.relu, Pool: s.pool,
		}
	}
	return list, nil
}
