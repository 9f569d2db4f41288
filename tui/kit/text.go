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

// Plural is so many of something.
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Left brings s to exactly w cells, with blanks on the right. It is Clean then, as
// all that is laid out here.
func Left(s string, w int) string {
	s = cell.Cut(s, w)
	return s + Blanks(w-cell.Width(s))
}

// Right brings s to exactly w cells, with blanks on the left.
func Right(s string, w int) string {
	s = cell.Cut(s, w)
	return Blanks(w-cell.Width(s)) + s
}

// Spread brings a and b to w cells together, a to the left and b to the right;
// b goes where both do not fit.
func Spread(a, b string, w int) string {
	if gap := w - cell.Width(a) - cell.Width(b); gap >= 1 {
		return a + Blanks(gap) + b
	}
	return Left(a, w)
}

// Blanks are n blanks, none for less than one.
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

// Names are those of runs in a question, a line each, of many the first ones.
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
