//go:build unix

package tui

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"drolab/dro/testsize"
	"drolab/runner"
	"drolab/tui/internal/tuitest"
	"drolab/tui/lab"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"
)

// onTerminal runs the interface on a terminal of its own and calls use with the other end of that
// terminal once the first frame is there. It returns all output and the error of Run.
func onTerminal(t *testing.T, use func(ctx context.Context, cancel context.CancelFunc,
	end *userTerminal)) (out string, err error) {
	t.Helper()
	return onTerminalWith(t, &tuitest.Asked{}, use)
}

func onTerminalWith(t *testing.T, verbs runner.Verbs,
	use func(context.Context, context.CancelFunc, *userTerminal)) (out string, err error) {
	t.Helper()
	end, tty, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo-terminals here: %v", err)
	}
	defer tty.Close()
	if err := pty.Setsize(end, &pty.Winsize{Cols: 80, Rows: 24}); err != nil {
		t.Fatal(err)
	}
	end = pollable(t, end)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	result := make(chan error, 1)
	go func() {
		result <- Run(ctx, lab.Config{Verbs: verbs, RunsDir: t.TempDir(), DataDir: t.TempDir(),
			Stdin: tty, Stdout: tty, Environ: []string{"TERM=xterm-256color", "LANG=C.UTF-8"}})
	}()
	w := &userTerminal{File: end, grown: make(chan struct{}, 1), read: make(chan struct{})}
	go w.fill()
	seen := make(chan struct{})
	go func() {
		w.await("quit")
		close(seen)
	}()
	select {
	case <-seen:
		use(ctx, cancel, w)
	case err := <-result:
		t.Fatalf("ended before the first frame: %v", err)
	}
	err = <-result
	tty.Close() // this was our last handle of it: reading ends after what was written
	<-w.read
	end.Close()
	return w.text(), err
}

// userTerminal is the user's end of a terminal, with all output that was written to it.
type userTerminal struct {
	*os.File
	mu      sync.Mutex
	written bytes.Buffer
	grown   chan struct{} // has a value after new output
	read    chan struct{} // closed at the end of the output
}

// The question for the background's colour, and the answer of a terminal to it and to the question
// for pictures. The program waits for the answers before it leaves.
const (
	question = ansi.RequestBackgroundColor
	answer   = "\x1b]11;rgb:0000/0000/0000\x1b\\\x1b[?62;22c"
)

