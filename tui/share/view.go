package share

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"time"

	"drolab/runner"
	"drolab/tui"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/ssh"
	gossh "golang.org/x/crypto/ssh"
)

// Why a view ends, but for the viewer's asking.
var (
	errOver  = errors.New("drolab share has ended here")
	errGone  = errors.New("the connection is gone")
	errStuck = fmt.Errorf("it read no output for %s", patience)
	errBabel = fmt.Errorf("it sent %d bytes that are not keys", mostWords)
)

// view is one viewer's.
type view struct {
	ssh.Session
	s    *server
	link *link
	in   *sifted
	end  context.CancelCauseFunc
	term string
}

// show is a session, from its begin to its end.
func (s *server) show(sess ssh.Session) {
	l := sess.Context().Value(linkKey{}).(*link)
	l.begun()
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
	select {
	case s.places <- struct{}{}:
		defer func() { <-s.places }()
	default:
		v.refuse(fmt.Sprintf("all %d places are taken: try again when somebody has left",
			s.Viewers))
		return
	}
	v.run(ctx, pty)
}

// refuse says why there is no screen.
func (v *view) refuse(why string) {
	v.s.log.Printf("%s: refused: %s", v.name(), why)
	fmt.Fprintf(v.guard(v.Stderr()), "drolab: %s\n", why)
	v.Exit(1)
}

// name says who it is: the key, what its file calls it, and where the client is.
func (v *view) name() string {
	key := gossh.FingerprintSHA256(v.PublicKey())
	name, _ := v.Context().Value(nameKey(key)).(string)
	return fmt.Sprintf("%s %s from %s", key, name, v.RemoteAddr())
}

// run is the interface on the viewer's terminal, until it is left or ctx ends.
func (v *view) run(ctx context.Context, pty ssh.Pty) {
	const columns, rows = 80, 24 // where the client does not say
	v.in.size.CompareAndSwap(nil, &tea.WindowSizeMsg{
		Width:  bounded(uint32(pty.Window.Width), mostColumns, columns),
		Height: bounded(uint32(pty.Window.Height), mostRows, rows)})
	size := *v.in.size.Load()
	out := v.guard(v.screen())
	cfg := v.s.Lab
	// All that is known of the client's environment. SSH_TTY says that it is far away.
	cfg.Environ, cfg.Stdout = append(v.Environ(), "TERM="+v.term, "SSH_TTY=remote"), out
	p := tui.Program(cfg, size.Width, size.Height, tea.WithFilter(v.in.newest))
	defer context.AfterFunc(ctx, p.Quit)()
	go func() { v.end(v.alone(func() error { return v.forward(ctx, p) })) }()
	v.s.log.Printf("%s: looks, %dx%d, %s, %d of %d places", v.name(), size.Width, size.Height,
		v.term, len(v.s.places), v.s.Viewers)
	came := time.Now()
	m, err := p.Run()
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

// alone keeps a panic in a goroutine of one viewer from the others.
func (v *view) alone(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = runner.Panicked(v.s.Lab.RunsDir, p)
		}
	}()
	return do()
}

// screen is what is drawn on. Bubble Tea counts on a line's end going to its begin, too,
// where it has no terminal's file, but not on Windows.
func (v *view) screen() io.Writer {
	if runtime.GOOS == "windows" {
		return v.in.channel
	}
	return v.Session
}

// guard writes to a client, which has to take it.
func (v *view) guard(w io.Writer) io.Writer { return &guard{w, v} }

// guard cuts off a client that takes nothing for a while. Bubble Tea waits for its output,
// and the client need not ever read.
type guard struct {
	io.Writer
	v *view
}

// pieceSize is small enough for a slow connection to take it in time.
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
