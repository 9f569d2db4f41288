package kit

import (
	"image/color"

	"drolab/tui/cell"
	"drolab/tui/plot"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
)

// Theme is the palette: every colour and every glyph of the interface.
type Theme struct {
	ASCII   bool
	color   bool // the terminal has at least 16 colours
	profile colorprofile.Profile
	dark    bool // the background

	Text, Dim, Title, Accent, Key Style
	Warn, Alarm                   Style // warnings; errors and what has failed
	Caret                         Style // the cell under the cursor of what is typed or ticked
	Selected, BarText, border     Style // BarText is the style of the current tab in the header
	focused                       Style
	// Draws returns the lines of a picture of w by h pixels in the terminal's own ones, or nil for
	// none; it is nil where the terminal has none.
	Draws func(w, h int, rgb []byte, cells, lines int) []string
	figureStyles
	chartStyles
	glyphs
}

// figureStyles are the styles of figures beside others. Nothing else is green or red.
type figureStyles struct{ Better, Worse Style }

// chartStyles are the styles of the parts of charts.
type chartStyles struct {
	Series, faint, back [Colors]Style
	alike               [Colors]bool // an earlier series has the same colour
	heat                [plot.HeatLevels]Style
	better, worse       [plot.TintLevels]Style
	roles               [plot.Hair + 1]Style // styles of the other parts
}

// glyphs are the glyphs of the interface, one cell each. Where the terminal has only ASCII, the
// interface as a whole is converted to it.
type glyphs struct {
	Cursor, More      string
	Changed, Given    string // mark a setting from the user, from the preset
	Best              string // stands at the best value of a column
	box, heavyBox     lipgloss.Border
	barFull, barEmpty string
}

// BareTheme returns the palette for an output that is no terminal: it has no style. Its glyphs take
// one cell in every font: wider ones would shift the rest of their line.
func BareTheme(ascii bool) *Theme {
	t := &Theme{ASCII: ascii, glyphs: glyphs{Cursor: cell.Cursor, More: cell.More,
		Changed: cell.Changed, Given: cell.Given, barFull: "━", barEmpty: "─", Best: cell.Best,
		box: lipgloss.RoundedBorder(), heavyBox: lipgloss.ThickBorder()}}
	if ascii {
		t.Best, t.box = cell.ASCII(cell.Best), lipgloss.ASCIIBorder()
		t.More = "..."
	}
	return t
}

// NewTheme returns the palette for a terminal.
func NewTheme(profile colorprofile.Profile, dark, ascii bool) *Theme {
	t := BareTheme(ascii)
	t.color, t.profile, t.dark = profile >= colorprofile.ANSI, profile, dark
	plain := lipgloss.NewStyle()
	bold, faint := styleOf(plain.Bold(true)), styleOf(plain.Faint(true))
	reverse := styleOf(plain.Reverse(true))
	t.Title, t.Key, t.focused = bold, bold, bold
	t.Selected, t.BarText, t.Caret = reverse, reverse, reverse
	if !t.color {
		t.Accent, t.Better, t.Worse, t.Warn, t.Alarm = bold, bold, bold, bold, bold
		t.Dim, t.border = faint, faint
		for i := range t.faint {
			t.faint[i], t.back[i] = faint, faint
		}
		t.setRoles()
		t.setTints()
		return t
	}
	p := lightInks()
	if dark {
		p = darkInks()
	}
	complete := lipgloss.Complete(profile)
	color := func(c ink) color.Color { return c.color(complete) }
	fg := func(c ink) Style { return styleOf(plain.Foreground(color(c))) }
	// Borders and dim text have one of the 256 colours at most: half as many bytes as 24 bits take,
	// for a tint that nobody misses.
	few := lipgloss.Complete(min(profile, colorprofile.ANSI256))
	grey := func(c ink) Style { return styleOf(plain.Foreground(c.color(few))) }
	t.Dim, t.Accent, t.border = grey(p.dim), fg(p.accent), grey(p.border)
	t.Better, t.Worse, t.Warn = fg(p.better), fg(p.worse), fg(p.warn)
	t.Alarm = styleOf(plain.Bold(true).Foreground(color(p.warn)))
	t.Key = t.Accent
	t.setRoles()
	t.focused = styleOf(plain.Bold(true).Foreground(color(p.accent)))
	t.BarText = t.focused
	if profile > colorprofile.ANSI {
		t.Selected = styleOf(plain.Background(color(p.selected)))
	}
	taken := map[any]bool{}
	for i, c := range p.series {
		t.alike[i] = taken[color(c)]
		taken[color(c)] = true
		t.Series[i], t.faint[i] = fg(c), fg(p.faded)
		t.back[i] = styleOf(plain.Faint(true).Foreground(color(c)))
		if profile == colorprofile.TrueColor {
			t.faint[i] = fg(ink{rgb: mixColours(c.rgb, p.border.rgb)})
			t.back[i] = t.faint[i]
		}
	}
	for i, c := range heatInks() {
		t.heat[i] = fg(c)
	}
	t.setTints()
	return t
}

// Contrast makes grey text, axes and borders as bright as other text, curves that are not chosen as
// bright as the chosen one, and the selected row inverse.
func (t *Theme) Contrast() {
	t.Dim, t.border, t.back = t.Text, t.Text, t.Series
	t.Selected = styleOf(lipgloss.NewStyle().Reverse(true))
	t.setRoles()
}

// BestStyle returns the style of the best of some figures, which differs in weight and tint.
func (t *Theme) BestStyle() Style {
	if !t.color {
		return t.Title
	}
	return Style{start: t.Title.start + t.Better.start, end: t.Better.end}
}

// Greek returns s, with Greek letters and other signs written out if the terminal has only ASCII.
func (t *Theme) Greek(s string) string {
	if !t.ASCII {
		return s
	}
	return cell.Spell(s)
}
