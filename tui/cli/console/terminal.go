package console

import (
	"cmp"
	"os"
	"slices"
	"strings"

	"drolab/tui/cell"
	"drolab/tui/kit"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/term"
)

// terminalSize returns the size of the terminal w in cells; ok is false if w is not a terminal.
func terminalSize(w any) (width, height int, ok bool) {
	f, isFile := w.(*os.File)
	if !isFile || !term.IsTerminal(f.Fd()) {
		return 0, 0, false
	}
	width, height, err := term.GetSize(f.Fd())
	return width, height, err == nil
}

// OnTerminal reports whether the interface can be shown: input and output are terminals.
func (c *Console) OnTerminal() bool {
	_, _, in := terminalSize(c.Stdin)
	_, _, out := c.Size()
	return in && out
}

// SetDrawing sets whether the interface has the terminal now. Note prints nothing while it has.
func (c *Console) SetDrawing(drawing bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drawing = drawing
}

// Size returns the size in cells of the terminal that Stdout is connected to.
func (c *Console) Size() (width, height int, ok bool) { return terminalSize(c.Env.Stdout) }

// SizeErr returns the size in cells of the terminal that Stderr is connected to, here or on the
// machine that has forwarded the command.
func (c *Console) SizeErr() (width, height int, ok bool) {
	width, height, ok = terminalSize(c.Env.Stderr)
	if far := c.Forwarded; !ok && far.Rows > 0 {
		return far.Columns.Stderr, far.Rows, true
	}
	return width, height, ok
}

// Theme returns the theme of text on out, which is Stdout or Stderr: at most sixteen colours, the
// terminal's own, which suit its background, and none if out is not a terminal. The output of a
// command stays on the screen, and the command does not ask for the background.
func (c *Console) Theme(out *cell.Writer) *kit.Theme {
	if c.columns(out) == 0 {
		return kit.BareTheme(c.ASCII)
	}
	profile := colorprofile.NoTTY
	noColor := func(v string) bool { return strings.HasPrefix(v, "NO_COLOR=") && v != "NO_COLOR=" }
	if !slices.ContainsFunc(c.Environ, noColor) {
		profile = min(colorprofile.Env(c.Environ), colorprofile.ANSI)
	}
	return kit.NewTheme(profile, true, c.ASCII)
}

// columns returns the width of the terminal that shows out, which is Stdout or Stderr, here or on
// the machine that has forwarded the command; 0 is none.
func (c *Console) columns(out *cell.Writer) int {
	size, far := c.Size, c.Forwarded.Columns.Stdout
	if out == c.Stderr {
		size, far = c.SizeErr, c.Forwarded.Columns.Stderr
	}
	width, _, _ := size()
	return cmp.Or(width, far)
}

// Width returns the width of Stdout in columns: the terminal's, or 80 if there is no terminal.
func (c *Console) Width() int { return cmp.Or(c.columns(c.Stdout), 80) }
