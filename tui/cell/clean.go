package cell

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ownPrefix begins every sequence with which the interface styles text. Its parameter means nothing
// to a terminal and is drawn at random in each process. So the program's own sequences are told
// from those of a file, even in one line.
var ownPrefix = "\x1b[" + strconv.Itoa(1e8+rand.IntN(9e8)) + ";"

// SGR returns the program's own sequence for colours and attributes; "" turns all of them off.
func SGR(parameters string) string { return ownPrefix + parameters + "m" }

// Seal makes the sequences of s the program's own. s is text that a library styled, and that was
// Clean before.
func Seal(s string) string { return strings.ReplaceAll(s, "\x1b[", ownPrefix) }

// ForTerminal returns a line as a terminal gets it: Clean, with the program's own sequences as the
// terminal knows them.
func ForTerminal(line string) string { return strings.ReplaceAll(Clean(line), ownPrefix, "\x1b[") }

// ownLength returns the length of the program's own sequence that s begins with; 0 for none.
func ownLength(s string) int {
	if !strings.HasPrefix(s, ownPrefix) {
		return 0
	}
	for i := len(ownPrefix); i < len(s); i++ {
		switch c := s[i]; {
		case c == 'm':
			return i + 1
		case (c < '0' || c > '9') && c != ';':
			return 0
		}
	}
	return 0
}

// Clean is the gate between files and the screen: it returns text that has printable characters and
// the program's own styles, and nothing else. Every function that measures, cuts or places text
// passes it through here. Tabs and line breaks become blanks. Joiners and selectors of a glyph are
// dropped. A control character becomes its code, as errors quote it and options of a dataset take
// it. Every other invisible character or broken byte becomes a question mark.
func Clean(s string) string {
	at := firstUnclean(s)
	if at == len(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for at < len(s) {
		b.WriteString(s[:at])
		r, size := utf8.DecodeRuneInString(s[at:])
		b.WriteString(replacement(r))
		s = s[at+size:]
		at = firstUnclean(s)
	}
	b.WriteString(s)
	return b.String()
}

// firstUnclean returns the index of the first character of s that Clean replaces, or the length of
// s.
func firstUnclean(s string) int {
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c >= ' ' && c < 0x7f:
			i++
		case c < utf8.RuneSelf:
			n := ownLength(s[i:])
			if n == 0 {
				return i
			}
			i += n
		default:
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 || Steers(r) {
				return i
			}
			i += size
		}
	}
	return len(s)
}

// Steers reports whether a character could steer a terminal, or whether terminals disagree about it
// or its neighbour.
func Steers(r rune) bool {
	switch {
	case r < utf8.RuneSelf:
		return r < ' ' || r == 0x7f
	case isNarrow(r):
		return false
	}
	return !unicode.IsGraphic(r) || modifiesGlyph(r) ||
		unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
}

// modifiesGlyph reports whether a character only changes the look of the one before.
func modifiesGlyph(r rune) bool {
	const nonJoiner, joiner, lightSkin, darkSkin = 0x200c, 0x200d, 0x1f3fb, 0x1f3ff
	return r == nonJoiner || r == joiner || r >= lightSkin && r <= darkSkin ||
		unicode.Is(unicode.Variation_Selector, r)
}

// replacement returns the replacement of a character that steers.
func replacement(r rune) string {
	switch {
	case modifiesGlyph(r):
		return ""
	case unicode.IsSpace(r):
		return " "
	case r < utf8.RuneSelf:
		return fmt.Sprintf(`\x%02x`, r)
	}
	return "?"
}
