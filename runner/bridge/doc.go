// Package bridge trains what people bring: a program of any kind that computes the losses
// of samples stands in the place of a network of drolab's own (docs/protocol.md).
//
//	process.go   a started program: its group, its pipes, what it prints, its end
//	program.go   the conversation: questions, answers, limits of time, the first failure
//	describe.go  hello: what the program has, as a dataset without values
//	start.go     how the program of a run is started, to measure its checkpoints, too
//	network.go   train.Network over the conversation
//	pack.go      what it saves, as one file of a checkpoint
//	approval.go  which programs this user has started before
//
// and, the other way round, a script that has the loop and asks for weights (docs/loop.md):
//
//	script.go      what the script does, as a train.Leader: the run follows it
//	scriptnet.go   what a run asks of its network, which the script has said or says next
//	scriptdata.go  start: which run it wants, and the counts of its data
//	given.go       samples as a script gives them, checked
//
// The program is not trusted to be well: it may hang, exit, flood, answer nonsense. Each
// is one line, the cause of its own run. It is trusted to be harmless, since it is a
// program of this user's: Approvals sees to that, and nothing else may start one.
//
// Start reading at Network.
package bridge
