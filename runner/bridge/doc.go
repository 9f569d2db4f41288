// Package bridge trains what people bring: a program of any kind that computes the losses of
// samples takes the place of a network of drolab's own (docs/protocol.md).
//
//	process.go   a started program: its process group, its pipes, its output, its end
//	program.go   the conversation: questions, answers, limits of time, the first failure
//	describe.go  hello: what the program has, as a dataset without values
//	process.go     starts the program of a run, also to measure its checkpoints
//	network.go   train.Network over the conversation
//	pack.go      the files that a program saves, as one file of a checkpoint
//	approval.go  the programs that this user has started before
//
// In the other direction, a script has the loop and asks for weights (docs/loop.md):
//
//	script.go      the script as a train.Leader, which the run follows
//	script.go   answers what a run asks of its network from the script's messages
//	script.go  start: which run the script wants, and the counts of its data
//	describe.go       samples as a script gives them, checked
//
// The program is not trusted to work: it may hang, exit, flood its pipes or answer nonsense. Each
// of these is one line, the cause of the failure of its own run. The program is trusted to be
// harmless, since it is this user's own: Approvals sees to that, and nothing else may start one.
//
// Start reading at Network.
package bridge
