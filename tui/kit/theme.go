package kit

import (
	"image/color"
	"strings"

	"drolab/tui/cell"
	"drolab/tui/plot"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// Theme is the palette: every colour and every glyph of the interface.
type Theme struct {
	ASCII   bool
	color   bool // the terminal has at least 16 colours
	profile colorprofile.Profile
	dark    bool // the background

	Text, Dim, Title, Accent, Key Style
	Good, Warn, Bad               Style
	Caret                         Style // the cell under the cursor of what is typed or ticked
	Selected, BarText, border     Style // BarText is the style of the current tab in the header
	focused                       Style
	chartStyles
	glyphs
}

// chartStyles are the styles of the parts of charts.
type chartStyles struct {
	Series, faint, back [Colors]Style
	alike               [Colors]bool // an earlier series has the same colour
	heat                [plot.HeatLevels]Style
	roles               [plot.Hair + 1]Style // styles of the other parts
}

// glyphs are the glyphs of the interface, one cell each. Where the terminal has only ASCII, the
// interface as a whole is converted to it.
type glyphs struct {
	On, Off, Cursor, More string
	Changed, Given        string // mark a setting from the user, from the preset
	Best                  string // stands at the best value of a column
	box, heavyBox         lipgloss.Border
	barFull, barEmpty     string
}

// ink is one colour for each kind of terminal: 24 bits, the 256 and the 16 colours. They are chosen
// by hand: the nearest colours would make two runs look alike.
type ink struct {
	rgb  uint32
	x256 uint8
	x16  uint8
}

// inks are the colours for one kind of background.
type inks struct {
	dim, accent, good, warn, bad, border, faded ink
	selected                                    ink // background of the selected row
	series                                      [Colors]ink
}

// darkInks returns the colours for a dark background; series are lighter on dark and darker on
// light. People with any colour vision tell the first eight series apart (after Okabe and Ito,
// 2008). The others are chosen from those of the 256 colours that stand out from the background:
// the ones that lie farthest from the first eight and from each other in OKLab. The sixteen colours
// repeat, so that there the mark decides.
func darkInks() inks {
	return inks{
		dim: ink{0x8a93a3, 245, 7}, accent: ink{0x7cc7ff, 117, 14}, border: ink{0x4a5262, 239, 8},
		good: ink{0x3fcf8e, 42, 10}, warn: ink{0xf2c14e, 221, 11}, bad: ink{0xff7b72, 209, 9},
		faded: ink{0x59616f, 241, 8}, selected: ink{0x262d3a, 236, 0},
		series: [Colors]ink{
			{0x56b4e9, 75, 14}, {0xf0a020, 214, 11}, {0xe88bc0, 175, 13}, {0x2fc48d, 42, 10},
			{0xf0e442, 227, 3}, {0x9a7cff, 141, 12}, {0xff7f50, 209, 9}, {0xc8ccd4, 252, 7},
			{0x00ffff, 51, 6}, {0xff5fff, 207, 5}, {0xafd700, 148, 2}, {0xffafff, 219, 13},
			{0x00af00, 34, 2}, {0xafaf5f, 143, 3}, {0x00ff87, 48, 10}, {0x00a0a0, 36, 6},
			{0xff0087, 198, 5}, {0x5f5fff, 63, 12}},
	}
}

// lightInks returns the colours for a light background, which are darker: on paper a light colour
// is not seen.
func lightInks() inks {
	return inks{
		dim: ink{0x5b6472, 241, 8}, accent: ink{0x0060a8, 25, 4}, border: ink{0xb4bac4, 249, 7},
		good: ink{0x007a4d, 29, 2}, warn: ink{0x8a5a00, 94, 3}, bad: ink{0xb3261e, 124, 1},
		faded: ink{0xa0a6b0, 247, 7}, selected: ink{0xe4eaf2, 254, 7},
		series: [Colors]ink{
			{0x0069b4, 25, 4}, {0xb05a00, 130, 3}, {0xa8327d, 126, 5}, {0x00754f, 29, 2},
			{0x8f8200, 100, 6}, {0x5b3fbf, 61, 12}, {0x901000, 88, 1}, {0x4a4f58, 239, 8},
			{0xaf00ff, 129, 13}, {0x5f0000, 52, 9}, {0x0000ff, 21, 12}, {0x5f005f, 53, 5},
			{0x005fff, 27, 4}, {0x00005f, 17, 4}, {0x5f00af, 55, 5}, {0x0000af, 19, 12},
			{0xff0087, 198, 5}, {0xaf5fd7, 134, 2}},
	}
}

// heatInks returns the colours of the levels of maps: viridis, whose lightness grows evenly.
func heatInks() [plot.HeatLevels]ink {
	return [...]ink{{0x440154, 53, 5}, {0x472d7b, 54, 5}, {0x3b528b, 60, 4}, {0x2c728e, 31, 4},
		{0x21918c, 30, 6}, {0x28ae80, 36, 6}, {0x5ec962, 77, 2}, {0xaddc30, 149, 10},
		{0xfde725, 227, 11}}
}

// Swatch draws a piece of a map, w cells wide, for a value that lies at part, 0 to 1, between the
// ends.
func (t *Theme) Swatch(part float64, w int) string {
	h := plot.HeatMap{Charset: t.Charset(false), Shades: t.Shades()}
	return t.level(part).Paint(strings.Repeat(string(h.Glyph(plot.HeatLevel(part))), w))
}

// level returns the style of a map's cell for a value that lies at part, 0 to 1, between the ends.
func (t *Theme) level(part float64) Style {
	return t.styleOfCell(plot.Style{Role: plot.Heat, Series: uint8(plot.HeatLevel(part))})
}

// Shades reports whether maps are drawn in shades of one colour, because the terminal has too few.
func (t *Theme) Shades() bool { return t.ASCII || t.profile <= colorprofile.ANSI }

// BareTheme returns the palette for an output that is no terminal: it has no style. Its glyphs take
// one cell in every font: wider ones would shift the rest of their line.
func BareTheme(ascii bool) *Theme {
	t := &Theme{ASCII: ascii, glyphs: glyphs{On: "●", Off: "○", Cursor: "▸", More: "…",
		Changed: "◆", Given: "·", barFull: "━", barEmpty: "─", Best: "★",
		box: lipgloss.RoundedBorder(), heavyBox: lipgloss.ThickBorder()}}
	if ascii {
		t.Best, t.box = "^", lipgloss.ASCIIBorder() // the star's stand-in is a mark of lines
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
		t.Accent, t.Dim, t.border, t.Good, t.Warn, t.Bad = bold, faint, faint, bold, bold, bold
		for i := range t.faint {
			t.faint[i], t.back[i] = faint, faint
		}
		t.setRoles()
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
	t.Good, t.Warn, t.Bad = fg(p.good), fg(p.warn), fg(p.bad)
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
			t.faint[i] = fg(ink{rgb: halfway(c.rgb, p.border.rgb)})
			t.back[i] = t.faint[i]
		}
	}
	for i, c := range heatInks() {
		t.heat[i] = fg(c)
	}
	return t
}

