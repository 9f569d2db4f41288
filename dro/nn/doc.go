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
package nn
