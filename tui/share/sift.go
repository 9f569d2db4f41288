package share

import (
	"fmt"
	"io"
	"regexp"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/ssh"
	gossh "golang.org/x/crypto/ssh"
)

// sifted is a session that passes on to the library only what a screen needs. The library alone
// would also run commands, and agree to forward an agent.
type sifted struct {
	gossh.NewChannel
	channel gossh.Channel
	size    atomic.Pointer[tea.WindowSizeMsg] // the newest size of the terminal
	resized chan struct{}                     // has an element when there is a new size
}

// Accept implements gossh.NewChannel.
func (s *sifted) Accept() (gossh.Channel, <-chan *gossh.Request, error) {
	ch, in, err := s.NewChannel.Accept()
	if err != nil {
		return nil, nil, err
	}
	s.channel = ch
	out := make(chan *gossh.Request)
	go s.sift(in, out)
	return ch, out, nil
}

// sift passes on requests for a terminal, for a shell, which is the screen, and for the colours of
// the environment. It handles new sizes itself, because the library's queue of them would hold up
// the other requests.
func (s *sifted) sift(in <-chan *gossh.Request, out chan<- *gossh.Request) {
	defer close(out)
	defer close(s.resized)
	variables := 0
	for r := range in {
		switch {
		case r.Type == "pty-req", r.Type == "shell":
			out <- r
		case r.Type == "env" && variables < mostVariables && ofColours(r.Payload):
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
func (s *sifted) resize(payload []byte) bool {
	var size struct{ Columns, Rows, Width, Height uint32 }
	if gossh.Unmarshal(payload, &size) != nil || size.Columns == 0 || size.Rows == 0 {
		return false
	}
	s.size.Store(&tea.WindowSizeMsg{Width: bounded(size.Columns, mostColumns, 0),
		Height: bounded(size.Rows, mostRows, 0)})
	select {
	case s.resized <- struct{}{}:
	default:
	}
	return true
}

// newest returns the newest size that the client has told.
func (s *sifted) newest() tea.WindowSizeMsg { return *s.size.Load() }

// The greatest size of a screen in cells, more than a large monitor has. Each cell takes memory,
// and the client decides how many there are.
const (
	mostColumns = 512
	mostRows    = 160
)

// bounded returns n cells, limited to most, or unknown if the client does not know (RFC 4254, 6.2:
// 0).
func bounded(n uint32, most, unknown int) int {
	if n == 0 {
		return unknown
	}
	return int(min(n, uint32(most)))
}

// mostVariables is the greatest number of environment variables that are taken, because the library
// keeps each.
const mostVariables = 2

// ofColours reports whether an environment variable says which colours the terminal has.
func ofColours(payload []byte) bool {
	var v struct{ Name, Value string }
	return gossh.Unmarshal(payload, &v) == nil && (v.Name == "COLORTERM" || v.Name == "NO_COLOR") &&
		plainWord.MatchString(v.Value)
}

// plainWord matches the usual names of terminals. Other names are refused, because some libraries
// make paths of them.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.+_-]{0,63}$`)

// terminalOf returns the name of the client's kind of terminal; xterm for an unusual name.
func terminalOf(p ssh.Pty) string {
	if !plainWord.MatchString(p.Term) {
		return "xterm"
	}
	return p.Term
}

// listen takes what is typed until the connection ends, and returns the reason.
func (v *view) listen(terminal io.Reader) error {
	for typed := make([]byte, 1<<12); ; {
		idle := v.idle()
		_, err := terminal.Read(typed)
		if idle(); err != nil {
			return errGone
		}
	}
}

// idle ends the view after the time Idle, unless stop is called before.
func (v *view) idle() (stop func()) {
	if v.s.Idle == 0 {
		return func() {}
	}
	return v.s.after(v.s.Idle, func() { v.end(fmt.Errorf("no key was pressed for %s", v.s.Idle)) })
}
