// Package share shows the interface to other people over SSH, read-only. A viewer with a listed key
// sees the runs as on a terminal of this machine, and can change nothing.
//
// It is not a way into the machine. A connection has one session, with a screen in it. Shells,
// commands, subsystems, forwarding in either direction, agents, and all of the client's environment
// but its colours are refused (channel.go). The interface is a shared one (lab.Config.Shared).
//
//	listener -> connection (deadlines) -> connectionLimiter -> key -> screenChannel -> view
//	  typed  -> tui.Terminal -> events -> tea.Program.Send
//	  screen <- deadlineWriter (a deadline for each piece)       <- tea.Program
//
// The limiter counts connections. A client that has not shown a key gives way to later clients, and
// takes no place from clients that have shown one (limiter.go).
//
// A viewer owns its program and its goroutines. Viewers share the places and the log, and none
// waits for another. What they show is read from files, so that no run waits for any of this.
//
// Only this package uses wish and golang.org/x/crypto/ssh. Start at Serve in share.go.
//
// # Files
//
//	share.go       start here: Serve and Settings; time limits; which keys may look
//	keys.go        the file of viewers' keys and the host key: reads and makes them
//	connection.go  a client's connection, from its first byte to its end
//	limiter.go     how many connections, and who gives way
//	channel.go     what a client may ask for: a terminal, a screen, its size, colours; all else is
//	               refused
//	view.go        a viewer's screen: places, `--idle`, the lines of the log
//	deadline.go    cuts off a client that reads nothing
package share
