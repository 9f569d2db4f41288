package share

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"drolab/runner"
	"drolab/tui"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/ssh"
	gossh "golang.org/x/crypto/ssh"
)

// The reasons why a view ends, other than that the viewer leaves.
var (
	errOver  = errors.New("drolab share has ended here")
	errGone  = errors.New("the connection is gone")
	errStuck = fmt.Errorf("it read no output for %s", patience)
)

// view is the session of one viewer.
type view struct {
	ssh.Session
	s    *server
	link *link
	in   *sifted
	end  context.CancelCauseFunc
	term string
}

// show serves a session from its beginning to its end.
func (s *server) show(sess ssh.Session) {
	l := sess.Context().Value(linkKey{}).(*link)
	l.stopDeadline()
	defer func() { s.after(farewell, l.cut) }()
	ctx, end := context.WithCancelCause(s.ctx)
	defer end(nil)
	defer context.AfterFunc(sess.Context(), func() { end(errGone) })()
	pty, _, ok := sess.Pty()
	v := &view{sess, s, l, sess.Context().Value(siftedKey{}).(*sifted), end, terminalOf(pty)}
	defer func() {
		if p := recover(); p != nil {
			s.log.Printf("%s: the view failed: %v", v.name(), runner.Panicked(s.Lab.RunsDir, p))
			l.cut()
		}
	}()
	if !ok {
		v.refuse("this is a view, not a shell: it needs a terminal, as in ssh -t")
		return
	}
	if err := tui.CheckTerminal([]string{"TERM=" + v.term}); err != nil {
		v.refuse(err.Error())
		return
	}
	free := sync.OnceFunc(func() { <-s.places })
	select {
	case s.places <- struct{}{}:
		defer free()
	default:
		v.refuse(fmt.Sprintf("all %d places are taken: try again when somebody has left",
			s.Viewers))
		return
	}
	v.run(ctx, pty, free)
}

// refuse tells the client and the log why there is no screen.
func (v *view) refuse(why string) {
	v.s.log.Printf("%s: refused: %s", v.name(), why)
	fmt.Fprintf(&guard{v.Stderr(), v}, "drolab: %s\n", why)
	v.Exit(1)
}

// name describes the viewer: the fingerprint of the key, the name of the key in its file, and the
// address of the client.
func (v *view) name() string {
	key := gossh.FingerprintSHA256(v.PublicKey())
	name, _ := v.Context().Value(nameKey(key)).(string)
	return fmt.Sprintf("%s %s from %s", key, name, v.RemoteAddr())
}

// run runs the interface on the viewer's terminal, until the viewer leaves or ctx ends. It frees
// the viewer's place before it logs the end, so that a reader of the log finds the place free.
func (v *view) run(ctx context.Context, pty ssh.Pty, free func()) {
	const columns, rows = 80, 24 // if the client states no size
	v.in.size.CompareAndSwap(nil, &tea.WindowSizeMsg{
		Width:  bounded(uint32(pty.Window.Width), mostColumns, columns),
		Height: bounded(uint32(pty.Window.Height), mostRows, rows)})
	size := *v.in.size.Load()
	out := &guard{v.screen(), v}
	cfg := v.s.Lab
	// This is all that is known of the client's environment. SSH_TTY says that the terminal is
	// remote.
	cfg.Environ = append(v.Environ(), "TERM="+v.term, "SSH_TTY=remote")
	t := &tui.Terminal{In: v.Session, Out: out, Size: v.in.newest}
	p := tui.Program(cfg, t)
	defer context.AfterFunc(ctx, t.Quit)()
	go func() { v.end(v.listen(t)) }()
	go func() {
		for range v.in.resized {
			p.Send(tea.WindowSizeMsg{}) // which becomes the newest
		}
	}()
	v.s.log.Printf("%s: looks, %dx%d, %s, %d of %d places", v.name(), size.Width, size.Height,
		v.term, len(v.s.places), v.s.Viewers)
	came := time.Now()
	m, err := p.Run()
	free()
	if f, ok := m.(interface{ Failed() error }); ok {
		err = cmp.Or(f.Failed(), err)
	}
	why := context.Cause(ctx)
	switch {
	case err != nil:
		v.s.log.Printf("%s: the view failed: %v", v.name(), err)
	case why == nil:
		v.s.log.Printf("%s: left after %s", v.name(), time.Since(came).Round(time.Second))
	default:
		if errors.Is(why, context.Canceled) {
			why = errOver
		}
		v.s.log.Printf("%s: ended after %s: %v", v.name(), time.Since(came).Round(time.Second), why)
		fmt.Fprintf(out, "%v\n", why)
	}
}

// screen returns the writer that the interface draws on. Where Bubble Tea has no file of a
// terminal, it relies on a line feed also to return to the beginning of the line, but not on
// Windows.
func (v *view) screen() io.Writer {
	if runtime.GOOS == "windows" {
		return v.in.channel
	}
	return v.Session
}

// guard is a writer that cuts off a client that reads nothing for the time patience. Bubble Tea
// waits for its output to be read, and a client may never read.
type guard struct {
	io.Writer
	v *view
}

// pieceSize is the size of a piece in bytes, small enough for a slow connection to take it in time.
const pieceSize = 16 << 10

func (g *guard) Write(p []byte) (n int, err error) {
	for n < len(p) && err == nil {
		var k int
		stop := g.v.s.after(patience, g.v.stuck)
		k, err = g.Writer.Write(p[n:min(n+pieceSize, len(p))])
		stop()
		n += k
	}
	return n, err
}

func (v *view) stuck() {
	v.end(errStuck)
	v.link.cut()
}

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

// namesColours reports whether an environment variable says which colours the terminal has.
func namesColours(payload []byte) bool {
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

// listen reads what is typed until the connection ends, and returns the reason. A panic is one, so
// that it does not end the other viewers.
func (v *view) listen(terminal io.Reader) (reason error) {
	defer func() {
		if p := recover(); p != nil {
			reason = runner.Panicked(v.s.Lab.RunsDir, p)
		}
	}()
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
