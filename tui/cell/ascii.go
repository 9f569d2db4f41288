package cell

import (
	"strings"
	"unicode/utf8"
)

// standIn is what stands for a character where there is ASCII only: a
// character as wide as it is and, in words, as much as it takes; 0 for
// characters that the interface does not write itself.
func standIn(r rune) (one byte, word string) {
	const (
		from = "│─╭╮╰╯╴╶╵╷┌┐└┘├┤┬┴┼┈┊┃━┏┓┗┛" +
			"²–—−‐·×≈▸▾▶◂◀" + marks + "▬✓✗◌█░▓→←↑↓⇧" + blocks +
			"ληµμργφακσεχ∇√‖±≥≤≠…" // these have words
		to = "|-..''--||+++++++++-|#=####2----.x~" +
			">v><<*#+xY&o@%=U$QBZGDC_vX.#:#><^v^_.-=+*%"
	)
	at := strings.IndexRune(from, r)
	if at < 0 {
		return 0, ""
	}
	n := utf8.RuneCountInString(from[:at])
	if n < len(to) {
		return to[n], to[n : n+1]
	}
	word = [...]string{"lambda", "eta", "mu", "mu", "rho", "gamma", "phi", "alpha",
		"kappa", "sigma", "epsilon", "chi", "grad ", "sqrt ", "||", "+-", ">=", "<=", "!=",
		"..."}[n-len(to)]
	return "lnuupgfaksexvv|+><!."[n-len(to)], word
}

// Seven is s in ASCII: every character beyond is replaced by one that looks
// like it, or by as many question marks as it takes cells. Escape sequences
// stay.
func Seven(s string) string {
	return replace(s, func(b *strings.Builder, r rune) {
		if one, _ := standIn(r); one != 0 {
			b.WriteByte(one)
			return
		}
		b.WriteString(strings.Repeat("?", RuneWidth(r)))
	})
}

// Spell is s in ASCII, as wide as it takes: Greek letters by their names. A
// no-break space stays for whoever breaks lines.
func Spell(s string) string {
	return replace(Clean(s), func(b *strings.Builder, r rune) {
		switch _, word := standIn(r); {
		case word != "":
			b.WriteString(word)
		case r == '\u00a0':
			b.WriteRune(r)
		case RuneWidth(r) > 0:
			b.WriteByte('?')
		}
	})
}

// SevenRune is Seven of one character.
func SevenRune(r rune) rune {
	switch one, _ := standIn(r); {
	case r < utf8.RuneSelf:
		return r
	case one != 0:
		return rune(one)
	}
	return '?'
}

// replace is s with all that is not ASCII written by put.
func replace(s string, put func(*strings.Builder, rune)) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if r < utf8.RuneSelf {
			b.WriteByte(byte(r))
		} else {
			put(&b, r)
		}
	}
	return b.String()
}

func plain(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// blocks are the eighths of a cell but the whole one, for small curves.
const blocks = "▁▂▃▄▅▆▇"

// marks are those of series, in their order.
const marks = "●■▲◆▼★○□△◇▽☆◉▣◈◎◐◑"

// Marks is how many series are told apart by a mark: more than there are methods.
const Marks = 18

// Mark is what tells series i from others where colour does not, or not alone: in charts and in
// tables. The first series have their own; series i+Marks, i+2*Marks, ... are variants of i and
// have the marks that come after its own.
func Mark(i int, ascii bool) rune {
	r := []rune(marks)[(i%Marks+i/Marks)%Marks]
	if ascii {
		return SevenRune(r)
	}
	return r
}