// fill keeps the output, and answers its question.
func (w *userTerminal) fill() {
	defer close(w.read)
	b, asked := make([]byte, 1<<12), false
	for {
		n, err := w.Read(b)
		w.mu.Lock()
		w.written.Write(b[:n])
		w.mu.Unlock()
		if !asked && strings.Contains(w.text(), question) {
			asked = true
			w.WriteString(answer)
		}
		select {
		case w.grown <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

func (w *userTerminal) text() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.written.String()
}

// await waits until a text was written. Only one goroutine may wait at a time.
func (w *userTerminal) await(text string) {
	for !strings.Contains(w.text(), text) {
		select {
		case <-w.grown:
		case <-w.read:
			return
		}
	}
}

// pollable returns f reopened so that Close ends a Read in progress. The call that set the size has
// put f into blocking mode.
func pollable(t *testing.T, f *os.File) *os.File {
	t.Helper()
	fd, err := syscall.Dup(int(f.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if err := syscall.SetNonblock(fd, true); err != nil {
		t.Fatal(err)
	}
	return os.NewFile(uintptr(fd), "pty")
}

// restored fails if a mode that only an interface needs is left on.
func restored(t *testing.T, out string) {
	t.Helper()
	// alternate screen, cursor, focus, paste
	for _, mode := range []string{"1049", "25", "1004", "2004"} {
		on, off := strings.LastIndex(out, "\x1b[?"+mode+"h"),
			strings.LastIndex(out, "\x1b[?"+mode+"l")
		if mode == "25" {
			on, off = off, on // the cursor is hidden, then shown
		}
		if off < on {
			t.Errorf("mode %s is left on", mode)
		}
	}
}

func TestQuit(t *testing.T) {
	out, err := onTerminal(t, func(_ context.Context, _ context.CancelFunc, end *userTerminal) {
		end.WriteString("q")
	})
	if err != nil {
		t.Errorf("quitting: %v", err)
	}
	restored(t, out)
	if !strings.Contains(out, "\x1b[?2026h") {
		t.Error("the output is not synchronized")
	}
}

// TestTerminated: the interface ends without an error on SIGTERM, which main turns into a cancelled
// context.
func TestTerminated(t *testing.T) {
	out, err := onTerminal(t, func(_ context.Context, cancel context.CancelFunc, _ *userTerminal) {
		cancel()
	})
	if err != nil {
		t.Errorf("terminated: %v", err)
	}
	restored(t, out)
}

// TestHangup: the interface ends with ErrHangup when its terminal is closed.
func TestHangup(t *testing.T) {
	_, err := onTerminal(t, func(_ context.Context, _ context.CancelFunc, end *userTerminal) {
		end.Close()
	})
	if !errors.Is(err, ErrHangup) {
		t.Errorf("got %v, want ErrHangup", err)
	}
}

// TestHangupWhileStuck: the interface ends when its terminal is gone, even if the terminal takes no
// more output and new sizes come without pause.
func TestHangupWhileStuck(t *testing.T) {
	end, tty, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo-terminals here: %v", err)
	}
	defer tty.Close()
	defer end.Close()
	size := func(i int) {
		pty.Setsize(end, &pty.Winsize{Cols: uint16(700 - i), Rows: uint16(100 + i)})
		syscall.Kill(os.Getpid(), syscall.SIGWINCH)
	}
	size(0)
	ctx, gone := context.WithCancelCause(t.Context())
	result := make(chan error, 1)
	go func() {
		result <- Run(ctx, lab.Config{Verbs: &tuitest.Asked{}, RunsDir: t.TempDir(), Stdin: tty,
			Stdout: tty, Environ: []string{"TERM=xterm-256color", "LANG=C.UTF-8"}})
	}()
	end.Read(make([]byte, 1)) // it draws; nobody reads the rest
	for i := range testsize.Pick(10, 509, 509) {
		size(i)
	}
	gone(ErrHangup)
	if err := <-result; err != ErrHangup {
		t.Errorf("got %v, want ErrHangup", err)
	}
}

// TestDiscard: what was sent while the interface ended does not reach the shell.
func TestDiscard(t *testing.T) {
	end, tty, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo-terminals here: %v", err)
	}
	defer tty.Close()
	defer end.Close()
	was, err := term.MakeRaw(tty.Fd())
	if err != nil {
		t.Fatal(err)
	}
	end.WriteString("\x1b[<35;12;5Mrm x\n") // in the queue of the terminal when it returns
	term.Restore(tty.Fd(), was)
	discard(tty)
	end.WriteString("ls\n")
	line := make([]byte, 100)
	if n, err := tty.Read(line); string(line[:n]) != "ls\n" {
		t.Errorf("the shell reads %q, %v", line[:n], err)
	}
}

// TestUnfit: without a screen the interface does not begin, and says what to do.
func TestUnfit(t *testing.T) {
	for _, environ := range [][]string{nil, {"TERM="}, {"TERM=dumb"}} {
		err := Run(t.Context(), lab.Config{Environ: environ})
		if err == nil || !strings.Contains(err.Error(), "set TERM") {
			t.Errorf("with %v Run() = %v, want an error with set TERM", environ, err)
		}
	}
}

// panickingVerbs panics when it is asked to start runs.
type panickingVerbs struct{ tuitest.Asked }

func (*panickingVerbs) Start(runner.Request) ([]string, error) {
	panic("a test of a panic")
}

// TestPanic: a panic while the interface has the terminal is reported in a file, and its stack is
// not on the screen.
func TestPanic(t *testing.T) {
	out, err := onTerminalWith(t, &panickingVerbs{}, func(_ context.Context, _ context.CancelFunc,
		end *userTerminal) {
		end.WriteString("\r")
		end.await("core") // a word of the review
		end.WriteString("\r")
	})
	var broken *runner.PanicError
	if !errors.As(err, &broken) || broken.Value != "a test of a panic" {
		t.Fatalf("got %v, want a panic reported", err)
	}
	text, err := os.ReadFile(broken.Report)
	if err != nil {
		t.Fatalf("the report: %v", err)
	}
	if !bytes.Contains(text, []byte("(*panickingVerbs).Start")) {
		t.Errorf("the report lacks (*panickingVerbs).Start:\n%s", text)
	}
	if strings.Contains(out, "goroutine") || strings.Contains(out, "panic") {
		t.Errorf("the stack is on the screen: %q", out)
	}
	restored(t, out)
}
