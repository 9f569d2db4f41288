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
	// Curve is tanh or gelu in the place of ReLU; empty: neither.
	Curve string
}

// NormEpsilon is what batch normalisation adds to a variance.
const NormEpsilon = 1e-5

// Layers describes a model, the logits last, as it is evaluated. The error is New's.
func Layers(c Config) ([]Layer, error) {
	stages, err := stages(c)
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
			Norm: s.norm, ReLU: s.relu || s.curve == "relu", Pool: s.pool,
		}
		if !list[i].ReLU {
			list[i].Curve = s.curve
		}
	}
	return list, nil
}
