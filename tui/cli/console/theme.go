package console

import (
	"slices"
	"strings"

	"drolab/runner/page"
	"drolab/tui/kit"

	"github.com/charmbracelet/colorprofile"
)

// Theme returns the theme of text on Stdout, without colours if Stdout is not a terminal.
func (c *Console) Theme() *kit.Theme {
	_, _, terminal := c.Size()
	return c.themeOf(terminal)
}

// ThemeErr returns the theme of text on Stderr, without colours if Stderr is not a terminal.
func (c *Console) ThemeErr() *kit.Theme {
	_, _, terminal := c.SizeErr()
	return c.themeOf(terminal)
}

// themeOf returns a theme of at most sixteen colours: the terminal's own, which suit its
// background. The output of a command stays on the screen, and the command does not ask for the
// background.
func (c *Console) themeOf(terminal bool) *kit.Theme {
	profile := colorprofile.NoTTY
	noColor := func(v string) bool { return strings.HasPrefix(v, "NO_COLOR=") && v != "NO_COLOR=" }
	if terminal && !slices.ContainsFunc(c.Environ, noColor) {
		profile = min(colorprofile.Env(c.Environ), colorprofile.ANSI)
	}
	t := kit.NewTheme(profile, true, c.ASCII)
	if !terminal {
		t.Bare()
	}
	return t
}

// Width returns the width of Stdout in columns: the terminal's, or other if there is no terminal.
func (c *Console) Width(other int) int {
	if columns, _, ok := c.Size(); ok && columns > 0 {
		return columns
	}
	return other
}

// Blocks prints blocks at the width of Stdout.
func (c *Console) Blocks(blocks ...page.Block) {
	for _, b := range blocks {
		(&PageWriter{Writer: c.Stdout, Width: c.Width(80), ASCII: c.ASCII}).block(b)
	}
}
