// Package nn gives constrained DRO its networks: per-sample losses out,
// likelihood ratios in, the gradient of their weighted mean, and a step of SGD
// or AdamW.
//
//	x, labels ──> Losses ──> ℓ_1..ℓ_n        (package dro turns them into r_1..r_n)
//	     r_1..r_n ──> Gradient ──> ∇ mean r_i ℓ_i ──> Update, Adapt,
//	                                                    or Accumulate and Advance
//
// In precision bf16 the operands of training steps' products are rounded; all
// else is float32, evaluations too (Config.Precision).
//
// It knows no uncertainty set, dataset or file. Start at Net in net.go.
//
// # What Gorgonia does, and what it does not
//
// It is the only importer of Gorgonia. A model (models.go) is a list of layers, which may branch.
// graph.go writes it as a Gorgonia expression graph whose nodes are our ops: layers.go lists the
// kinds of layers, stages.go works out their sizes, ops.go has their ops, and op.go makes a kernel
// of dro/internal/kern an operation of Gorgonia's. Gorgonia differentiates: it asks each op for its
// derivative, and adds up the gradients of a node that several ops read.
//
// That is all it does, once, in New. Its machines are not used, for none stops between the losses
// and their gradient. plan.go lists the ops of the differentiated graph in order, and fuse.go joins
// neighbours whose results would only pass through memory. At every step Losses and Gradient call
// the kernels in that list on memory that never moves. Of Gorgonia's own operations the list takes
// the sum of gradients, which runs as a kernel of ours; a graph with any other is refused. Tests
// compare the kernels with the same models written in Gorgonia's own operations and run by its own
// machine.
//
// # Files
//
//	net.go     Net: Losses, Gradient, predictions, features, modes Train, Probe and Evaluate,
//	           RunEach
//	config.go  Config, which network; precision, convolution (direct, winograd), loss: names and
//	           checks
//	models.go  the models alexnet, convnet, linear, mlp, resnet8, resnet18, as lists of layers; a
//	           new one goes here
//	layers.go  the kinds of layers; Layers, a model for code that writes it in another format
//	stages.go  the sizes of a model's layers; "is too small for its layer"
//	tensor.go  tensors, their names and shapes; the setting init: he, torch
//	update.go  SGD, normalised momentum, AdamW, clipping
//	memory.go  the memory that a network takes
//	kernel.go  the name of the kernel (avx512, amx-bf16 ...), and the words for its order of sums
//
//	graph.go     a model as a Gorgonia graph
//	op.go        a kernel as an operation of Gorgonia's
//	ops.go       the ops: convolution, pooling, activation, sum, loss, batch normalisation
//	plan.go      the ops in order of execution, before and behind the losses
//	fuse.go      neighbouring ops joined, gradients that share memory
//	rounding.go  bf16: operands that products share as roundings
//	onepass.go   a linear model's step in one pass over its samples
//	profile.go   times of layers (drolab bench)
package nn
