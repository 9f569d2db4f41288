package tuitest

import (
	"fmt"
	"html"
	"image/color"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
)

// A cell of a picture, in its units: braille dots fall on whole ones.
const (
	cellW = 8
	cellH = 16
)

// Paper is what a screen stands on: the terminal's own colours.
type Paper struct {
	Name       string
	Dark       bool
	Fore, Back color.RGBA
}

// Papers are those that pictures are made on.
func Papers() []Paper {
	grey := func(v uint8) color.RGBA { return color.RGBA{v, v, v, 255} }
	return []Paper{{"dark", true, grey(0xdc), color.RGBA{0x10, 0x12, 0x18, 255}},
		{"light", false, grey(0x1c), grey(255)}}
}

// SVG draws a screen for a browser. Letters are text; lines, dots, blocks and
// braille are shapes, as few fonts have them in the width of a letter.
func SVG(e uv.ScreenBuffer, p Paper, title string) string {
	d := drawing{paper: p, classes: map[look]int{}}
	for y := range e.Height() {
		for x := range e.Width() {
			if c := e.CellAt(x, y); c != nil && c.Content != "" {
				d.cell(x, y, c)
			}
		}
	}
	return d.file(e.Width()*cellW, e.Height()*cellH, title)
}

// look is what shapes and texts have in common that are drawn alike.
type look struct {
	colour string
	bold   bool
	faint  bool
}

// drawing is a picture that is being made.
type drawing struct {
	paper   Paper
	classes map[look]int
	layers  []*layer
	backs   []span
}

// layer is all of a picture that has one look.
type layer struct {
	look
	thin, thick, dots []segment
	shades            [4][]block // by their quarters of the colour, the whole of it first
	texts             []span
}

// segment is a straight line of a picture; of no length, a dot.
type segment struct{ x0, y0, x1, y1 int }

// block is a filled part of a picture.
type block struct{ x, y, w, h int }

// span is text from a cell on; of a background, one blank a cell.
type span struct {
	x, y int
	text string
	fill string
}

func (d *drawing) cell(x, y int, c *uv.Cell) {
	fore, back := d.colours(c.Style)
	if back != "" {
		join(&d.backs, span{x, y, " ", back})
	}
	if strings.TrimSpace(c.Content) == "" {
		return
	}
	l := d.layer(look{fore, c.Style.Attrs&uv.AttrBold != 0, c.Style.Attrs&uv.AttrFaint != 0})
	switch r := []rune(c.Content)[0]; {
	case r >= 0x2800 && r < 0x2900:
		l.braille(x*cellW, y*cellH, uint8(r))
	case r == '·':
		px, py := x*cellW+cellW/2, y*cellH+cellH/2
		l.dots = append(l.dots, segment{px, py, px, py})
	case l.box(x*cellW, y*cellH, r):
	case l.block(x*cellW, y*cellH, r):
	case r < 0x7f:
		join(&l.texts, span{x, y, c.Content, ""})
	default: // alone, so that its font moves no other
		l.texts = append(l.texts, span{x, y, c.Content, ""})
	}
}

// colours are a cell's letters' and its background's, "" for the paper's.
func (d *drawing) colours(s uv.Style) (fore, back string) {
	fore = hex(d.paper.Fore)
	if s.Fg != nil {
		fore = hex(s.Fg)
	}
	if s.Bg != nil {
		back = hex(s.Bg)
	}
	if s.Attrs&uv.AttrReverse == 0 {
		return fore, back
	}
	if back == "" {
		back = hex(d.paper.Back)
	}
	return back, fore
}

func hex(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

func (d *drawing) layer(k look) *layer {
	i, ok := d.classes[k]
	if !ok {
		i = len(d.layers)
		d.classes[k] = i
		d.layers = append(d.layers, &layer{look: k})
	}
	return d.layers[i]
}

// join adds a cell to the span that it goes on, also after a blank.
func join(to *[]span, s span) {
	if n := len(*to); n > 0 {
		last := &(*to)[n-1]
		gap := s.x - last.x - len(last.text)
		goesOn := last.y == s.y && (gap == 0 || gap == 1 && s.fill == "")
		if goesOn && last.fill == s.fill && last.text[0] < 0x7f {
			last.text += strings.Repeat(" ", gap) + s.text
			return
		}
	}
	*to = append(*to, s)
}

// braille draws the dots of a character: three rows of two, then the lowest.
func (l *layer) braille(x, y int, dots uint8) {
	for i, at := range [8][2]int{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}, {0, 3}, {1, 3}} {
		if dots>>i&1 != 0 {
			px, py := x+2+4*at[0], y+2+4*at[1]
			l.dots = append(l.dots, segment{px, py, px, py})
		}
	}
}

// arms are what box characters have from the middle of a cell: u, r, d and l, in
// capitals where they are thick, after a dash where they are broken.
func arms(r rune) string {
	return map[rune]string{'─': "lr", '│': "ud", '╭': "rd", '╮': "ld", '╰': "ur", '╯': "ul",
		'┌': "rd", '┐': "ld", '└': "ur", '┘': "ul", '├': "urd", '┤': "uld", '┬': "lrd", '┴': "lru",
		'┼': "lrud", '╴': "l", '╵': "u", '╶': "r", '╷': "d", '━': "LR", '┃': "UD", '┏': "RD",
		'┓': "LD", '┗': "UR", '┛': "UL", '┈': "-lr", '┊': "-ud"}[r]
}

