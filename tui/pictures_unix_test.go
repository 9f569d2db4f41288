//go:build unix

package tui

import (
	"fmt"
	"strings"
	"testing"

	"drolab/tui/lab"
	"drolab/tui/pixels"

	tea "charm.land/bubbletea/v2"
	"github.com/creack/pty"
)

// What other terminals answer to the question about pictures.
const (
	haveITerm2 = "\x1bP>|iTerm2 3.5.0\x1b\\\x1b[?62;4c"
	haveSixels = "\x1b[6;20;10t\x1b[?62;4;22c"
	haveNone   = "\x1b[?62;22c"
)

// TestPicturesOf: on made terminals, Pictures says in what form pictures are drawn, and why. A
// terminal that is not to be asked is sent nothing.
func TestPicturesOf(t *testing.T) {
	for _, c := range []struct{ environ, answer, want string }{
		{"", haveKitty, "kitty (the terminal was asked, and has it)"},
		{"", haveITerm2, "iTerm2 (the terminal was asked, and has it)"},
		{"", haveSixels, "sixel (the terminal was asked, and has it)"},
		{"", haveNone, "half blocks (the terminal was asked, and has none of the protocols)"},
		{"", "\x1b[?62;4c", "half blocks (the terminal has sixels, but does not tell the size of " +
			"its cells)"},
		{"COLORTERM=", haveKitty, "half blocks (fewer than 256 colours)"},
		{"SSH_TTY=/dev/pts/1", "", "half blocks (over SSH)"},
		{"DROLAB_PIXELS=0", "", "half blocks (DROLAB_PIXELS=0)"},
		{"NO_COLOR=1", "", "shades (NO_COLOR)"},
		{"DROLAB_ASCII=1", "", "shades (plain ASCII)"},
	} {
		end, tty, err := pty.Open()
		if err != nil {
			t.Skipf("no pseudo-terminals here: %v", err)
		}
		asked := make(chan string)
		go func() {
			var text strings.Builder
			b := make([]byte, 1<<10)
			for {
				n, err := end.Read(b)
				text.Write(b[:n])
				if err != nil {
					break
				}
				if strings.HasSuffix(text.String(), "\x1b[c") {
					end.WriteString(c.answer)
				}
			}
			asked <- text.String()
		}()
		got := Pictures([]string{"TERM=xterm", "COLORTERM=truecolor", "LANG=C.UTF-8", c.environ},
			tty, tty)
		if got != c.want {
			t.Errorf("%q, and the answer %q: %s, want %s", c.environ, c.answer, got, c.want)
		}
		tty.Close()
		if text := <-asked; (text != "") != (c.answer != "") {
			t.Errorf("%q: the terminal was sent %q", c.environ, text)
		}
		end.Close()
	}
	e := environmentOf([]string{"TERM=xterm", "COLORTERM=truecolor", "LANG=C.UTF-8"})
	for want, s := range map[string]*pixels.Screen{
		"half blocks (in drolab share)":                             nil,
		"half blocks (the terminal was asked and has not answered)": {},
	} {
		if got := e.pictures(s); got != want {
			t.Errorf("it is %s, want %s", got, want)
		}
	}
}

// TestPicturesAreLogged: the report of a bug says how pictures are drawn, before the terminal has
// answered and afterwards.
func TestPicturesAreLogged(t *testing.T) {
	var lines []string
	m := modelOf(lab.Config{RunsDir: t.TempDir(), Environ: []string{"TERM=xterm-256color",
		"LANG=C.UTF-8"}, Reports: lab.Reports{Debug: func(format string, args ...any) {
		lines = append(lines, fmt.Sprintf(format, args...))
	}}})
	m.pixels = &pixels.Screen{}
	m.askForPixels()
	terminal := &Terminal{send: func(msg tea.Msg) { m.Update(msg) }}
	terminal.receive(haveKitty)
	got := strings.Join(lines, "\n")
	for _, want := range []string{
		"pictures: half blocks (the terminal was asked and has not answered)",
		"pictures: kitty (the terminal was asked, and has it)"} {
		if !strings.Contains(got, want) {
			t.Errorf("the log has no %q:\n%s", want, got)
		}
	}
}
