// Package nn gives constrained DRO its networks: per-sample losses out,
// likelihood ratios in, the gradient of their weighted mean, and a step of SGD.
//
//	x, labels ──> Losses ──> ℓ_1..ℓ_n        (package dro turns them into r_1..r_n)
//	     r_1..r_n ──> Gradient ──> ∇ mean r_i ℓ_i ──> Update
//
// It is the only importer of Gorgonia. A model (model.go) is a list of layers;
// graph.go writes it as a Gorgonia expression graph whose nodes are our ops
// (op.go adapts a kernel of dro/internal/kern, ops.go has one op a layer), and
// Gorgonia differentiates it; plan.go runs the differentiated graph.
//
// It knows no uncertainty set, dataset or file. Start at Net in net.go.
package nn