// Contrast makes grey text, axes and borders as bright as other text, curves that are not chosen as
// bright as the chosen one, and the selected row inverse.
func (t *Theme) Contrast() {
	t.Dim, t.border, t.back = t.Text, t.Text, t.Series
	t.Selected = styleOf(lipgloss.NewStyle().Reverse(true))
	t.setRoles()
}

// Line returns the style of a series.
func (t *Theme) Line(number uint8) Style { return t.Series[number%Colors] }

// Mark returns the mark of a series.
func (t *Theme) Mark(number uint8) string { return string(cell.Mark(int(number), t.ASCII)) }

// Glyph returns the mark that lines of a series are drawn with, or have on them, if colour does not
// tell them from other lines; 0 if it does.
func (t *Theme) Glyph(number uint8) rune {
	if t.color && number < Colors && !t.alike[number] {
		return 0
	}
	return cell.Mark(int(number), t.ASCII)
}

// color returns the colour for a kind of terminal.
func (c ink) color(complete lipgloss.CompleteFunc) color.Color {
	return complete(ansi.BasicColor(c.x16), ansi.IndexedColor(c.x256), rgb(c.rgb))
}

func rgb(c uint32) ansi.RGBColor {
	return ansi.RGBColor{R: uint8(c >> 16), G: uint8(c >> 8), B: uint8(c)}
}

// halfway mixes two colours, with a bit more of the second.
func halfway(a, b uint32) (mix uint32) {
	for shift := 0; shift <= 16; shift += 8 {
		mix |= ((a>>shift&0xff)*2 + (b>>shift&0xff)*3) / 5 << shift
	}
	return mix
}

// setRoles sets the styles of the parts of charts other than series.
func (t *Theme) setRoles() {
	t.roles = [...]Style{plot.Axis: t.Dim, plot.Ref: t.Dim, plot.Mark: t.Dim, plot.Alert: t.Bad,
		plot.Worst: t.Bad, plot.Better: t.Good, plot.Worse: t.Bad, plot.Hair: t.Accent}
}

// styleOfCell returns the style of a cell of a chart.
func (t *Theme) styleOfCell(s plot.Style) Style {
	switch i := int(s.Series) % Colors; s.Role {
	case plot.Data:
		return t.Series[i]
	case plot.Faint, plot.Shade:
		return t.faint[i]
	case plot.Back:
		return t.back[i]
	case plot.Heat:
		if t.Shades() {
			return t.Text
		}
		return t.heat[int(s.Series)%plot.HeatLevels]
	}
	return t.roles[s.Role]
}

// Rows paints a chart, one string a row.
func (t *Theme) Rows(f *plot.Frame) []string {
	ends := func(s plot.Style) (start, end string) {
		st := t.styleOfCell(s)
		return st.start, st.end
	}
	lines := make([]string, f.H)
	for y := range lines {
		var b strings.Builder
		b.Grow(4 * f.W)
		f.WriteRow(&b, y, ends)
		lines[y] = b.String()
	}
	return lines
}

