// Package train trains one network with one method on one dataset: a Run belongs to one goroutine,
// which owns the network, the method's state, the random streams and the buffers. It contains no
// formula of a method and does not know of other runs.
//
//	a step (step.go):  loader -> network: losses -> dro: weights
//	                          -> network: gradient, step -> dro: state
//	between two steps: orders (orders.go), checkpoints (checkpoint.go), knobs (knob.go)
//	after an epoch:    measures of whole splits (evaluate.go), the selected step (selection.go)
//
// Where a program on a GPU computes the weights itself, the network has a step before drolab has
// its losses (ahead.go).
//
// Where a script drives the loop, its Leader calls the same parts in the script's order (lead.go).
//
// A run's numbers depend on its Meta, its data and its kernel. They do not depend on the clock,
// or on pauses and resumes. Code that would break this rule belongs elsewhere. Start at step.go:
// one training step as a list of verbs. A run trains a Network (network.go); drolab's own is
// in native.go. Its loop and its end are in run.go.
//
// # The gate
//
// A run waits at its Gate (gate.go): for one of the slots that training needs, for a resume, for
// space on the disk. Orders reach a run through its gate between two steps. A gate never trains and
// never decides. It blocks the run's goroutine, and meanwhile carries out the orders that need no
// slot. A queue sends orders, and the run's goroutine does the rest.
package train
