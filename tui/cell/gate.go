package cell

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// own begins every sequence that the interface styles text with: a parameter that means
// nothing to a terminal and is drawn anew in each process. So what is ours is told from
// what a file says, wherever the two stand in one line.
var own = "\x1b[" + strconv.Itoa(1e8+rand.IntN(9e8)) + ";"

// SGR is a sequence of ours for colours and attributes, "" being all of them off.
func SGR(parameters string) string { return own + parameters + "m" }

// Seal makes the sequences of s ours: text that a library styled, and that was Clean
// before.
func Seal(s string) string { return strings.ReplaceAll(s, "\x1b[", own) }

// Sent is a line as a terminal gets it: Clean, and of our sequences what it knows.
func Sent(line string) string { return strings.ReplaceAll(Clean(line), own, "\x1b[") }

// sealed is the length of the sequence of ours that s begins with; 0 for none.
func sealed(s string) int {
	if !strings.HasPrefix(s, own) {
		return 0
	}
	return sgr(s)
}

// Clean is the gate between files and the screen: text that has printable characters
// and styles of ours, and nothing else. Whatever measures, cuts or places text lets it
// through here. Tabs and line breaks become blanks, joiners and selectors of a glyph go,
// and every other control, invisible character or broken byte becomes a question mark.
func Clean(s string) string {
	at := dirt(s)
	if at == len(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for at < len(s) {
		b.WriteString(s[:at])
		r, size := utf8.DecodeRuneInString(s[at:])
		b.WriteString(sign(r))
		s = s[at+size:]
		at = dirt(s)
	}
	b.WriteString(s)
	return b.String()
}

// dirt is where s first has what Clean replaces; its length for nowhere.
func dirt(s string) int {
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c >= ' ' && c < 0x7f:
			i++
		case c < utf8.RuneSelf:
			n := sealed(s[i:])
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

// Steers tells whether a character could steer a terminal, or terminals disagree about
// it or its neighbour.
func Steers(r rune) bool {
	switch {
	case r < utf8.RuneSelf:
		return r < ' ' || r == 0x7f
	case narrow(r):
		return false
	}
	return !unicode.IsGraphic(r) || shapes(r) ||
		unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
}

// shapes tells of characters that only change the look of the one before.
func shapes(r rune) bool {
	const nonJoiner, joiner, lightSkin, darkSkin = 0x200c, 0x200d, 0x1f3fb, 0x1f3ff
	return r == nonJoiner || r == joiner || r >= lightSkin && r <= darkSkin ||
		unicode.Is(unicode.Variation_Selector, r)
}

// sign stands in the place of a character that steers.
func sign(r rune) string {
	switch {
	case shapes(r):
		return ""
	case unicode.IsSpace(r):
		return " "
	}
	return "?"
}
