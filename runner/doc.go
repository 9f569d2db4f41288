// Package runner trains one network with one method on one dataset, and tells
// what happened as a stream of events. It knows no screen, keeps no file and
// has no formula of a method: the mathematics is dro's, the network is dro/nn's
// or of another NewNetwork, the samples are runner/data's, and a Recorder
// (runner/record) keeps what comes out.
//
//	Spec --> Queue --> goroutine per run (run.go)
//	                     loader -> nn: losses -> dro: weights -> nn: gradient, update -> dro: state  (step.go)
//	                     full-data measures at the end of epochs                     (evaluate.go, measure.go)
//	                       └--> Event --> Recorder --> files --> any number of viewers
//	Verbs (pause, stop, ...) --> a run's gate (gate.go), looked at between two steps (control.go)
//
// Each state has one owner: the Queue knows which runs there are and shares the
// datasets among them; the run's goroutine owns parameters, the method's state
// (as z), optimiser, random streams and buffers (a loader may make its next
// batch beside it); the Recorder owns the event log; a viewer owns its screen.
// Nothing on the way from a batch to an update waits for a viewer. A run waits
// for a slot, for a resume, and for room on the disk.
//
// Start reading at step.go: one training step as a list of verbs. The settings are
// the rows of settingrows.go. The measures are the rows of measurerows.go, and
// measure.go says what a row is.
package runner
