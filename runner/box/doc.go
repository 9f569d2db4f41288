// Package box shows the runs of other machines: a link keeps the mirror of a box (record.Mirror)
// like the folder of runs there, over the user's ssh.
//
//	on the box   folder of runs -> FarSide --.
//	                                          ssh
//	here         Link -> record.Mirror <-----'
//
// The far side is drolab itself, started by ssh for as long as the link lasts. The near side keeps
// no state but the mirror: each conversation begins with what the mirror has, so that one may end
// after any byte.
//
// A Link is runner.Verbs, too: what is asked of it is done by the far side, through the engine
// there or on the record of a run. An engine outlives the link. The box decides everything: which
// programs it trusts, which paths there are. Runs that start are named here, so that a start whose
// answer was lost is asked for again, and is made once.
//
// Of several processes on one mirror one writes it. The others have a link for verbs, say in a file
// which logs they want, and one of them takes over within a second.
//
// What a box sends is hostile: frames are bounded, a run that the mirror refuses is passed over,
// and nothing that comes from there starts a program or names a file.
//
// A command about one box runs there:
//
//	here         Forwarding -> ssh -> Worker -> the command
//
// Start reading at link.go for this machine and at farside.go for the box.
//
// # Files
//
//	link.go      Link: keeps a mirror up to date, says how it stands, tries again
//	near.go      what this machine does with the frames of a conversation
//	verbs.go     Link as runner.Verbs; changes of the records of runs; lost answers
//	remedy.go    the commands that a box names as remedies, with the box in them
//	foresee.go   what a start on the box would find: Datasets, Foresee
//	wants.go     which logs the other processes on a mirror want
//	farside.go   FarSide: looks at the runs of a box, and sends what has changed
//	silence.go   when a box counts as silent: its runs are then shown as they were known last
//	acting.go    what the far side does for the other side
//	wire.go      the frames of a conversation, their bounds, the line with which it begins
//	buckets.go   which runs differ, told in few bytes
//	runs.go      Runs: those of this machine and of its boxes, each once
//	ssh.go       how ssh is started; what its last words mean
//
//	forward.go      Forwarding: a command that runs on a box, with the streams of this process
//	forwarded.go    Worker: runs it on the box
//	install.go      Installer: puts drolab on a box
//	message.go      the messages of their conversation, and the bound of these
//	output.go       the files that the command writes there, which come here
//	group_unix.go,  process groups: Ctrl-C, and the end of a terminal
//	group_other.go
package box
