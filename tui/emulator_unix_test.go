//go:build unix

package tui

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"drolab/dro/testsize"
	"drolab/tui/internal/tuitest"

	"github.com/charmbracelet/x/ansi"
	"github.com/creack/pty"
	"github.com/hinshun/vt10x"
)

// emulator is a pseudo-terminal with an emulator of terminals at its other end, which shares no
// code with Bubble Tea.
type emulator struct {
	end, tty *os.File
	drawn    chan struct{} // holds a value after every change

	mu      sync.Mutex // guards the fields below
	vt      vt10x.Terminal
	rest    []byte // the beginning of an incomplete sequence
	unknown []string
}

func newEmulator(t *testing.T, w, h int) *emulator {
	t.Helper()
	end, tty, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo-terminals here: %v", err)
	}
	g := &emulator{end: pollable(t, end), tty: tty, drawn: make(chan struct{}, 1),
		vt: vt10x.New(vt10x.WithSize(w, h))}
	if err := pty.Setsize(tty, &pty.Winsize{Cols: uint16(w), Rows: uint16(h)}); err != nil {
		t.Fatal(err)
	}
	return g
}

// listen draws the bytes that are written, until the terminal is closed.
func (g *emulator) listen() {
	b := make([]byte, 1<<12)
	for {
		n, err := g.end.Read(b)
		g.draw(b[:n])
		select {
		case g.drawn <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// invisible matches sequences whose private parameters the emulator ignores, so that it mistakes
// them for other sequences. None of them changes the screen: queries of modes, the reporting of
// keys (kitty's protocol, modifyOtherKeys), the question for the size of cells, and tab stops at
// every eighth column, where the emulator has them anyway.
var invisible = regexp.MustCompile(`^\x1b\[([<=>][0-9;]*[a-z]|\?[0-9;]*(\$p|u)|\?5W|16t)$`)

// known matches the sequences with parameters that the emulator implements (csi.go), except insert
// mode, which it lacks.
var known = regexp.MustCompile(`^\x1b\[(\?[0-9;]*[hl]|[0-9;]*[@A-HJ-MPSTXZ` + "`" +
	`acdefgmnrsu])$`)

func (g *emulator) draw(b []byte) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.rest = append(g.rest, b...)
	for len(g.rest) > 0 {
		seq, _, n, state := ansi.DecodeSequence(g.rest[:complete(g.rest)], ansi.NormalState, nil)
		if state != ansi.NormalState || n == 0 {
			return
		}
		switch {
		case string(seq) == question:
			g.end.WriteString(answer)
		case !invisible.Match(seq):
			if bytes.HasPrefix(seq, []byte("\x1b[")) && !known.Match(seq) {
				g.unknown = append(g.unknown, string(seq))
			}
			g.vt.Write(seq)
		}
		g.rest = g.rest[n:]
	}
}

// complete returns the length of b without an incomplete character at its end.
func complete(b []byte) int {
	for i := len(b) - 1; i >= max(0, len(b)-utf8.UTFMax); i-- {
		if utf8.RuneStart(b[i]) && !utf8.FullRune(b[i:]) {
			return i
		}
	}
	return len(b)
}

// text returns the text on the screen, one line for each row.
func (g *emulator) text() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	var b strings.Builder
	for _, line := range strings.SplitAfter(g.vt.String(), "\n") {
		if rest, ok := strings.CutSuffix(line, "\n"); ok {
			b.WriteString(strings.TrimRight(rest, " ") + "\n")
		}
	}
	return b.String()
}

// await waits until the terminal shows the screen want.
func (g *emulator) await(t *testing.T, what, want string) {
	t.Helper()
	late := time.NewTimer(time.Minute)
	defer late.Stop()
	for {
		got := g.text()
		if got == want {
			return
		}
		select {
		case <-g.drawn:
		case <-late.C:
			t.Fatalf("%s: the terminal shows\n%s\nwant\n%s", what, got, want)
		}
	}
}

// resize changes the size of the terminal, as a window manager does.
func (g *emulator) resize(t *testing.T, w, h int) {
	t.Helper()
	g.mu.Lock()
	g.vt.Resize(w, h)
	g.tabs(w)
	g.mu.Unlock()
	if err := pty.Setsize(g.tty, &pty.Winsize{Cols: uint16(w), Rows: uint16(h)}); err != nil {
		t.Fatal(err)
	}
	// Nobody else reports the new size, because the terminal is not the controlling terminal of
	// this process.
	if err := syscall.Kill(os.Getpid(), syscall.SIGWINCH); err != nil {
		t.Fatal(err)
	}
}

// tabs sets tab stops at every eighth of w columns. The emulator loses the stops that a larger size
// adds (its resize sets them in the slice that it drops).
func (g *emulator) tabs(w int) {
	at := g.vt.Cursor()
	for x := 8; x < w; x += 8 {
		fmt.Fprintf(g.vt, "\x1b[%dG\x1bH", x+1)
	}
	fmt.Fprintf(g.vt, "\x1b[%dG", at.X+1)
}

// onEmulator runs the interface in the state of r, with Bubble Tea, on a terminal. It calls use
// with the terminal while the program runs.
func onEmulator(t *testing.T, r *driver, use func(*emulator)) {
	t.Helper()
	g := newEmulator(t, r.w, r.h)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cfg := r.Config
	cfg.Stdin, cfg.Stdout = g.tty, g.tty
	var program, listener sync.WaitGroup
	program.Go(func() {
		if err := run(ctx, cfg, r.Model); err != nil {
			t.Errorf("the program: %v", err)
		}
	})
	listener.Go(g.listen)
	defer func() {
		// Bubble Tea waits for its reader when it quits by a key, but not when it is cancelled.
		g.end.WriteString("q")
		program.Wait()
		g.tty.Close()
		listener.Wait()
		g.end.Close()
		if len(g.unknown) > 0 {
			t.Errorf("sequences that the emulator has not: %q", g.unknown)
		}
	}()
	use(g)
}

// TestTerminalShowsScreens compares what a terminal shows of each page with the same screen, drawn
// without a terminal. It compares the first screen, then other sizes, then other pages, for which
// only differences are sent.
func TestTerminalShowsScreens(t *testing.T) {
	testsize.NotShort(t, "an emulator draws each page: TestGoldens has the same screens")
	pages := []struct {
		name   string
		driver func(w, h int) *driver
		keys   string // pressed in turn
	}{
		{"watch", func(w, h int) *driver { return watching(t, w, h) }, "?\x1bzz12"},
		{"launch", func(w, h int) *driver { return browsing(t, tuitest.NewArchive(t), "1", w, h) },
			"3?\x1b421"},
		{"runs", func(w, h int) *driver { return browsing(t, tuitest.NewArchive(t), "3", w, h) },
			"1423"},
		{"compare", func(w, h int) *driver { return browsing(t, tuitest.NewArchive(t), "4", w, h) },
			"1234"},
	}
	for _, p := range pages {
		t.Run(p.name, func(t *testing.T) {
			r, twin := p.driver(80, 24), p.driver(80, 24)
			onEmulator(t, r, func(g *emulator) {
				g.await(t, "first", tuitest.Text(twin.shot(t)))
				for _, size := range [][2]int{{120, 40}, {80, 24}} {
					g.resize(t, size[0], size[1])
					twin.size(size[0], size[1])
					g.await(t, fmt.Sprint(size), tuitest.Text(twin.shot(t)))
				}
				for _, key := range p.keys {
					g.end.WriteString(string(key))
					twin.Press(keyNamed(key))
					g.await(t, "after "+keyNamed(key), tuitest.Text(twin.shot(t)))
				}
			})
		})
	}
}

// TestLargeTerminal: on a terminal that is larger than the bound, the interface is drawn up to the
// bound, and the rest stays blank, whatever is drawn later.
func TestLargeTerminal(t *testing.T) {
	testsize.OnlyLong(t, "the emulator takes minutes for so many cells")
	const w, h, keys = mostColumns + 30, mostRows + 20, "42?"
	onRuns := func() *driver {
		return browsing(t, tuitest.NewArchive(t), "3", mostColumns, mostRows)
	}
	r, twin := onRuns(), onRuns()
	want := func() string { return tuitest.Text(twin.shot(t)) + strings.Repeat("\n", h-mostRows) }
	r.w, r.h = w, h // the size of the terminal
	onEmulator(t, r, func(g *emulator) {
		g.await(t, "first", want())
		for _, key := range keys {
			g.end.WriteString(string(key))
			twin.Press(keyNamed(key))
			g.await(t, "after "+keyNamed(key), want())
		}
	})
}

func keyNamed(key rune) string {
	if key == '\x1b' {
		return "esc"
	}
	return string(key)
}
