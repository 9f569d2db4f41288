package cell

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
)

// EscapeJSON returns JSON that means the same and has no character that could steer a terminal:
// JSON's own escapes replace such characters.
func EscapeJSON(text []byte) []byte {
	plain := func(c byte) bool { return c == '\n' || ' ' <= c && c <= '~' }
	if !slices.ContainsFunc(text, func(c byte) bool { return !plain(c) }) {
		return text // as nearly all is, and a list of runs is tens of megabytes
	}
	var b strings.Builder
	for _, r := range string(text) {
		switch {
		case r == '\n' || !Steers(r):
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return []byte(b.String())
}
