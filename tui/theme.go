package tui

import (
	"slices"
	"strings"

	"drolab/tui/plot"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// theme is the palette: every colour and every glyph of the interface.
type theme struct {
	ascii   bool
	color   bool
	spelled *strings.Replacer // see greek

	text, dim, title, accent, key  style
	good, warn, bad                style
	caret                          style // the cell under the cursor of what is typed or ticked
	selected, bar, barText, border style // bar is the header's and a running progress bar's
	series, faint                  [colors]style
	shade, ref, mark               style

	// Glyphs, one cell each.
	on, off, cursor, more string
	changed, given        string // of a setting: by the user, by the preset
	lineGlyphs            [colors]rune
	box, heavyBox         boxGlyphs
	barFull, barEmpty     string
}

// boxGlyphs are the corners and sides of a box.
type boxGlyphs struct{ tl, tr, bl, br, h, v string }

// colors is how many runs are told apart by colour and glyph.
const colors = 8

// style is an escape sequence that starts it; empty for the terminal's own.
type style string

// paint writes s in the style.
func (st style) paint(s string) string {
	if st == "" || s == "" {
		return s
	}
	return string(st) + s + ansi.ResetStyle
}

// ink is one colour for each kind of terminal: 24 bits, the 256 and the 16
// colours. Chosen by hand: nearest colours would make two runs look alike.
type ink struct {
	rgb  uint32
	x256 uint8
	x16  uint8
}

// inks are the colours for one kind of background.
type inks struct {
	dim, accent, good, warn, bad, border, faded ink
	selected                                    ink // background of the selected row
	series                                      [colors]ink
}

// The series are told apart by people with any colour vision (after Okabe and
// Ito, 2008), lighter on dark and darker on light.
func darkInks() inks {
	return inks{
		dim: ink{0x8a93a3, 245, 7}, accent: ink{0x7cc7ff, 117, 14}, border: ink{0x4a5262, 239, 8},
		good: ink{0x3fcf8e, 42, 10}, warn: ink{0xf2c14e, 221, 11}, bad: ink{0xff7b72, 209, 9},
		faded: ink{0x59616f, 241, 8}, selected: ink{0x262d3a, 236, 0},
		series: [colors]ink{{0x56b4e9, 75, 14}, {0xf0a020, 214, 11}, {0xe88bc0, 175, 13}, {0x2fc48d, 42, 10},
			{0xf0e442, 227, 3}, {0xa99bff, 141, 12}, {0xff7f50, 209, 9}, {0xc8ccd4, 252, 7}},
	}
}

func lightInks() inks {
	return inks{
		dim: ink{0x5b6472, 241, 8}, accent: ink{0x0060a8, 25, 4}, border: ink{0xb4bac4, 249, 7},
		good: ink{0x007a4d, 29, 2}, warn: ink{0x8a5a00, 94, 3}, bad: ink{0xb3261e, 124, 1},
		faded: ink{0xa0a6b0, 247, 7}, selected: ink{0xe4eaf2, 254, 7},
		series: [colors]ink{{0x0069b4, 25, 4}, {0xb05a00, 130, 3}, {0xa8327d, 126, 5}, {0x00754f, 29, 2},
			{0x7a6a00, 100, 6}, {0x5b3fbf, 61, 12}, {0xc23800, 166, 1}, {0x4a4f58, 239, 8}},
	}
}

// newTheme returns the palette for a terminal.
func newTheme(profile colorprofile.Profile, dark, ascii bool) *theme {
	t := &theme{ascii: ascii, color: profile >= colorprofile.ANSI, spelled: spelling()}
	t.setGlyphs()
	bold, faint, reverse := attr(ansi.AttrBold), attr(ansi.AttrFaint), attr(ansi.AttrReverse)
	t.title, t.key, t.selected, t.bar, t.barText, t.caret = bold, bold, reverse, bold, reverse, reverse
	if !t.color {
		t.accent, t.dim, t.border, t.good, t.warn, t.bad = bold, faint, faint, bold, bold, bold
		t.shade, t.ref, t.mark = faint, faint, faint
		for i := range t.faint {
			t.faint[i] = faint
		}
		return t
	}
	p := lightInks()
	if dark {
		p = darkInks()
	}
	fg := func(c ink) style { return foreground(profile, c) }
	t.dim, t.accent, t.border, t.good, t.warn, t.bad = fg(p.dim), fg(p.accent), fg(p.border), fg(p.good), fg(p.warn), fg(p.bad)
	t.title, t.key = bold, fg(p.accent)
	t.barText = bold + fg(p.accent)
	if profile > colorprofile.ANSI {
		t.selected = background(profile, p.selected)
	}
	t.bar, t.ref, t.mark, t.shade = fg(p.accent), fg(p.dim), fg(p.dim), fg(p.faded)
	for i, c := range p.series {
		t.series[i], t.faint[i] = fg(c), fg(p.faded)
		if profile == colorprofile.TrueColor {
			t.faint[i] = fg(ink{rgb: halfway(c.rgb, p.border.rgb)})
		}
	}
	return t
}

func (t *theme) setGlyphs() {
	t.on, t.off, t.cursor, t.more = "●", "○", "▸", "…"
	t.changed, t.given = "◆", "·"
	t.barFull, t.barEmpty = "━", "─"
	t.lineGlyphs = [colors]rune{'●', '■', '▲', '◆', '○', '□', '△', '◇'}
	t.box = boxGlyphs{"╭", "╮", "╰", "╯", "─", "│"}
	t.heavyBox = boxGlyphs{"┏", "┓", "┗", "┛", "━", "┃"}
	if t.ascii {
		t.on, t.off, t.cursor, t.more = "*", "o", ">", "."
		t.changed, t.given = "*", "."
		t.barFull, t.barEmpty = "#", "."
		t.lineGlyphs = [colors]rune{'*', '#', '+', 'x', 'o', '@', '%', '='}
		t.box = boxGlyphs{"+", "+", "+", "+", "-", "|"}
		t.heavyBox = boxGlyphs{"#", "#", "#", "#", "=", "#"}
	}
}

func attr(a ansi.Attr) style { return style(ansi.NewStyle(a).String()) }

func foreground(p colorprofile.Profile, c ink) style {
	return style(ansi.Style{}.ForegroundColor(shadeOf(p, c)).String())
}

func background(p colorprofile.Profile, c ink) style {
	return style(ansi.Style{}.BackgroundColor(shadeOf(p, c)).String())
}

func shadeOf(p colorprofile.Profile, c ink) ansi.Color {
	switch p {
	case colorprofile.TrueColor:
		return ansi.RGBColor{R: uint8(c.rgb >> 16), G: uint8(c.rgb >> 8), B: uint8(c.rgb)}
	case colorprofile.ANSI256:
		return ansi.IndexedColor(c.x256)
	}
	return ansi.BasicColor(c.x16)
}

// halfway mixes two colours, a bit more of the second.
func halfway(a, b uint32) (mix uint32) {
	for shift := 0; shift <= 16; shift += 8 {
		mix |= ((a>>shift&0xff)*2 + (b>>shift&0xff)*3) / 5 << shift
	}
	return mix
}

// of returns the style of a cell of a chart.
func (t *theme) of(s plot.Style) style {
	switch i := int(s.Series) % colors; s.Role {
	case plot.Data:
		return t.series[i]
	case plot.Faint:
		return t.faint[i]
	case plot.Shade:
		return t.shade
	case plot.Axis:
		return t.dim
	case plot.Ref:
		return t.ref
	case plot.Mark:
		return t.mark
	case plot.Alert, plot.Worst, plot.Worse:
		return t.bad
	case plot.Better:
		return t.good
	}
	return t.text
}

// row paints row y of a chart.
func (t *theme) row(f *plot.Frame, y int) string {
	var b strings.Builder
	b.Grow(4 * f.W)
	for _, s := range f.Spans(nil, y) {
		b.WriteString(t.of(s.Style).paint(s.Text))
	}
	return b.String()
}

// canvas is a chart's frame with what was painted of it: rows that look the
// same the next time are not painted again. It only saves time. The zero
// canvas is empty.
type canvas struct {
	plot.Frame
	theme *theme // of lines
	cells []plot.Cell
	lines []string
}

// paint returns the frame as it is now, one string a row.
func (c *canvas) paint(t *theme) []string {
	known := c.theme == t && len(c.lines) == c.H && len(c.cells) == len(c.Cells)
	if !known {
		c.theme, c.lines = t, make([]string, c.H)
	}
	for y := range c.lines {
		if row := c.Row(y); !known || !slices.Equal(row, c.cells[y*c.W:(y+1)*c.W]) {
			c.lines[y] = t.row(&c.Frame, y)
		}
	}
	c.cells = append(c.cells[:0], c.Cells...)
	return slices.Clone(c.lines)
}

// charset is that of the charts.
func (t *theme) charset(dots bool) plot.Charset {
	switch {
	case t.ascii:
		return plot.ASCII
	case dots:
		return plot.Braille
	}
	return plot.Lines
}

// greek is s, with letters that ASCII lacks written out.
func (t *theme) greek(s string) string {
	if !t.ascii || isASCII(s) {
		return s
	}
	return t.spelled.Replace(s)
}

func spelling() *strings.Replacer {
	return strings.NewReplacer("λ", "lambda", "η", "eta", "γ", "gamma", "ρ", "rho", "μ", "mu", "φ", "phi",
		"χ²", "chi2", "≥", ">=", "≤", "<=", "≠", "!=", "±", "+-", "…", "...", "√", "sqrt ", "∇", "grad ", "‖", "||")
}

// panel draws a box, or only its title line where there is no room for one,
// around lines, to exactly w by h cells. note stands at the right of the title.
func (t *theme) panel(title, note string, focused, box bool, lines []string, w, h int) []string {
	g, line, name := t.box, t.border, t.title
	if focused {
		line, name, title = t.accent, t.title+t.accent, t.cursor+" "+title
		if !t.color {
			g = t.heavyBox
		}
	}
	title = " " + cut(title, w-4) + " "
	if note = fitNote(note, w-6-width(title)); note != "" {
		note = " " + note + " "
	}
	rule := w - 4 - width(title) - width(note)
	head := line.paint(g.h) + name.paint(title) + line.paint(strings.Repeat(g.h, max(0, rule))) + t.dim.paint(note) + line.paint(g.h)
	if !box {
		return append([]string{left(line.paint(g.h)+head+line.paint(g.h), w)}, fill(lines, w, h-1)...)
	}
	out := []string{left(line.paint(g.tl)+head+line.paint(g.tr), w)}
	side := line.paint(g.v)
	for _, s := range fill(lines, w-2, h-2) {
		out = append(out, side+s+side)
	}
	return append(out, left(line.paint(g.bl+strings.Repeat(g.h, max(0, w-2))+g.br), w))
}

// fitNote drops the last of a note's parts until it fits in w cells.
func fitNote(note string, w int) string {
	for width(note) > w {
		i := strings.LastIndex(note, " · ")
		if i < 0 {
			return ""
		}
		note = note[:i]
	}
	return note
}

// inside is the room within a panel of w by h cells.
func inside(box bool, w, h int) (int, int) {
	if box {
		return max(0, w-2), max(0, h-2)
	}
	return w, max(0, h-1)
}
