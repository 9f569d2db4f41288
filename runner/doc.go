// Package runner is the vocabulary of runs, which all packages below it share. It has the settings
// and origin of a run (Meta), its messages while it trains (Event), the state that a resume needs
// (State) and its result (Summary). Interfaces record them (Store, Recorder) or pass the requests
// that a run obeys (Verbs). It trains nothing and keeps no file.
//
//	spec.Spec --> queue.Queue --> goroutine per run: train.Run
//	                                └--> Event --> Recorder --> files --> any number of viewers
//	Verbs (pause, stop, ...) --> a run's train.Gate, looked at between two steps
//
// Each state has one owner. The queue owns the list of runs and the datasets that they
// share. The run's goroutine owns the network, the method's state (such as z), random
// streams and buffers; a loader may prepare the next batch beside it. The Recorder owns the
// event log, and a viewer owns its screen. Nothing between a batch and its update waits for
// a viewer. A run waits for a slot, for a resume, and for free space on the disk.
//
// Start reading at train/step.go: one training step as a list of verbs. The settings are
// the rows of package spec, the measures the rows of package measure, and package
// certificate measures runs afterwards.
package runner
