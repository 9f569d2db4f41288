package cell

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// OneLine returns s in one line, Clean, with line breaks turned into "; ".
func OneLine(s string) string {
	lines := strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' })
	for i := range lines {
		lines[i] = Clean(strings.TrimSpace(lines[i]))
	}
	return strings.Join(lines, "; ")
}

// Strip returns text of another program without its colours and other terminal sequences.
func Strip(s string) string { return Clean(ansi.Strip(s)) }

// Width returns the number of cells of s, styled or not, as the renderer counts them.
func Width(s string) int {
	_, n := cleanWidth(s)
	return n
}

// cleanWidth returns s as it may be shown, and its width.
func cleanWidth(s string) (string, int) {
	if n, ok := plainWidth(s); ok {
		return s, n
	}
	s = Clean(s)
	return s, ansi.StringWidthWc(s)
}

// RuneWidth returns the number of cells of a character; 0 for one that combines with the one
// before.
func RuneWidth(r rune) int {
	if r >= ' ' && r < 0x7f || isNarrow(r) {
		return 1
	}
	return ansi.StringWidthWc(string(r))
}

// plainWidth returns the width of text that holds narrow characters and colours alone, as nearly
// all text here does; ok is false for other text. It is several times as fast as cleaning and
// measuring.
func plainWidth(s string) (n int, ok bool) {
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == '\x1b':
			size := ownLength(s[i:])
			if size == 0 {
				return 0, false
			}
			i += size
			continue
		case c < ' ' || c == 0x7f:
			return 0, false
		case c < utf8.RuneSelf:
			i++
		default:
			r, size := utf8.DecodeRuneInString(s[i:])
			if !isNarrow(r) {
				return 0, false
			}
			i += size
		}
		n++
	}
	return n, true
}

// isNarrow reports whether a character is certainly one cell wide: boxes, blocks and shapes,
// braille, Greek and the other characters that the interface itself writes.
func isNarrow(r rune) bool {
	return r >= 0x2500 && r <= 0x25fc || r == '★' || r >= '₀' && r <= '₊' ||
		r >= 0x2800 && r <= 0x28ff || r >= 'α' && r <= 'ω' ||
		r >= '←' && r <= '↓' || r == '·' || r == '–' || r == '…' || r == '×' || r == '±' ||
		r == '‖' || r == '✓' || r == '✗' || r == '✕' || r == '≥' || r == '≤'
}

// Middle shortens s to at most w cells, with an ellipsis in the middle if it was longer, since both
// ends tell apart names that are made of parts.
func Middle(s string, w int) string {
	s, cells := cleanWidth(s)
	if cells <= w || w < 4 {
		return Cut(s, w)
	}
	head := ansi.TruncateWc(s, (w-1)/2, "")
	return head + "…" + Last(s, w-1-Width(head))
}

// First returns the beginning of s, at most w cells of it.
func First(s string, w int) string { return ansi.TruncateWc(Clean(s), max(0, w), "") }

// Last returns the end of s, at most w cells of it.
func Last(s string, w int) string {
	s, cells := cleanWidth(s)
	end := ansi.TruncateLeftWc(s, max(0, cells-max(0, w)), "")
	if Width(end) > w { // half of a wide character was to go
		end = ansi.TruncateLeftWc(s, max(0, cells-max(0, w)+1), "")
	}
	return end
}

// Cut shortens s to at most w cells, with an ellipsis where it was longer. It does not leave a
// separator before the ellipsis, since nothing follows it.
func Cut(s string, w int) string {
	s, cells := cleanWidth(s)
	switch {
	case w <= 0:
		return ""
	case cells <= w:
		return s
	case w < 4:
		return ansi.TruncateWc(s, w, "")
	}
	return strings.TrimRight(ansi.TruncateWc(s, w-1, ""), " ·") + "…"
}
