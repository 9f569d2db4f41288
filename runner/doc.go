// Package runner trains one network with one method on one dataset, and tells
// what happened as a stream of events. It knows no screen, no file format and
// no formula: the mathematics is dro's, the network is dro/nn's, the samples
// are runner/data's, and a Recorder (runner/record) keeps what comes out.
//
//	Spec ──> Queue ──> goroutine per run (run.go)
//	                     loader ─> nn: losses ─> dro: ratios ─> nn: gradient, update ─> dro: z-step   (step.go)
//	                     full-data measures between epochs                                            (evaluate.go)
//	                       └──> Event ──> Recorder ──> files ──> any number of viewers
//	Verbs (pause, stop, ...) ──> a run's control, looked at between two steps (control.go)
//
// Three owners of state: the run's goroutine owns parameters, z, optimiser,
// random streams and buffers; the Recorder owns the event log; a viewer owns
// its screen. Nothing on the way from a batch to an update waits for a viewer.
//
// Start reading at step.go: one training step as a list of verbs.
package runner
