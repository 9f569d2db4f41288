// Package run has the commands that start runs, follow them, and send them requests: run, resume,
// pause, stop, checkpoint, knob, label and delete. It also has those that open the interface, and
// those of sweeps and of the engine. All are made of a Trainer.
//
//	run, resume -> Trainer -> executor -> follow <- eventlog.Tail, Progress
//	                                        └─> look.Results at the end
//
// Start at run.go, then follow.go.
//
// # Files
//
//	run.go, resume.go, study.go    runs are started or resumed
//	executor.go                    what trains them: the engine of a runs folder, which outlives
//	                               the commands, or a queue of this process
//	follow.go, display.go          they are followed, and shown on stderr
//	verbs.go, knob.go, label.go,
//	checkpoint.go, delete.go       requests to runs; verbs.go has pause and stop
//	trainer.go, notify.go          Trainer; the command that it runs when a run has ended
//	engine.go, loop.go, trust.go   the engine's own commands, the process beside a script with a
//	                               loop of its own, the approval of programs
//	interface.go                   the interface; attach, replay, demo and share open it, too, each
//	                               in the file of its name
//	sweep.go, slurm.go             sweeps, here and on Slurm; the work is done in runner/sweep.
//	                               sweepstatus.go, sweeptable.go, sweeptask.go and sweepstop.go
//	                               have the other commands below sweep
//
// Where the engine only passes a request on to a run, the command waits until the run's directory
// shows that it is done. Before it reports that, it brings to the disk what it has read there.
package run
