package kit

import (
	"slices"
	"strings"

	"drolab/tui/cell"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// Pixels is a picture: H rows of W pixels of red, green and blue.
type Pixels struct {
	W, H int
	RGB  []byte
}

func (p *Pixels) pixel(x, y int) [3]byte { return [3]byte(p.RGB[3*(y*p.W+x):]) }

// Pixels draws a picture in at most w by h cells, each with one pixel above another. A smaller
// picture is enlarged by a whole factor; a larger one is cut. All lines are equally wide.
func (t *Theme) Pixels(p Pixels, w, h int) []string {
	scale := max(1, min(w/max(1, p.W), 2*h/max(1, p.H)))
	wide, high := min(w, scale*p.W), min(2*h, scale*p.H)
	lines := make([]string, 0, (high+1)/2)
	for y := 0; y < high; y += 2 {
		var b strings.Builder
		var with pen
		last := ""
		for x := range wide {
			above := p.pixel(x/scale, y/scale)
			below, both := above, y+1 < high
			if both {
				below = p.pixel(x/scale, (y+1)/scale)
			}
			if !t.ASCII && t.profile == colorprofile.ANSI {
				above, below = dither(above, x, y), dither(below, x, y+1)
			}
			style, glyph := t.pixelCell(&with, above, below, both)
			if style != last {
				b.WriteString(cell.SGR(style))
				last = style
			}
			b.WriteString(glyph)
		}
		if last != "" {
			b.WriteString(cell.SGR(""))
		}
		lines = append(lines, b.String())
	}
	return lines
}

// RealSide is the greatest side of a picture in the terminal's own pixels.
const RealSide = 112

// Real draws a picture in at most w by h cells, in the terminal's own pixels; nil where there are
// none.
func (t *Theme) Real(p Pixels, w, h int) (lines []string) {
	if t.Draws == nil {
		return nil
	}
	scale := min(float64(w)/float64(p.W), 2*float64(h)/float64(p.H))
	wide, high := int(float64(p.W)*scale+.5), int(float64(p.H)*scale/2+.5)
	for _, line := range t.Draws(p.W, p.H, p.RGB, max(1, wide), max(1, high)) {
		lines = append(lines, cell.Seal(line))
	}
	return lines
}

// Thumbnail draws a small picture that changes while the user looks on. It is Pixels in at most the
// 256 colours, and with fewer of them, since each change of colour is ten bytes or twenty.
func (t *Theme) Thumbnail(p Pixels, w, h int) []string {
	few := *t
	few.profile = min(few.profile, colorprofile.ANSI256)
	return few.Pixels(p.smooth(), w, h)
}

// smooth returns the picture with each pixel in the colour of the one at its left or above it, if
// that colour is near.
func (p Pixels) smooth() Pixels {
	const far = 40 // of 255
	near := func(a, b byte) bool { return abs(int(a)-int(b)) <= far }
	out := Pixels{p.W, p.H, slices.Clone(p.RGB)}
	for y := range p.H {
		for x := range p.W {
			c := out.RGB[3*(y*p.W+x):][:3]
			if left := out.pixel(max(0, x-1), y); slices.EqualFunc(left[:], c, near) {
				copy(c, left[:])
			} else if above := out.pixel(x, max(0, y-1)); slices.EqualFunc(above[:], c, near) {
				copy(c, above[:])
			}
		}
	}
	return out
}

// dither makes a pixel lighter or darker by its position, so that four greys also show the greys
// between them.
func dither(c [3]byte, x, y int) [3]byte {
	v := byte(max(0, min(255, lightness(c)+[...]int{-24, 8, 24, -8}[x%2+y%2*2])))
	return [3]byte{v, v, v}
}

// pen holds the colours that the cells of a line are written with, nil at the start of the line.
// They stay as long as possible, since each change of one is ten bytes or twenty.
type pen struct{ fore, back ansi.Color }

// glyph returns the character that shows two pixels, one above the other, in the fewest changes.
func (p *pen) glyph(above, below ansi.Color) string {
	switch {
	case above == below && above == p.fore:
		return "█"
	case above == below:
		p.back = above
		return " "
	case (below == p.fore || above == p.back) && above != p.fore && below != p.back:
		p.fore, p.back = below, above
		return "▄"
	}
	p.fore, p.back = above, below
	return "▀"
}

// style returns the parameters of the colours.
func (p *pen) style() string {
	s := ansi.Style{}.BackgroundColor(p.back)
	if p.fore != nil {
		s = s.ForegroundColor(p.fore)
	}
	return strings.Join(s, ";")
}

// pixelCell returns one cell of a picture: the parameters of its style, "" for none, and its
// character. If both is false, the cell has no pixel below. Half blocks need colours in the
// background; without them a cell is one shade.
func (t *Theme) pixelCell(with *pen, above, below [3]byte, both bool) (style, glyph string) {
	switch {
	case t.ASCII || !t.color:
		return "", t.shade((lightness(above) + lightness(below)) / 2)
	case both:
		glyph = with.glyph(t.nearest(above), t.nearest(below))
		return with.style(), glyph
	}
	return strings.Join(ansi.Style{}.Reset().ForegroundColor(t.nearest(above)), ";"), "▀"
}

// shade returns a character of a given lightness, 0 to 255, in the terminal's own colour of
// writing.
func (t *Theme) shade(light int) string {
	shades := []rune(" ░▒▓█")
	if t.ASCII {
		shades = []rune(" .:-=+*#%@")
	}
	if !t.dark {
		light = 255 - light
	}
	return string(shades[light*len(shades)/256])
}

// lightness returns the luma of ITU-R BT.601, 0 to 255.
func lightness(c [3]byte) int { return (299*int(c[0]) + 587*int(c[1]) + 114*int(c[2])) / 1000 }

// nearest returns the nearest colour that the terminal has. Of the 16 colours only the greys mean
// the same everywhere; the user sets the others.
func (t *Theme) nearest(c [3]byte) ansi.Color {
	switch t.profile {
	case colorprofile.TrueColor:
		return ansi.RGBColor{R: c[0], G: c[1], B: c[2]}
	case colorprofile.ANSI256:
		return nearestOf256(c)
	}
	greys := [...]ansi.BasicColor{ansi.Black, ansi.BrightBlack, ansi.White, ansi.BrightWhite}
	return greys[lightness(c)/64]
}

// nearestOf256 returns the colour nearest to c by its components. It chooses from the 240 that are
// the same on all terminals, a cube and a ramp of greys. The function of x/ansi takes the nearest
// hue, which makes dark pictures gaudy.
func nearestOf256(c [3]byte) ansi.IndexedColor {
	const cube, greys = 16, 232
	levels := [...]int{0, 95, 135, 175, 215, 255}
	index, far := 0, 0
	for _, v := range c {
		at := 0
		for i, level := range levels {
			if abs(level-int(v)) < abs(levels[at]-int(v)) {
				at = i
			}
		}
		index, far = 6*index+at, far+square(levels[at]-int(v))
	}
	grey := max(0, min(23, ((int(c[0])+int(c[1])+int(c[2]))/3-3)/10))
	further := 0
	for _, v := range c {
		further += square(8 + 10*grey - int(v))
	}
	if further < far {
		return ansi.IndexedColor(greys + grey)
	}
	return ansi.IndexedColor(cube + index)
}

func abs(n int) int    { return max(n, -n) }
func square(n int) int { return n * n }

// Frame draws lines in a box around w by h cells. The box has a map's colour for a value that lies
// at part, 0 to 1, between the ends. A caption stands in the lower border. A large value has a
// heavy border, for people who see no colour.
func (t *Theme) Frame(lines []string, w, h int, part float64, caption string) []string {
	style, b := t.frameStyle(part)
	framed := []string{style.Paint(b.TopLeft + strings.Repeat(b.Top, w) + b.TopRight)}
	for _, line := range Fill(lines, w, h) {
		framed = append(framed, style.Paint(b.Left)+line+style.Paint(b.Right))
	}
	caption = cell.Cut(caption, w)
	return append(framed, style.Paint(b.BottomLeft)+t.Text.Paint(caption)+
		style.Paint(strings.Repeat(b.Bottom, w-cell.Width(caption))+b.BottomRight))
}

// Rule is Frame without sides and caption.
func (t *Theme) Rule(lines []string, w, h int, part float64) []string {
	style, b := t.frameStyle(part)
	line := style.Paint(strings.Repeat(b.Top, w))
	return slices.Concat([]string{line}, Fill(lines, w, h), []string{line})
}

// frameStyle returns the style and the border of a frame for a value at part between the ends.
func (t *Theme) frameStyle(part float64) (Style, lipgloss.Border) {
	if part >= .5 {
		return t.level(part), t.heavyBox
	}
	return t.level(part), t.box
}
