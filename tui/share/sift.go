package share

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"sync/atomic"

	"drolab/runner"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/ssh"
	uv "github.com/charmbracelet/ultraviolet"
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

// forward sends typed keys and new sizes to the program until the connection ends, and returns the
// reason. It lasts that long because the reader of keys, which waits for somebody to take them,
// ends only then.
func (v *view) forward(ctx context.Context, in io.Reader, p *tea.Program) error {
	events, over := make(chan uv.Event), make(chan error, 1)
	read := func() error { return uv.NewTerminalReader(in, v.term).StreamEvents(ctx, events) }
	go func() { over <- v.alone(read) }()
	idle := v.idle()
	defer func() { idle() }()
	for {
		select {
		case e := <-events:
			v.typed.unknown.Store(0)
			idle()
			idle = v.idle()
			p.Send(e)
		case <-v.in.resized:
			p.Send(tea.WindowSizeMsg{}) // which becomes the newest
		case err := <-over:
			var broken *runner.PanicError
			if !errors.Is(err, errBabel) && !errors.As(err, &broken) {
				err = errGone
			}
			return err
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

// mostWords is the greatest number of typed bytes that make no event. A paste without an end is
// such input, and is kept in memory until it ends.
const mostWords = 64 << 10

// words reads what is typed, and counts the bytes that make no event.
type words struct {
	io.Reader
	unknown atomic.Int64 // bytes since the last event
}

func (w *words) Read(p []byte) (int, error) {
	if w.unknown.Load() > mostWords {
		return 0, errBabel
	}
	n, err := w.Reader.Read(p)
	w.unknown.Add(int64(n))
	return n, err
}
