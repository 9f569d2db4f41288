package nn

// Layer describes a layer of a model and its place, for code that writes the network in another
// format. Its tensors are Name + ".weight", ".bias" and, for batch normalisation, ".norm.weight",
// ".norm.bias", ".norm.running_mean" and ".norm.running_var", in the shapes that PyTorch has.
type Layer struct {
	Name string
	// Kind is conv, linear, average (over all positions) or sum (of the outputs of From and Plus).
	Kind string
	// From and Plus are the indices of the layers whose outputs it takes; −1 is the batch.
	From, Plus int
	In, Out    [3]int // channels, rows, columns
	// Kernel is the side of a convolution's window, Stride and Pad go with it.
	Kernel, Stride, Pad int
	// Norm, ReLU and Pool tell what follows, in this order: batch normalisation with NormEpsilon,
	// in place of the bias, ReLU, and 2×2 max-pooling.
	Norm, ReLU, Pool bool
	// Curve is tanh or gelu in the place of ReLU; empty: neither.
	Curve string
}

// NormEpsilon is the number that batch normalisation adds to a variance.
const NormEpsilon = 1e-5

// Layers returns the layers of a model as it is evaluated, the logits last. It fails as New does.
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
