// Package bridge trains what people bring: a program of any kind that computes the losses of
// samples takes the place of a network of drolab's own (docs/protocol.md).
//
// In the other direction, a script has the loop and asks for weights (docs/loop.md). It is a
// train.Leader, which the run follows. The first message says which run the script wants, and the
// counts of its data. The others bring the samples of steps and evaluations, and tell how each step
// went.
//
//	step:  samples -> run: weights -> answer; report of the step -> run: state, measures
//
// The program is not trusted to work: it may hang, exit, flood its pipes or answer nonsense. Each
// of these is one line, the cause of the failure of its own run. The program is trusted to be
// harmless, since it is this user's own: Approvals sees to that, and nothing else may start one.
//
// Start reading at Network in network.go, and for scripts at Script in script.go.
//
// # Files
//
//	network.go   Network, train.Network over the conversation: losses, outputs, gradient, step,
//	             features and last layer, save and load
//	program.go   Program, the conversation: questions, answers, limits of time, the first failure
//	             and its words; values that a program logs
//	stepper.go   train.Stepper over the conversation: begin, draw, weigh, results
//	describe.go  hello: what the program has, as a dataset without values; limits of samples,
//	             classes and packages; which methods it cannot be trained with
//	form.go      weights that the other side computes by a dro.Form
//
//	frame.go           the messages in both directions (dro1, a JSON head, arrays), and their
//	                   limits
//	wait_unix.go       waiting for a message: polling first, then sleep
//	start.go           how a program is started: python or by itself, environment, DROLAB_PIPES,
//	                   folder
//	process.go,        a started program: its process group, its limits of time, stops asked for,
//	process_linux.go,  its end
//	process_unix.go,
//	process_other.go
//	ranks.go           the several processes of a program (procs=): RANK, WORLD_SIZE, MASTER_ADDR,
//	                   their parts of the samples, which of them has failed
//	output.go          what a program prints, passed on to program.log (written by
//	                   runner/record/program.go), and its last line for an error
//	approval.go        the programs that this user has started before (the file approved; drolab
//	                   trust), checksums, and the start of an approved one
//	pack.go            the files that a program saves, as one file of a checkpoint; the setting
//	                   checkpoint_gb
//
//	script.go            Script, a script with a loop of its own: its messages after the first,
//	                     answers, notes of a full disk, run.log
//	opening.go           drolab.start: which run, samples, class_counts, group_counts,
//	                     steps_per_epoch
//	scriptstep.go        run.weights and run.step: a step of the script, by weights or by a form
//	scriptcheckpoint.go  run.checkpoint, and the files of the script in a checkpoint
//	samples.go           losses, labels, groups and indices as a script gives them, with the
//	                     checks; run.evaluate
//	shuffles.go          ranks of a script that do not share out the training split
package bridge
