// Package run has the commands that start runs, follow them, and send them requests: run, resume,
// pause, stop, checkpoint, knob, label and delete. It also has those that open the interface, and
// those of sweeps and of the engine. All are made of a Trainer.
//
//	run, resume -> Trainer -> follow <- eventlog.Tail, Progress
//	                            └─> look.Results at the end
//
// Start at run.go, then follow.go.
//
// # Files
//
//	run.go, follow.go   runs are started, resumed and followed
//	verbs.go            requests to runs: pause, stop, checkpoint, knob, label, delete
//	engine.go           who trains: the engine of a runs folder, which outlives the commands, or a
//	                    queue of this process
//	screen.go           the interface: alone, on what is running (attach), on recorded runs
//	                    (replay) and for others (share)
//	sweep.go, status.go sweeps; the work is done in runner/sweep
package run
