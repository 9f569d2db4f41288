package plot

import (
	"slices"
	"strings"

	"drolab/tui/cell"
)

// Role says what a cell shows; a palette maps roles to colours.
type Role uint8

const (
	Plain  Role = iota // blank cells and ordinary text
	Axis               // axis lines, ticks and their labels
	Data               // a series, bar or path
	Faint              // raw data under a smoothed line, older path
	Shade              // a band over seeds
	Ref                // a reference line or box
	Mark               // resume, learning-rate drop and other vertical markers
	Alert              // divergence
	Worst              // the worst bar
	Better             // a change for the better against the baseline
	Worse              // a change for the worse
	Back               // a series that others are in front of
	Hair               // the crosshair
	Heat               // a cell of a map; the series number is its level, below HeatLevels

	// Figures on a ground that says that they are better or worse than the baseline's. The series
	// number is the level of the ground, below TintLevels.
	BetterTint
	WorseTint
)

// tints reports whether cells of the role have a ground of their own, which blanks show, too.
func (r Role) tints() bool { return r == BetterTint || r == WorseTint }

// Style is what the caller paints: a role and, for Data, Faint, Shade and Back, the number of the
// series. It is two bytes and comparable, so that a palette can be a table and == finds runs of
// equal style.
type Style struct {
	Role   Role
	Series uint8
}

// Cell is one terminal cell. A wide rune takes two cells: itself and one with
// Rune 0. Mark is a combining mark on Rune (λ̄), 0 for none.
type Cell struct {
	Rune  rune
	Mark  rune
	Style Style
}

// Frame is a grid of cells, W wide and H high.
type Frame struct {
	W, H  int
	Cells []Cell // row by row, W*H

	// Memory for drawing a line, reused by the next line and the next drawing.
	cols  columns
	trace trace
}

// resize makes f a blank frame of the given size, reusing its memory, and reports whether it has
// any cells.
func (f *Frame) resize(w, h int) bool {
	w, h = max(w, 0), max(h, 0)
	f.W, f.H = w, h
	f.Cells = slices.Grow(f.Cells[:0], w*h)[:w*h]
	for i := range f.Cells {
		f.Cells[i] = Cell{Rune: ' '}
	}
	return len(f.Cells) > 0
}

// Row returns row y; row 0 is at the top.
func (f *Frame) Row(y int) []Cell { return f.Cells[y*f.W : (y+1)*f.W : (y+1)*f.W] }

// set puts a rune at a cell; outside the frame it does nothing. A wide rune
// that loses one of its cells loses both, so that a row keeps its width.
func (f *Frame) set(x, y int, r rune, s Style) {
	if x < 0 || y < 0 || x >= f.W || y >= f.H {
		return
	}
	row := f.Row(y)
	if row[x].Rune == 0 && x > 0 {
		row[x-1] = Cell{Rune: ' '}
	}
	if x+1 < f.W && row[x+1].Rune == 0 {
		row[x+1] = Cell{Rune: ' '}
	}
	row[x] = Cell{Rune: r, Style: s}
}

// text writes s from (x, y), cut to at most width cells and to the frame, and
// returns the number of cells written.
func (f *Frame) text(x, y, width int, s string, style Style) int {
	if x < 0 || y < 0 || y >= f.H {
		return 0
	}
	start, end := x, min(f.W, x+width)
	for _, r := range cell.Clean(s) {
		w := cell.RuneWidth(r)
		switch {
		case w == 0:
			if x > start && f.Cells[y*f.W+x-1].Rune != 0 {
				f.Cells[y*f.W+x-1].Mark = r // one mark a rune is enough for λ̄ and é
			}
			continue
		case x+w > end:
			return x - start
		}
		f.set(x, y, r, style)
		if w == 2 {
			f.set(x+1, y, ' ', style)
			f.Cells[y*f.W+x+1].Rune = 0
		}
		x += w
	}
	return x - start
}

// textRight writes s so that it ends before column x+width. What does not fit is left out: half of
// a number would be another number. Names are cut before.
func (f *Frame) textRight(x, y, width int, s string, style Style) {
	if n := cell.Width(s); n <= width {
		f.text(x+width-n, y, n, s, style)
	}
}

// WriteRow writes row y to b, each run of equally styled text between the two strings that ends
// returns for its style. Blanks take the style of the text before them, because a blank has no
// colour and every change of style costs bytes on the wire. Only a tint ends where its cells end.
func (f *Frame) WriteRow(b *strings.Builder, y int, ends func(Style) (start, end string)) {
	row := f.Row(y)
	style, end := Style{}, ""
	for i := range row {
		c := &row[i]
		if c.Rune == 0 {
			continue
		}
		shows := c.Rune != ' ' || c.Style.Role.tints() || style.Role.tints()
		if c.Style != style && shows {
			b.WriteString(end)
			style = c.Style
			var start string
			start, end = ends(style)
			b.WriteString(start)
		}
		b.WriteRune(c.Rune)
		if c.Mark != 0 {
			b.WriteRune(c.Mark)
		}
	}
	b.WriteString(end)
}

// String returns the frame without styles, each row as a line.
func (f *Frame) String() string {
	var b strings.Builder
	for y := range f.H {
		f.WriteRow(&b, y, func(Style) (start, end string) { return "", "" })
		b.WriteByte('\n')
	}
	return b.String()
}

// finish ends a drawing. In ASCII it replaces every rune beyond 7 bits by its stand-in, whatever
// the labels hold, which were spelt out before.
func (f *Frame) finish(cs Charset) {
	if cs != ASCII {
		return
	}
	for i := range f.Cells {
		c := &f.Cells[i]
		c.Mark = 0
		c.Rune = cell.ASCIIRune(c.Rune)
		if c.Rune == 0 {
			c.Rune = '?'
		}
	}
}
