package cell

import (
	"cmp"
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

// Bare returns text of another program without its colours and other terminal sequences.
func Bare(s string) string { return Clean(ansi.Strip(s)) }

// Width returns the number of cells of s, styled or not, as the renderer counts them.
func Width(s string) int {
	_, n := measured(s)
	return n
}

// measured returns s as it may be shown, and its width.
func measured(s string) (string, int) {
	if n, ok := plainWidth(s); ok {
		return s, n
	}
	s = Clean(s)
	return s, ansi.StringWidthWc(s)
}

// RuneWidth returns the number of cells of a character; 0 for one that combines with the one
// before.
func RuneWidth(r rune) int {
	if r >= ' ' && r < 0x7f || narrow(r) {
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
			if !narrow(r) {
				return 0, false
			}
			i += size
		}
		n++
	}
	return n, true
}

// narrow reports whether a character is certainly one cell wide: boxes, blocks and shapes, braille,
// Greek and the other characters that the interface itself writes.
func narrow(r rune) bool {
	return r >= 0x2500 && r <= 0x25fc || r == '★' || r == '☆' ||
		r >= 0x2800 && r <= 0x28ff || r >= 'α' && r <= 'ω' ||
		r >= '←' && r <= '↓' || r == '·' || r == '–' || r == '…' || r == '×' || r == '±' ||
		r == '‖' || r == '✓' || r == '✗' || r == '✕' || r == '≥' || r == '≤'
}

// Middle shortens s to at most w cells, with an ellipsis in the middle if it was longer, since both
// ends tell apart names that are made of parts.
func Middle(s string, w int) string {
	s, cells := measured(s)
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
	s, cells := measured(s)
	return ansi.TruncateLeftWc(s, max(0, cells-max(0, w)), "")
}

// Cut shortens s to at most w cells, with an ellipsis where it was longer.
func Cut(s string, w int) string {
	s, cells := measured(s)
	switch {
	case w <= 0:
		return ""
	case cells <= w:
		return s
	case w < 4:
		return ansi.TruncateWc(s, w, "")
	}
	return ansi.TruncateWc(s, w, "…")
}

// standIn returns what stands for a character where there is ASCII only: one of the same width, and
// a spelling of any width. Question marks stand for characters that the interface does not write
// itself. A no-break space is spelt as itself, for the code that breaks lines.
func standIn(r rune) (same, word string) {
	const (
		from = "│─╭╮╰╯╴╶╵╷┌┐└┘├┤┬┴┼┈┊┃━┏┓┗┛" +
			"²–—−‐·×≈▸▾▶◂◀" + marks + "▬✓✗◌█░▓→←↑↓⇧" + blocks +
			"ληµμργφακσεχ∇√‖±≥≤≠…" // these have words
		to = "|-..''--||+++++++++-|#=####2----.x~" +
			">v><<*#+xY&o@%=U$QBZGDC_vX.#:+><^v^_.-=+*%"
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
	return "lnuupgfaksexvv|+><!."[n : n+1], word
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
	if plain(s) {
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

// plain reports whether s is ASCII.
func plain(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
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
		return ASCIIRune(r)
	}
	return r
}
