package kit

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

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

func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Clean drops what could steer a terminal, or what terminals disagree about,
// from text that came from a file: control characters, invisible format
// characters such as a change of writing direction, and variation selectors.
func Clean(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Co, unicode.Zl, unicode.Zp) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
}

// OneLine is Clean, with line breaks turned into "; ".
func OneLine(s string) string {
	lines := strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' })
	for i := range lines {
		lines[i] = Clean(strings.TrimSpace(lines[i]))
	}
	return strings.Join(lines, "; ")
}

// Width is the number of cells of s, styled or not, as the renderer counts.
func Width(s string) int {
	if n, ok := plainWidth(s); ok {
		return n
	}
	return ansi.StringWidthWc(s)
}

// plainWidth is the width of what is made of narrow characters and colours
// alone, as nearly everything that is drawn here: several times as fast as
// the search for what is not.
func plainWidth(s string) (n int, ok bool) {
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == '\x1b':
			size := sgr(s[i:])
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
			if !oneCell(r) {
				return 0, false
			}
			i += size
		}
		n++
	}
	return n, true
}

// sgr is the length of the sequence for colours and attributes that s begins
// with; 0 for another one.
func sgr(s string) int {
	if len(s) < 3 || s[1] != '[' {
		return 0
	}
	for i := 2; i < len(s); i++ {
		switch c := s[i]; {
		case c == 'm':
			return i + 1
		case (c < '0' || c > '9') && c != ';':
			return 0
		}
	}
	return 0
}

// oneCell tells whether a character is surely one cell wide: boxes, blocks and
// shapes, braille, Greek and what else the interface itself writes.
func oneCell(r rune) bool {
	switch {
	case r >= 0x2500 && r <= 0x25fc, r >= 0x2800 && r <= 0x28ff, r >= 'α' && r <= 'ω', r >= '←' && r <= '↓':
		return true
	}
	switch r {
	case '·', '–', '…', '×', '±', '‖', '✓', '✗', '≥', '≤':
		return true
	}
	return false
}

// Cut shortens s to at most w cells, with an ellipsis where it was longer.
func Cut(s string, w int) string {
	switch {
	case w <= 0:
		return ""
	case Width(s) <= w:
		return s
	case w < 4:
		return ansi.TruncateWc(s, w, "")
	}
	return ansi.TruncateWc(s, w, "…")
}

// Left brings s to exactly w cells, with blanks on the right.
func Left(s string, w int) string {
	s = Cut(s, w)
	return s + Blanks(w-Width(s))
}

// Right brings s to exactly w cells, with blanks on the left.
func Right(s string, w int) string {
	s = Cut(s, w)
	return Blanks(w-Width(s)) + s
}

// Spread brings a and b to w cells together, a to the left and b to the right;
// b goes where both do not fit.
func Spread(a, b string, w int) string {
	if gap := w - Width(a) - Width(b); gap >= 1 {
		return a + Blanks(gap) + b
	}
	return Left(a, w)
}

func Blanks(n int) string { return strings.Repeat(" ", max(0, n)) }

// Wrap breaks text into lines of at most w cells at blanks.
func Wrap(s string, w int) []string {
	return strings.Split(ansi.WrapWc(s, max(1, w), ""), "\n")
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

// SevenBit replaces every character beyond ASCII: by one that looks like it,
// or by as many question marks as it takes cells. Escape sequences stay.
func SevenBit(s string) string {
	return strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII {
			return r
		}
		if i := strings.IndexRune(likeFrom, r); i >= 0 {
			return rune(likeTo[len([]rune(likeFrom[:i]))])
		}
		return '?'
	}, widen(s))
}

// The characters that the interface itself uses, and their stand-ins.
const (
	likeFrom = "…–—·×±≥≤≠≈‖√│─╭╮╰╯┃━┏┓┗┛├┤┬┴┼▸▾▶◂◀●■▲◆○□△◇✓✗◌█░▓→←↑↓λημργφ²⇧"
	likeTo   = ".--.x+><!~|v|-....|=....+++++>v><<*#Axo#AxvX.#.#><^vlnupgf2^"
)

// widen doubles each character that takes two cells, so that replacing it
// keeps the width.
func widen(s string) string {
	if isASCII(s) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch w := Width(string(r)); {
		case r < unicode.MaxASCII || w == 1:
			b.WriteRune(r)
		case w == 2:
			b.WriteString("??")
		}
	}
	return b.String()
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
