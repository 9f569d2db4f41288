package cell

import (
	"cmp"
	"strings"
	"unicode/utf8"
)

// standIn returns what stands for a character where there is ASCII only: one of the same width, and
// a spelling of any width. Question marks stand for characters that the interface does not write
// itself. A no-break space is spelt as itself, for the code that breaks lines.
func standIn(r rune) (same, word string) {
	const (
		from = "│─╭╮╰╯╴╶╵╷┌┐└┘├┤┬┴┼┈┊┃━┏┓┗┛" +
			"²–—−‐·×≈→←↑↓⇧" + "█░▓" + blocks + subscripts +
			marks + Cursor + Worst + "◀" + // the signs have stand-ins of their own
			Queued + Running + Done + Stopped + Failed + Interrupted + Dropped +
			Best + Changed + Origin + Optimum + NotFinite + Checkpoint +
			"ληµμργφακσεχ∇√" + Paused + "±≥≤≠…" // these have words
		to = "|-..''--||+++++++++-|#=####" +
			"2----.x~><^v^" + "#:+" + "_.-=+*%" + "123456789+" +
			"@#+xY&oH%$ULQBZGDC" + "><<" + ",}v_F/`" + "^~=0X;"
	)
	at := strings.IndexRune(from, r)
	if at < 0 {
		same = strings.Repeat("?", RuneWidth(r))
		if r == '\u00a0' {
			return same, string(r)
		}
		return same, same[:min(1, len(same))]
	}
	n := utf8.RuneCountInString(from[:at])
	if n < len(to) {
		return to[n : n+1], to[n : n+1]
	}
	n -= len(to)
	word = [...]string{"lambda", "eta", "mu", "mu", "rho", "gamma", "phi", "alpha",
		"kappa", "sigma", "epsilon", "chi", "grad ", "sqrt ", "||", "+-", ">=", "<=", "!=",
		"..."}[n]
	return "lnuupgfaksexvv|+><!~"[n : n+1], word
}

// ASCII returns s in ASCII, as wide as it is. Escape sequences stay.
func ASCII(s string) string {
	return replace(s, func(same, _ string) string { return same })
}

// Spell returns s in ASCII, however wide that is, with Greek letters by their names.
func Spell(s string) string {
	return replace(Clean(s), func(_, word string) string { return word })
}

// ASCIIRune returns the ASCII stand-in of one character, '?' for a character without one.
func ASCIIRune(r rune) rune {
	if r < utf8.RuneSelf {
		return r
	}
	same, _ := standIn(r)
	return rune(cmp.Or(same, "?")[0])
}

// replace returns s with stand-ins for all characters that are not ASCII. pick chooses one of the
// two that standIn has for each.
func replace(s string, pick func(same, word string) string) string {
	if isASCII(s) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if r < utf8.RuneSelf {
			b.WriteByte(byte(r))
		} else {
			b.WriteString(pick(standIn(r)))
		}
	}
	return b.String()
}

// isASCII reports whether s is ASCII.
func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}
