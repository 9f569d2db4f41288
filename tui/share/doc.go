// Package share shows the interface to other people over SSH, read-only: who has a key
// that is listed sees the runs as on a terminal of this machine, and can change nothing.
//
// It is not a way into the machine. A connection has one session, with a screen in it;
// shells, commands, subsystems, forwarding in either direction, agents and all but the
// colours of the client's environment are refused (sift.go), and the interface is that of
// a guest (lab.Config.Guest).
//
//	listener -> link (one connection: deadlines) -> door -> key -> session (sifted)
//	  typed  -> uv.TerminalReader -> events -> tea.Program.Send
//	  screen <- guard (a deadline for each piece)                <- tea.Program
//
// The door counts connections: who has not shown a key gives way to who comes later, and
// takes no place of those who have (door.go).
//
// A viewer owns its program and its goroutines; viewers share the places and the log, and
// none waits for another. What they show is read from files, so that nothing of this
// is on the way of a run.
//
// It is the home of wish and of golang.org/x/crypto/ssh. Start at Serve in share.go.
package share
