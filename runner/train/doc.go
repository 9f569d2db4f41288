// Package train trains one network with one method on one dataset: a Run belongs to one
// goroutine, which owns the network, the method's state, the random streams and the
// buffers. It has no formula of a method and knows no other run.
//
//	Plan --> Run: loader -> network: losses -> dro: weights -> network: gradient, step -> dro:
//
// state  (step.go)
//
//	full-data measures at the end of epochs                     (evaluate.go,
//
// output.go)
//
//	orders between two steps, knobs, checkpoints                (control.go,
//
// turn.go, checkpoint.go)
//
// Start at step.go: one training step as a list of verbs. Network (network.go) is what
// a run trains; drolab's own is native.go.
package train
