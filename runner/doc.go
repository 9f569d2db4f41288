// Package runner is the vocabulary of runs, which all packages below it share: a run's
// description (Meta), its reports while it goes on (Event), its position (State), its result
// (Summary), the keepers of these (Store, Recorder) and the orders to it (Verbs). It trains
// nothing and keeps no file.
//
//	spec.Spec --> queue.Queue --> goroutine per run: train.Run
//	                                └--> Event --> Recorder --> files --> any number of viewers
//	Verbs (pause, stop, ...) --> a run's gate.Gate, looked at between two steps
//
// Each state has one owner: the queue knows which runs there are and shares the datasets among
// them; the run's goroutine owns network, the method's state (as z), random streams and buffers
// (a loader may make its next batch beside it); the Recorder owns the event log; a viewer owns
// its screen. No step from a batch to an update waits for a viewer. A run waits for a slot, for a
// resume, and for room on the disk.
//
// Start reading at train/step.go: one training step as a list of verbs. The settings are
// the rows of package spec, the measures the rows of package measure, and package
// certificate measures runs afterwards.
package runner
