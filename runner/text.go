package runner

import (
	"strings"
	"unicode"
)

// OneLine returns text from elsewhere as one line of at most n runes that a terminal shows as it
// is.
func OneLine(text string, n int) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "?")), " ")
	text = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, text)
	if runes := []rune(text); len(runes) > n {
		text = string(runes[:n]) + "…"
	}
	return text
}
