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
// The program is not trusted to be well: it may hang, exit, flood, answer nonsense. Each
// is one line, the cause of its own run. It is trusted to be harmless, since it is a
// program of this user's: Approvals sees to that, and nothing else may start one.
//
// Start reading at Network.
package bridge
