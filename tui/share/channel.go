package share

import (
	"sync/atomic"

	tea "charm.land/bubbletea/v2"
	gossh "golang.org/x/crypto/ssh"
)

// screenChannel is a session that passes on to the library only what a screen needs. The library
// alone would also run commands, and agree to forward an agent.
type screenChannel struct {
	gossh.NewChannel
	channel gossh.Channel
	size    atomic.Pointer[tea.WindowSizeMsg] // the newest size of the terminal
	resized chan struct{}                     // has an element when there is a new size
}

// Accept implements gossh.NewChannel.
func (s *screenChannel) Accept() (gossh.Channel, <-chan *gossh.Request, error) {
	ch, in, err := s.NewChannel.Accept()
	if err != nil {
		return nil, nil, err
	}
	s.channel = ch
	out := make(chan *gossh.Request)
	go s.filterRequests(in, out)
	return ch, out, nil
}

// filterRequests passes on requests for a terminal, for a shell, which is the screen, and for the
// colours of the environment. It handles new sizes itself, because the library's queue of them
// would hold up the other requests.
func (s *screenChannel) filterRequests(in <-chan *gossh.Request, out chan<- *gossh.Request) {
	defer close(out)
	defer close(s.resized)
	variables := 0
	for r := range in {
		switch {
		case r.Type == "pty-req", r.Type == "shell":
			out <- r
		case r.Type == "env" && variables < mostVariables && namesColours(r.Payload):
			variables++
			out <- r
		case r.Type == "window-change":
			r.Reply(s.resize(r.Payload), nil)
		default:
			r.Reply(false, nil)
		}
	}
}

// resize keeps a new size of the terminal. It returns false for a request without a size.
func (s *screenChannel) resize(payload []byte) bool {
	var size struct{ Columns, Rows, Width, Height uint32 }
	if gossh.Unmarshal(payload, &size) != nil || size.Columns == 0 || size.Rows == 0 {
		return false
	}
	s.size.Store(&tea.WindowSizeMsg{Width: limitCells(size.Columns, mostColumns, 0),
		Height: limitCells(size.Rows, mostRows, 0)})
	select {
	case s.resized <- struct{}{}:
	default:
	}
	return true
}

// newestSize returns the newest size that the client has reported.
func (s *screenChannel) newestSize() tea.WindowSizeMsg { return *s.size.Load() }

// The greatest size of a screen in cells, more than a large monitor has. Each cell takes memory,
// and the client decides how many there are.
const (
	mostColumns = 512
	mostRows    = 160
)

// limitCells returns n cells, limited to most, or unknown if the client does not know (RFC 4254,
// 6.2: 0).
func limitCells(n uint32, most, unknown int) int {
	if n == 0 {
		return unknown
	}
	return int(min(n, uint32(most)))
}

// mostVariables is the greatest number of environment variables that are taken, because the library
// keeps each.
const mostVariables = 2

// namesColours reports whether an environment variable says which colours the terminal has.
func namesColours(payload []byte) bool {
	var v struct{ Name, Value string }
	return gossh.Unmarshal(payload, &v) == nil && (v.Name == "COLORTERM" || v.Name == "NO_COLOR") &&
		plainWord.MatchString(v.Value)
}
