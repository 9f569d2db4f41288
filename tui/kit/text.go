package kit

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"drolab/tui/cell"
	"drolab/tui/plot"

	"github.com/charmbracelet/x/ansi"
)

// Duration writes how long something took or will take, as axes do: 7s, 12m34s, 1h02m, 3d04h.
func Duration(d time.Duration) string { return plot.FormatDuration(d.Seconds()) }

// Age writes how long ago something was, in its largest unit: "40 s", "12 min", "3 h", "5 d".
// Seconds go in steps of five, so that the screen stands meanwhile.
func Age(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", d/time.Second/5*5)
	case d < time.Hour:
		return fmt.Sprintf("%d min", d/time.Minute)
	case d < day:
		return fmt.Sprintf("%d h", d/time.Hour)
	}
	return fmt.Sprintf("%d d", d/day)
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

// Justify brings a and b to w cells together, a to the left and b to the right; b is dropped if
// they do not both fit.
func Justify(a, b string, w int) string {
	if gap := w - cell.Width(a) - cell.Width(b); gap >= 1 {
		return a + Blanks(gap) + b
	}
	return Left(a, w)
}

// Blanks returns n blanks, none if n is less than one.
func Blanks(n int) string { return strings.Repeat(" ", max(0, n)) }

// Wrap breaks text into lines of at most w cells at blanks and line breaks. Where a line is broken
// behind a separator, the break takes the separator's place.
func Wrap(s string, w int) (lines []string) {
	for line := range strings.SplitSeq(s, "\n") {
		parts := strings.Split(ansi.WrapWc(cell.Clean(line), max(1, w), ""), "\n")
		for i := range len(parts) - 1 {
			parts[i] = strings.TrimSuffix(parts[i], " ·")
		}
		lines = append(lines, parts...)
	}
	return lines
}

// Hang wraps a text in lines of less than w cells that hang from a mark: the first line begins with
// it, the others with blanks.
func (t *Theme) Hang(mark string, st Style, text string, w int) (lines []string) {
	for _, part := range Wrap(t.Greek(text), w-cell.Width(mark)-1) {
		lines = append(lines, mark+st.Paint(part))
		mark = Blanks(cell.Width(mark))
	}
	return lines
}

// Flow puts parts into lines of at most w cells, with a gap between those of a line. The first line
// begins with lead, the others with blanks in its place.
func Flow(lead string, parts []string, gap string, w int) (lines []string) {
	indent := cell.Width(lead)
	line, used := lead, indent
	for i, part := range parts {
		n := cell.Width(part)
		if i > 0 && used+cell.Width(gap)+n > w {
			lines, line, used = append(lines, line), Blanks(indent), indent
		} else if i > 0 {
			line, used = line+gap, used+cell.Width(gap)
		}
		line, used = line+part, used+n
	}
	if len(parts) > 0 {
		lines = append(lines, line)
	}
	return lines
}

// Fill brings lines to exactly h lines of w cells.
func Fill(lines []string, w, h int) []string {
	out := slices.Repeat([]string{Blanks(w)}, max(0, h))
	for i, line := range lines[:min(len(lines), len(out))] {
		out[i] = Left(line, w)
	}
	return out
}

// WithCursor returns a line that begins with a blank. If here is set, the cursor replaces the
// blank.
func (t *Theme) WithCursor(line string, here bool) string {
	if !here {
		return line
	}
	return t.Accent.Paint(t.Cursor) + t.Title.Paint(line[1:])
}

// First returns the first line to show if some rows show a part of so many lines, with the line
// under the cursor about in the middle.
func First(at, lines, rows int) int { return max(0, min(at-rows/2, lines-rows)) }
