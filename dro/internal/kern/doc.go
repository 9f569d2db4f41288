// Package kern holds the float32 kernels that train small networks on a CPU, forward and backward,
// in AVX-512, AVX2 and plain Go. They are convolution (a linear layer is one), direct or by
// [Winograd], max-pooling, mean pooling, ReLU, batch normalisation, sums, cross-entropy and
// momentum SGD. What the two other losses add, the updates of normalised momentum and AdamW, and
// the activations tanh and GELU with dropout are in plain Go. A convolution can round its operands
// to bfloat16; it then runs on AMX tiles, AVX512-BF16 or the float32 kernels ([BF16]).
//
// It is not a tensor library and knows no graph. Every operation writes into slices that the caller
// owns, allocates nothing after its constructor, and holds no state that two operations share. So
// any number of networks may train at once in one process.
//
// The flow of a training step:
//
//	images (NCHW) -> Layout.Pack -> Conv.Forward, BatchNorm.Forward ... MaxPool.Forward
//	              -> Loss.Losses -> losses (float64, one per image)
//	losses -> the caller -> ratios
//	ratios -> Loss.Gradient -> Conv.BackwardWeights, Conv.BackwardData ... MaxPool.Backward
//	       -> SGD.Step
//
// A linear layer on features can take these steps for a few rows at a time, where the rows lie: see
// [RowsPass].
//
// Start at [Batch], which says how images lie in memory; then [Conv]; then BenchmarkAlexNetStep, a
// whole step from these parts.
//
// # Memory
//
// Activations have the images innermost, in blocks: [block][row][column][channel][lane]. A tap of a
// convolution is then a multiply-add over contiguous images, so no im2col copy is made and padding
// is skipped instead of multiplied. Weights stay in the canonical [out][in][row][column] order of
// PyTorch and of checkpoints. No float32 kernel packs or transposes them, except [Winograd], which
// transforms them into memory of its own. The bfloat16 kernels pack both operands of a product into
// a [Workspace], or only the weights if the activations are a [Rounding].
//
// # Determinism
//
// Every sum has an order fixed by the geometry alone, so an ISA gives the same bits on 1 or N
// threads. Different ISAs round differently. NaN and Inf propagate; denormals are kept.
//
// # Errors
//
// Constructors return an error for a layer that cannot be or is too large. They panic on an
// instruction set that is not available and on a batch that is not from NewBatch, as methods panic
// on a slice of the wrong length: these are bugs of the caller. Outputs must not overlap inputs
// except where a method says so.
package kern
