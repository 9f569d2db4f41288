package console

import (
	"slices"
	"strings"

	"drolab/runner/page"
	"drolab/tui/kit"

	"github.com/charmbracelet/colorprofile"
)

// Theme is how what is printed on Stdout looks: without colours where that is no terminal.
func (c *Console) Theme() *kit.Theme {
	_, _, terminal := c.Size()
	return c.themeOf(terminal)
}

// ThemeErr is that of Stderr.
func (c *Console) ThemeErr() *kit.Theme {
	_, _, terminal := c.SizeErr()
	return c.themeOf(terminal)
}

// themeOf has the sixteen colours at most: the terminal's own, which suit its background. What a
// command prints stays there, and it does not ask what lies behind.
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

// Width is that of what is printed: the terminal's, or so many columns where there is none.
func (c *Console) Width(other int) int {
	if columns, _, ok := c.Size(); ok && columns > 0 {
		return columns
	}
	return other
}

// Wrapped prints a paragraph in lines of the width.
func (c *Console) Wrapped(text string) {
	(&PageWriter{Writer: c.Stdout, Width: c.Width(80), ASCII: c.ASCII}).wrapped(text, "", "")
}

// Blocks prints blocks in lines of the width.
func (c *Console) Blocks(blocks ...page.Block) {
	for _, b := range blocks {
		(&PageWriter{Writer: c.Stdout, Width: c.Width(80), ASCII: c.ASCII}).block(b)
	}
}
