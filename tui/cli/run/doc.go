// Package run has the commands that start runs, follow them, and send them requests: run, resume,
// pause, stop, checkpoint, knob, label and delete. It also has those that open the interface, and
// those of sweeps and of the engine. All are made of a Trainer.
//
//	run, resume -> Trainer -> executor -> follow <- eventlog.Tail, Progress
//	                                        └─> look.Results at the end
//
// Start at run.go, then follow.go.
//
// Where the engine only passes a request on to a run, the command waits until the run's directory
// shows that it is done. Before it reports that, it brings to the disk what it has read there.
//
// # Files
//
//	run.go         start here: run, and its flags `--algo`, `--seeds`, `--seed`, `--set` (a grid,
//	               too), `--from` (fork), `--inline`, `--detach`, `--export-live`; Commands, the
//	               list
//	trainer.go     Trainer; client of the engine, queue of this process, programs' Python
//	executor.go    what trains: the engine of a runs folder, or a queue of this process; what
//	               Ctrl-C does, and runs that wait for a disk
//	follow.go      follows runs to their end: log lines on stderr, warnings, results, the errors
//	               of runs that are not done
//	display.go     the block on the terminal with a line for each run: bar, epoch, ETA, worst,
//	               mean, loss, λ
//	exportlive.go  `--export-live` tensorboard: writes event files while runs go on
//	notify.go      `--notify`: the command that is run for an alert, with the run's summary as
//	               JSON; notifygroup_unix.go and notifygroup_other.go end what it has started
//	home.go        the note on what is not kept because the user's folders cannot be written
//
//	resume.go      resume, `--all`
//	study.go       run STUDY: starts the runs that a study lacks; `--dry-run`
//	verbs.go       pause and stop (`--all`); waits until the run's directory shows it
//	knob.go        knob: changes a setting of a live run
//	checkpoint.go  checkpoint: saves one now, or `--pin`, `--unpin`
//	label.go       label: `--note`, `--tag`, `--archive`, `--unarchive`
//	delete.go      delete, with its question (`--yes`)
//
//	interface.go  drolab without a command: opens the interface, says what goes on after it
//	attach.go     attach: the interface on live runs; `--read-only`
//	replay.go     replay: `--speed`, `--from`, `--by`
//	demo.go       demo: the film; `--live`, `--loop`
//	share.go      share: `--listen`, `--authorized-keys`, `--host-key`, `--viewers`, `--idle`
//
//	engine.go  engine (`--idle`), engine status, engine stop (`--force`)
//	loop.go    loop: the process beside a script with a training loop of its own
//	trust.go   trust: approves programs; those that run names are approved by that
//	version.go version: the program, the machine, and in what form pictures are drawn
//
//	sweep.go        sweep, and sweep start: `--dir`, `--on`, `--inline`, `--dry-run`,
//	                `--parallel`, `--cpus`, `--time`, `--partition`, `--constraint`, `--sbatch`;
//	                trust in the file's lines for jobs; its help has the form of a sweep file
//	slurm.go        sweep start `--on` slurm: submits job arrays with sbatch
//	sweepstatus.go  sweep status: counts, failures, time left; `--follow`
//	sweeptable.go   sweep table: the best setting of each method by validation
//	sweeptask.go    sweep task: trains one run in a job; `--program`, `--rung`
//	sweepstop.go    sweep stop
//
//	complete.go  completion of methods, settings and folders of sweeps
package run
