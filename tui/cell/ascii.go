package cell

import (
	"strings"
	"unicode/utf8"
)

// standIn returns what stands for a character where there is ASCII only: one, a character of the
// same width, and word, a spelling of any width. one is 0 for characters that the interface does
// not write itself.
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

// Seven returns s in ASCII: every other character is replaced by one that looks like it, or by a
// question mark for each of its cells. Escape sequences stay.
func Seven(s string) string {
	return replace(s, func(b *strings.Builder, r rune) {
		if one, _ := standIn(r); one != 0 {
			b.WriteByte(one)
			return
		}
		b.WriteString(strings.Repeat("?", RuneWidth(r)))
	})
}

// Spell returns s in ASCII, however wide that is, with Greek letters by their names. A no-break
// space stays for the code that breaks lines.
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

// SevenRune returns the ASCII stand-in of one character, '?' for a character without one.
func SevenRune(r rune) rune {
	switch one, _ := standIn(r); {
	case r < utf8.RuneSelf:
		return r
	case one != 0:
		return rune(one)
	}
	return '?'
}

// replace returns s with put writing every character that is not ASCII.
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

// blocks are the blocks of one to seven eighths of a cell, for small curves.
const blocks = "▁▂▃▄▅▆▇"

// marks are shapes, the marks of the first series in their order. letters are the marks of further
// series: none of them is the stand-in of a shape, nor R or S, which mark steps of a curve.
const (
	marks   = "●■▲◆▼★○□△◇▽☆◉▣◈◎◐◑"
	letters = "AEFHIJKLMNOPTVWabcdefghijklmnpqrstuwyz0123456789"
)

// Marks is the number of shapes, Letters that of letters. Series come in rows of Marks series.
// The first ShapeRows rows have shapes, those behind them letters.
const (
	Marks     = 18
	Letters   = len(letters)
	ShapeRows = 11
)

// Mark returns the mark of series i, which tells it from others in charts and in tables where
// colour does not, or not alone. The series of the first row have their own; series i+Marks,
// i+2*Marks, ... are variants of i and have the shapes that come after its own.
func Mark(i int, ascii bool) rune {
	if further := i - Marks*ShapeRows; further >= 0 {
		return rune(letters[further%Letters])
	}
	r := []rune(marks)[(i%Marks+i/Marks)%Marks]
	if ascii {
		return SevenRune(r)
	}
	return r
}
