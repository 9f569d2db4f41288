// Package bridge trains what people bring: a program of any kind that computes the losses of
// samples takes the place of a network of drolab's own (docs/protocol.md).
//
//	start.go     how a program is started
//	process.go   a started program: its process group, its limits of time, its end
//	output.go    what a program prints
//	ranks.go     the several processes of a program, and their parts of the samples
//	frame.go     the messages in both directions, and wait_unix.go, which waits for them
//	program.go   the conversation: questions, answers, limits of time, the first failure
//	describe.go  hello: what the program has, as a dataset without values
//	network.go   train.Network over the conversation
//	form.go      weights that the other side computes
//	stepper.go   train.Stepper over the conversation
//	pack.go      the files that a program saves, as one file of a checkpoint
//	approval.go  the programs that this user has started before
//
// In the other direction, a script has the loop and asks for weights (docs/loop.md). It is a
// train.Leader, which the run follows (script.go). The first message says which run the script
// wants, and the counts of its data (opening.go). The others answer what a run asks of its network
// (leader.go), and bring the samples of steps and evaluations (samples.go).
//
// The program is not trusted to work: it may hang, exit, flood its pipes or answer nonsense. Each
// of these is one line, the cause of the failure of its own run. The program is trusted to be
// harmless, since it is this user's own: Approvals sees to that, and nothing else may start one.
//
// Start reading at Network.
package bridge
