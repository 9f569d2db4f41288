// Package kern holds the float32 kernels that train small networks on a CPU, forward and backward,
// in AVX-512, AVX2, NEON and plain Go. They are convolution (a linear layer is one), direct or by
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
// threads. Different ISAs round differently. On arm64 the compiler rounds a multiply-add of plain
// Go once, so plain Go has other bits there than on amd64; [NEON] has its bits except in the
// gradients of weights. NaN and Inf propagate; denormals are kept.
//
// # Errors
//
// Constructors return an error for a layer that cannot be or is too large. They panic on an
// instruction set that is not available and on a batch that is not from NewBatch, as methods panic
// on a slice of the wrong length: these are bugs of the caller. Outputs must not overlap inputs
// except where a method says so.
//
// # Files
//
//	batch.go              Batch and Shape: how images lie in memory
//	layout.go             NCHW to blocks of images and back
//	isa.go                instruction sets: generic, avx2, avx512, neon; the best (Detect)
//	kern_amd64.go,        which of them this machine has, and a call of each kernel on one
//	kern_arm64.go,
//	kern_noasm.go
//	tile.go               the arguments of each kernel in assembly, with its formula
//	generic.go            the kernels in plain Go, which are the reference
//	stubs_amd64.go        generated declarations of the assembly, which the program in _asm
//	                      writes: avx2_amd64.s, avx512_amd64.s, bf16_amd64.s, amx_amd64.s
//	stubs_arm64.go        the same for neon_arm64.s, which the program in _asm/arm64 writes
//
//	conv.go               Conv: convolution and linear layer, forward and to the input
//	conv_vectors.go       its copies of a source's lanes, one vector after the other (AVX2)
//	plane.go              which taps and source positions an output has, with padding taken out
//	grad.go               the gradient of the weights: how its plan is chosen, the bias
//	grad_dot.go           its plan as dot products along images
//	grad_outer.go         its plan as outer products of channels
//	grad_taps.go          its plan for three neighbouring taps (AVX-512)
//	grad_vectors.go       its plan for 16 images at a time, for networks by Winograd (AVX2)
//	winograd.go           Winograd: F(2×2, 3×3) (Lavin, Gray 2016), forward and to the input
//	winograd_grad.go      its gradient of the weights
//	winograd_vectors.go,  both for one vector of lanes after the other (AVX2)
//	winograd_vectors_grad.go
//	winograd_amd64.go,    its transformations: calls of assembly, and in plain Go
//	winograd_arm64.go,
//	winograd_generic.go
//	rows.go               Rows: a linear layer on rows that lie anywhere
//	rows_pass.go          RowsPass: such a layer with its loss in one pass
//
//	bf16.go               BF16, kernels of bf16 products: amx-bf16, avx512-bf16, rounded;
//	                      Workspace
//	bf16_amd64.go,        which of them this machine has, and a call of each
//	bf16_noasm.go
//	bf16_conv.go          BF16Conv: convolution of rounded operands
//	bf16_grad.go          its gradient of the weights
//	bf16_pack.go          its operands, packed into tiles
//	bf16_pairs.go         its products that read a Rounding, in pairs of channels
//	bf16_runs.go          inputs of few channels as runs of lines
//	bf16_strips.go        inputs of few channels as strips
//	rounding.go           Rounding: an activation in bfloat16
//	amx_linux_amd64.go,   leave to use AMX tiles, from the system
//	amx_other_amd64.go
//
//	norm.go,              batch normalisation (Ioffe, Szegedy 2015), and its kernels in plain Go
//	norm_generic.go
//	pool.go               max-pooling 2×2, mean pooling
//	pointwise.go          relu, tanh, gelu and dropout
//	sum.go                sums of activations, masks of ReLU
//	loss.go               cross-entropy, squared error, error probability: losses and gradients
//	update.go             SGD with momentum, AdamW
//
//	team.go               Team: threads that share tasks; a panic of a task
//	scratch.go            memory of convolutions' windows, a piece for each thread
//	alloc.go              aligned memory
//	huge_linux.go,        pages of 2 MiB
//	huge_other.go
//	peak.go               the roofline: FLOP/s without memory
package kern
