package kit

import (
	"fmt"
	"strings"
	"time"

	"drolab/tui/cell"

	"github.com/charmbracelet/x/ansi"
)

// Clock formats a duration as 0:07, 12:34 or 1:02:03.
func Clock(d time.Duration) string {
	s := int64(d.Round(time.Second) / time.Second)
	if s < 3600 {
		return fmt.Sprintf("%d:%02d", s/60, s%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}

// Plural returns a count with its noun, in the plural unless the count is 1.
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Left brings s to exactly w cells, with blanks on the right. The result is Clean, as is all text
// that is laid out here.
func Left(s string, w int) string {
	s = cell.Cut(s, w)
	return s + Blanks(w-cell.Width(s))
}

// Right brings s to exactly w cells, with blanks on the left.
func Right(s string, w int) string {
	s = cell.Cut(s, w)
	return Blanks(w-cell.Width(s)) + s
}

// Spread brings a and b to w cells together, a to the left and b to the right; b is dropped if they
// do not both fit.
func Spread(a, b string, w int) string {
	if gap := w - cell.Width(a) - cell.Width(b); gap >= 1 {
		return a + Blanks(gap) + b
	}
	return Left(a, w)
}

// Blanks returns n blanks, none if n is less than one.
func Blanks(n int) string { return strings.Repeat(" ", max(0, n)) }

// Wrap breaks text into lines of at most w cells at blanks and line breaks.
func Wrap(s string, w int) (lines []string) {
	for line := range strings.SplitSeq(s, "\n") {
		lines = append(lines, strings.Split(ansi.WrapWc(cell.Clean(line), max(1, w), ""), "\n")...)
	}
	return lines
}

// Fill brings lines to exactly h lines of w cells.
func Fill(lines []string, w, h int) []string {
	out := make([]string, max(0, h))
	for i := range out {
		if i < len(lines) {
			out[i] = Left(lines[i], w)
		} else {
			out[i] = Blanks(w)
		}
	}
	return out
}

// Names returns the names of runs for a question, a line each; of many, the first ones and the
// number of the rest.
func Names(ids []string) (lines []string) {
	const most = 8
	for _, id := range ids[:min(len(ids), most)] {
		lines = append(lines, "  "+id)
	}
	if len(ids) > most {
		lines = append(lines, fmt.Sprintf("  and %d more", len(ids)-most))
	}
	return lines
}

// Point is a statement to show: a name and a text.
type Point struct {
	Name, Text string
	Style      Style
	Whole      bool // wrapped, even if others then have no room; a no-break space breaks nowhere
}

// Points draws as many points as fit in h lines of w cells, each in one line or, as far as there is
// room, wrapped. The texts are indented.
func (t *Theme) Points(points []Point, indent, w, h int) (lines []string) {
	texts, rows := make([][]string, len(points)), make([]int, len(points))
	room := h
	take := func(i, n int) {
		n = min(n, room)
		rows[i] += n
		room -= n
	}
	for i, p := range points {
		cells := w - indent - 1
		if p.Name == "" {
			cells = w - 2
		}
		texts[i] = Wrap(t.Greek(p.Text), cells)
		if p.Whole {
			take(i, len(texts[i]))
		}
	}
	for i, p := range points {
		if !p.Whole {
			take(i, 1)
		}
	}
	for i, p := range points {
		take(i, len(texts[i])-rows[i])
		lines = append(lines, t.point(p, texts[i], rows[i], indent, w)...)
	}
	return lines
}

// point draws a point in some lines; the last of them is cut if there is more text.
func (t *Theme) point(p Point, text []string, rows, indent, w int) (lines []string) {
	for j := range rows {
		s, head := text[j], " "
		if j == rows-1 {
			s = strings.Join(text[j:], " ")
		}
		s = strings.ReplaceAll(s, "\u00a0", " ")
		if p.Name != "" {
			head += Left(p.Name, indent-1)
			p.Name = " "
		}
		lines = append(lines, t.Dim.Paint(head)+p.Style.Paint(cell.Cut(s, w-cell.Width(head)-1)))
	}
	return lines
}
