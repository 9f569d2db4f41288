// Package box shows the runs of other machines: a link keeps the mirror of a box (record.Mirror)
// like the folder of runs there, over the user's ssh.
//
//	on the box   folder of runs -> FarSide --.
//	                                          ssh
//	here         Link -> record.Mirror <-----'
//
// The far side is drolab itself, started by ssh for as long as the link lasts. It only reads. The
// near side keeps no state but the mirror: each conversation begins with what the mirror has, so
// that one may end after any byte.
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
//	farside.go   FarSide: looks at the runs of a box, and sends what has changed
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
