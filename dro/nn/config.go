package nn

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"drolab/dro/internal/kern"
)

// Config says which network to build.
type Config struct {
	Model   string // one of Models
	C, H, W int    // an input's channels, height and width (a table: its columns, 1, 1)
	Classes int
	Batch   int    // the largest batch, in samples
	Init    string // one of Inits; empty: the first
	Seed    uint64 // of the initialisation and of dropout
	Threads int    // number of threads that kernels may use; 0 is 1

	// Precision is one of Precisions, the first if empty: the format that the operands of products
	// are rounded to, in batches of modes Train and Probe. All else, and all of mode Evaluate, is
	// float32.
	Precision string

	// Convolution is one of Convolutions, the first if empty: how 3×3 convolutions are computed in
	// fp32.
	Convolution string

	Loss string // one of Losses; empty: the first

	// Hidden and Activation belong to the model mlp. They are the units of its hidden layers
	// (empty: 256 and 128) and their activation (one of Activations; empty: the first). Dropout
	// belongs to mlp and to alexnet. It is the probability that a batch of mode Train or Probe has
	// a value of mlp's hidden layers, or of the input of alexnet's last layer, as 0. The others are
	// scaled up to make up for it.
	Hidden     []int
	Activation string
	Dropout    float64

	// Optimizer is one of Optimizers; empty: the first. Adapt needs adamw.
	Optimizer string
}

// Check returns the number of parameters of the model, and an error if the model does not fit its
// input. A table's columns are no pixels: a model of convolutions is for pictures, even where it
// would take a picture of one pixel.
func Check(c Config) (parameters int, err error) {
	if Known(c.Model) && c.H == 1 && c.W == 1 && models(c)[c.Model][0].kind == conv {
		return 0, fmt.Errorf("model: %s is for pictures, and a table of %d columns is too small "+
			"for its convolutions: choose the model %s", c.Model, c.C,
			strings.Join(anyInput(), " or "))
	}
	list, err := stages(c)
	if err != nil {
		return 0, err
	}
	weights, _ := slots(list, "")
	for _, s := range weights {
		parameters += s.len()
	}
	return parameters, nil
}

const bf16 = "bf16"

// Precisions returns the formats that the operands of products can be rounded to, the customary one
// first. fp32 does not round. bf16 rounds to 8 significant bits, with sums, weights and all else in
// fp32, and is faster where the processor has instructions for it.
func Precisions() []string { return []string{"fp32", bf16} }

// CheckPrecision refuses bf16 for a model of one linear layer: its step takes as long as reading
// the batch, and rounding the batch is a pass more. New still makes such networks, because there
// are runs of them.
func CheckPrecision(model, precision string) error {
	if precision == bf16 && Convex(model) {
		return fmt.Errorf("precision: bf16 makes a step of %s slower, for it takes as long as "+
			"reading its batch, and rounding is a pass more: expected fp32, or a model with "+
			"hidden layers", model)
	}
	return nil
}

const winograd = "winograd"

// Convolutions returns the ways to compute 3×3 convolutions, the customary one first. direct
// multiplies by the definition. winograd computes convolutions of many channels in squares of 2×2
// with 4/9 of the multiplications, and rounds in another order (kern.Winograd).
func Convolutions() []string { return []string{"direct", winograd} }

func (c Config) byWinograd() bool { return c.Convolution == winograd && c.Precision != bf16 }

// CheckConvolution refuses winograd where it computes nothing: in bf16, and in a model without
// convolutions.
func CheckConvolution(model, convolution, precision string) error {
	convolves := func(l layer) bool { return l.kind == conv || l.kind == residual }
	switch {
	case convolution != winograd:
		return nil
	case precision == bf16:
		return errors.New("convolution: winograd is for precision fp32: expected direct in bf16")
	case !slices.ContainsFunc(models(Config{})[model], convolves):
		return fmt.Errorf("convolution: %s has no convolutions: expected direct", model)
	}
	return nil
}

// FasterConvolution returns the way that is faster for a model. winograd was measured to be faster
// for two models in fp32 (docs/results.md); in the others it computes too little to matter.
func FasterConvolution(model, precision string) string {
	if precision != bf16 && (model == "resnet8" || model == "resnet18") {
		return winograd
	}
	return Convolutions()[0]
}

// The losses of a sample.
const (
	CrossEntropy     = "cross-entropy"
	Squared          = "squared"
	ErrorProbability = "error-probability"
)

// Losses returns the losses of a sample, the kinds of kern in their order. Cross-entropy is −log of
// the label's probability (nats), with the outputs as logits. Squared is half the squared distance
// of the outputs from the label's unit vector, which makes a linear model a least-squares
// regression. ErrorProbability is 1 minus the label's probability; it alone is bounded, and it
// alone is not convex in the outputs.
func Losses() []string { return []string{CrossEntropy, Squared, ErrorProbability} }

// lossKind returns the kind of a loss; without a name it is cross-entropy.
func lossKind(name string) kern.LossKind {
	return kern.LossKind(max(0, slices.Index(Losses(), name)))
}