// Charset returns the charset of the charts. With dots it is Braille, if the terminal has colours
// and more than ASCII.
func (t *Theme) Charset(dots bool) plot.Charset {
	switch {
	case t.ASCII:
		return plot.ASCII
	case dots && t.color: // dots have no pattern to tell curves apart by
		return plot.Braille
	}
	return plot.Lines
}

// Top returns the style of the best of some figures, which differs in weight and tint.
func (t *Theme) Top() Style {
	if !t.color {
		return t.Title
	}
	return Style{start: t.Title.start + t.Good.start, end: t.Good.end}
}

// Greek returns s, with Greek letters and other signs written out if the terminal has only ASCII.
func (t *Theme) Greek(s string) string {
	if !t.ASCII {
		return s
	}
	return cell.Spell(s)
}

// Style holds the sequences that a Lip Gloss style puts around a text. A live frame paints hundreds
// of pieces, and Paint costs a sixtieth of rendering one (37 ns, 2.4 us), since Lip Gloss measures,
// aligns and wraps each. The sequences are sealed (cell.Seal): no text can have one of its own. The
// zero Style is the terminal's own.
type Style struct {
	start, end string
	gloss      *lipgloss.Style
}

// styleOf returns the Style that paints a line as st does.
func styleOf(st lipgloss.Style) Style {
	const text = "x"
	start, end, _ := strings.Cut(cell.Seal(st.Render(text)), text)
	return Style{start, end, &st}
}

// Paint writes s, which has no line break, in the style.
func (st Style) Paint(s string) string {
	if st.start == "" || s == "" {
		return s
	}
	return st.start + s + st.end
}

// library returns the style in the form that Bubbles take.
func (st Style) library() lipgloss.Style {
	if st.gloss == nil {
		return lipgloss.NewStyle()
	}
	return *st.gloss
}

// The number of a series stands for its colour and its mark (cell.Mark). The first series of a
// method has the method's number. Variants of it, which differ in settings, have its colour, and
// each another mark: their numbers lie Colors, 2*Colors, ... above the colour.

// Colors is the number of colours of series.
const Colors = cell.Marks

// The numbers of a colour: one in each row of series. Those of variants are sought among the
// shapes first.
const (
	rows   = 256 / Colors
	shapes = cell.ShapeRows - 1
)

// MethodNumber returns the number of the i-th method. The first methods have a colour and a shape
// each; further ones share the colours and have letters. Where even the letters are not enough,
// methods share numbers: of those that are shown together, one is numbered like a variant.
func MethodNumber(i int) uint8 {
	if i %= Colors + cell.Letters; i >= Colors {
		i += Colors * shapes
	}
	return uint8(i)
}

// Numbering gives numbers to series that are shown together. Each has a mark of its own, as long as
// there are free ones.
type Numbering struct{ owned, claimed map[rune]bool }

// Numbers returns the numbering for series of some methods. No variant takes the mark of one of
// them.
func Numbers(methods ...uint8) *Numbering {
	n := &Numbering{map[rune]bool{}, map[rune]bool{}}
	for _, m := range methods {
		n.owned[cell.Mark(int(m), false)] = true
	}
	return n
}

// Claim takes a number of a method for a series and reports whether it was free.
func (n *Numbering) Claim(number, method uint8) bool {
	mark := cell.Mark(int(number), false)
	if number%Colors != method%Colors || n.claimed[mark] || number != method && n.owned[mark] {
		return false
	}
	n.claimed[mark] = true
	return true
}

// Next returns the number of a further series of a method: the method's own, or that of the first
// free variant from a place on. Whoever knows the place finds the same number the next day.
func (n *Numbering) Next(method, from uint8) uint8 {
	if n.Claim(method, method) {
		return method
	}
	variant := func(k uint8) uint8 {
		row := 1 + (from%shapes+k)%shapes
		if k >= shapes { // no shape is free
			row = 1 + k
		}
		return method%Colors + Colors*row
	}
	for k := range uint8(rows - 1) {
		if n.Claim(variant(k), method) {
			return variant(k)
		}
	}
	return variant(0)
}

// Drawn keeps the lines of a part of the screen until what they depend on changes. Nothing else of
// a drawing is kept from frame to frame. It is used in two places. The screen as a whole is kept
// until a message changes it, which saves most of the cost of an idle minute. A part of the page
// Watch is kept until its turn to show what is new, which saves two fifths of the bytes that are
// sent.
//
// Finer caches, of charts by a fingerprint, of their rows and of their lines, were measured at four
// runs and at forty (BenchmarkLive, BenchmarkScreen). While runs go on they saved nothing. Without
// them a frame after a key takes .9 to 1 ms of a core with four runs and 1.3 with forty. It takes
// no longer, since the memory for drawing a line is used again for the next (plot.Frame). A
// fingerprint that forgets something would show an old chart.
type Drawn struct {
	source any
	lines  []string
}

// Get returns the lines kept for of. If the lines kept are those of something else, it draws and
// keeps new ones. An of that equals nothing, such as nil, is drawn at every call.
func (d *Drawn) Get(of any, draw func() []string) []string {
	if d.source == nil || d.source != of {
		d.source, d.lines = of, draw()
	}
	return d.lines
}
