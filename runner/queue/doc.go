// Package queue trains a bounded number of runs at once, in the order of their start, each
// in a goroutine, and carries out requests to them. It shares datasets among runs, and
// knows nothing of a training step.
//
// A run is in one place at a time. From its start to its end it is a job in Queue.jobs. Afterwards
// it is only a record in the Store, from which a resume makes another job. There are two locks: mu
// guards the maps and is never held during a wait; starting serialises the preparation of runs,
// which may take minutes.
//
// Start at Queue in queue.go.
//
// # Files
//
//	queue.go    Queue: as many slots as --parallel says, starts (all runs or none), the goroutine
//	            of a run from turn to end, outcomes
//	job.go      a run from its start to its end; the removal of runs that never started
//	meta.go     the content of run.json, which record writes, and every reason to refuse a run
//	            before
//	dataset.go  datasets that runs share; how far one is read
//	program.go  programs and scripts that runs train; methods that do not suit them; "resumed with
//	            another ... than it was started with"
//
//	alerts.go   what the machine does during a run, for its record and its alerts
//	verbs.go    requests to live runs: pause, resume, stop, checkpoint, knob; the list of live
//	            runs
//	waiting.go  a run without a slot: knobs and stops before it trains, its failure
//	fork.go     forks (RUN@STEP): settings that must be the parent's, the checkpoint they begin
//	            with
//	resume.go   resumes: the newest checkpoint, the changes of knobs repeated; "resumed with
//	            kernel ..."
package queue