// box draws a box character and tells whether r is one.
func (l *layer) box(x, y int, r rune) bool {
	shape := arms(r)
	rest, broken := strings.CutPrefix(shape, "-")
	mx, my := x+cellW/2, y+cellH/2
	for _, arm := range rest {
		s := map[rune]segment{'u': {mx, y, mx, my}, 'd': {mx, my, mx, y + cellH}, 'l': {x, my, mx, my},
			'r': {mx, my, x + cellW, my}}[arm|0x20]
		switch {
		case broken: // dots, as many as there are rows or columns of them in braille
			dx, dy := (s.x1-s.x0)/2, (s.y1-s.y0)/2
			l.dots = append(l.dots, segment{s.x0 + dx, s.y0 + dy, s.x0 + dx, s.y0 + dy})
		case arm < 'a':
			extend(&l.thick, s)
		default:
			extend(&l.thin, s)
		}
	}
	return shape != ""
}

// extend adds a line to the one that it goes on.
func extend(to *[]segment, s segment) {
	for i := len(*to) - 1; i >= max(0, len(*to)-2); i-- {
		if last := &(*to)[i]; last.x1 == s.x0 && last.y1 == s.y0 && (last.x0 == s.x1 || last.y0 == s.y1) {
			last.x1, last.y1 = s.x1, s.y1
			return
		}
	}
	*to = append(*to, s)
}

// block draws a block character and tells whether r is one: shades in parts of
// the colour, eighths from below and from the left.
func (l *layer) block(x, y int, r rune) bool {
	b, shade := block{x, y, cellW, cellH}, 0
	switch {
	case r >= '▁' && r <= '█':
		b.h = cellH * int(r-'▁'+1) / 8
		b.y += cellH - b.h
	case r > '█' && r <= '▏':
		b.w = cellW * int('▏'-r+1) / 8
	case r >= '░' && r <= '▓':
		shade = int(r-'░') + 1
	default:
		return false
	}
	to := &l.shades[shade]
	if n := len(*to); n > 0 {
		if last := &(*to)[n-1]; last.y == b.y && last.h == b.h && last.x+last.w == b.x {
			last.w += b.w
			return true
		}
	}
	*to = append(*to, b)
	return true
}

// sheet styles thin lines, thick ones, dots, and what is filled.
const sheet = `<style>.a,.b,.c{fill:none}.a{stroke-width:1}.b{stroke-width:2}.c{stroke-width:2.8;` +
	`stroke-linecap:round}.a,.b,.e{shape-rendering:crispEdges}</style>`

// file is the picture as a whole.
func (d *drawing) file(w, h int, title string) string {
	var b strings.Builder
	title = html.EscapeString(title)
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" `+
		`role="img" aria-label="%s" font-size="13.2" `+
		`font-family="DejaVu Sans Mono,Menlo,Consolas,ui-monospace,monospace">`+"\n<title>%[3]s</title>\n%s\n"+
		`<rect width="100%%" height="100%%" fill="%s"/>`+"\n", w, h, title, sheet, hex(d.paper.Back))
	for _, s := range d.backs {
		fmt.Fprintf(&b, `<path class="e" fill="%s" d="%s"/>`+"\n", s.fill,
			filled(block{s.x * cellW, s.y * cellH, len(s.text) * cellW, cellH}))
	}
	for _, l := range d.layers {
		l.write(&b)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

func (l *layer) write(b *strings.Builder) {
	fmt.Fprintf(b, `<g fill="%s" stroke="none"`, l.colour)
	if l.bold {
		b.WriteString(` font-weight="bold"`)
	}
	if l.faint {
		b.WriteString(` opacity=".6"`)
	}
	b.WriteString(">\n")
	for i, list := range l.shades {
		if len(list) > 0 {
			fmt.Fprintf(b, `<path class="e" opacity="%g" d="%s"/>`+"\n", [...]float64{1, .25, .5, .75}[i],
				filled(list...))
		}
	}
	for i, lines := range [][]segment{l.thin, l.thick, l.dots} {
		if len(lines) == 0 {
			continue
		}
		fmt.Fprintf(b, `<path class="%c" stroke="%s" d="%s"/>`+"\n", "abc"[i], l.colour, path(lines))
	}
	for _, t := range l.texts {
		length := ""
		if n := len(t.text); n > 1 {
			length = fmt.Sprintf(` textLength="%d"`, n*cellW)
		}
		fmt.Fprintf(b, `<text x="%d" y="%d"%s>%s</text>`+"\n", t.x*cellW, t.y*cellH+baseline, length,
			html.EscapeString(t.text))
	}
	b.WriteString("</g>\n")
}

func filled(list ...block) string {
	var b strings.Builder
	for _, k := range list {
		fmt.Fprintf(&b, "M%d %dh%dv%dh-%dz", k.x, k.y, k.w, k.h, k.w)
	}
	return b.String()
}

// baseline is where letters stand in a cell.
const baseline = 12

func path(lines []segment) string {
	var b strings.Builder
	for _, s := range lines {
		if s.x0 == s.x1 && s.y0 != s.y1 {
			fmt.Fprintf(&b, "M%d %dV%d", s.x0, s.y0, s.y1)
		} else {
			fmt.Fprintf(&b, "M%d %dH%d", s.x0, s.y0, s.x1)
		}
	}
	return b.String()
}
