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

// forward sends what is typed, and new sizes, to the program, until the connection ends,
// and returns why: the reader of keys, which waits for somebody to take them, ends then
// only.
func (v *view) forward(ctx context.Context, p *tea.Program) error {
	events, over := make(chan uv.Event), make(chan error, 1)
	in := &words{Reader: v.Session}
	read := func() error { return uv.NewTerminalReader(in, v.term).StreamEvents(ctx, events) }
	go func() { over <- v.alone(read) }()
	idle := v.idle()
	defer func() { idle() }()
	for {
		select {
		case e := <-events:
			in.unknown.Store(0)
			idle()
			idle = v.idle()
			p.Send(e)
		case <-v.in.resized:
			p.Send(*v.in.size.Load())
		case err := <-over:
			var broken *runner.PanicError
			if !errors.Is(err, errBabel) && !errors.As(err, &broken) {
				err = errGone
			}
			return err
		}
	}
}

// idle ends the view when no key is pressed for long, unless it is stopped before.
func (v *view) idle() (stop func()) {
	if v.s.Idle == 0 {
		return func() {}
	}
	return v.s.after(v.s.Idle, func() { v.end(fmt.Errorf("no key was pressed for %s", v.s.Idle)) })
}

// mostWords is how much may be typed that makes no event, as in a paste without an end,
// which is kept in memory until it ends.
const mostWords = 64 << 10

// words is what is typed.
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
