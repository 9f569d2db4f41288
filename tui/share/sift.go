package share

import (
	"regexp"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/ssh"
	gossh "golang.org/x/crypto/ssh"
)

// sifted is a session of which only what a screen needs reaches the library, which would
// also run commands and say yes to forwarding an agent.
type sifted struct {
	gossh.NewChannel
	channel gossh.Channel
	size    atomic.Pointer[tea.WindowSizeMsg] // the newest
	resized chan struct{}                     // has an element when there is another
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

// sift lets through a terminal, a shell, which is the screen, and the colours of the
// environment. Sizes are taken here: the library's queue of them would hold up the rest.
func (s *sifted) sift(in <-chan *gossh.Request, out chan<- *gossh.Request) {
	defer close(out)
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

// resize keeps another size; one that says nothing changes nothing.
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

// newest makes every size that the program hears of the newest that the client has told.
// Bubble Tea sends the first one on the side, so that it may come after the second; and a
// size can be typed, too, as an answer of a terminal that was not asked.
func (s *sifted) newest(_ tea.Model, msg tea.Msg) tea.Msg {
	if _, ok := msg.(tea.WindowSizeMsg); ok {
		return *s.size.Load()
	}
	return msg
}

// A screen has at most so many cells across and down: more than a large monitor has. Each
// is memory, and the client says how many there are.
const (
	mostColumns = 512
	mostRows    = 160
)

// bounded is n cells, or so many where the client does not know (RFC 4254, 6.2: 0).
func bounded(n uint32, most, unknown int) int {
	if n == 0 {
		return unknown
	}
	return int(min(n, uint32(most)))
}

// mostVariables is how many variables are taken; the library keeps each.
const mostVariables = 2

// ofColours tells whether a variable says which colours the terminal has.
func ofColours(payload []byte) bool {
	var v struct{ Name, Value string }
	return gossh.Unmarshal(payload, &v) == nil && (v.Name == "COLORTERM" || v.Name == "NO_COLOR") &&
		plainWord.MatchString(v.Value)
}

// plainWord is what names of terminals are like. Some libraries make paths of them.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.+_-]{0,63}$`)

// terminalOf is the name of the client's kind of terminal.
func terminalOf(p ssh.Pty) string {
	if !plainWord.MatchString(p.Term) {
		return "xterm"
	}
	return p.Term
}
