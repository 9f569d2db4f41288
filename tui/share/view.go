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
	errStuck = fmt.Errorf("it read no output for %s", writeTimeout)
)

// view is the session of one viewer.
type view struct {
	ssh.Session
	s          *server
	connection *connection
	in         *screenChannel
	end        context.CancelCauseFunc
	term       string
}

// show serves a session from its beginning to its end.
func (s *server) show(sess ssh.Session) {
	c := sess.Context().Value(connectionKey{}).(*connection)
	in := sess.Context().Value(channelKey{}).(*screenChannel)
	c.stopDeadline()
	defer func() { s.after(closeTimeout, c.cut) }()
	ctx, end := context.WithCancelCause(s.ctx)
	defer end(nil)
	defer context.AfterFunc(sess.Context(), func() { end(errGone) })()
	pty, _, ok := sess.Pty()
	v := &view{sess, s, c, in, end, terminalOf(pty)}
	defer func() {
		if p := recover(); p != nil {
			s.log.Printf("%s: the view failed: %v", v.name(), runner.ReportPanic(s.Lab.RunsDir, p))
			c.cut()
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
	fmt.Fprintf(&deadlineWriter{v.Stderr(), v}, "drolab: %s\n", why)
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
		Width:  limitCells(uint32(pty.Window.Width), mostColumns, columns),
		Height: limitCells(uint32(pty.Window.Height), mostRows, rows)})
	size := *v.in.size.Load()
	out := &deadlineWriter{v.screen(), v}
	cfg := v.s.Lab
	cfg.Context = ctx
	// This is all that is known of the client's environment. SSH_TTY says that the terminal is
	// remote.
	cfg.Environ = append(v.Environ(), "TERM="+v.term, "SSH_TTY=remote")
	t := &tui.Terminal{In: v.Session, Out: out, Size: v.in.newestSize}
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

func (v *view) cutOff() {
	v.end(errStuck)
	v.connection.cut()
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
			reason = runner.ReportPanic(v.s.Lab.RunsDir, p)
		}
	}()
	for typed := make([]byte, 1<<12); ; {
		idle := v.startIdleTimer()
		_, err := terminal.Read(typed)
		idle()
		if err != nil {
			return errGone
		}
	}
}

// startIdleTimer ends the view after the time Idle, unless stop is called before.
func (v *view) startIdleTimer() (stop func()) {
	if v.s.Idle == 0 {
		return func() {}
	}
	return v.s.after(v.s.Idle, func() { v.end(fmt.Errorf("no key was pressed for %s", v.s.Idle)) })
}
