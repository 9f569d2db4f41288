package plot

import (
	"strings"
	"unicode"
)

// wide are the runes that terminals draw two cells wide: East Asian Wide and
// Fullwidth (Unicode UAX #11), which include the emoji. Ambiguous runes (Greek,
// box drawing) count one.
func wide(r rune) bool {
	switch {
	case r < 0x1100:
		return false
	case r <= 0x115f, r >= 0x2e80 && r <= 0x303e, r >= 0x3041 && r <= 0xa4cf,
		r >= 0xa960 && r <= 0xa97f, r >= 0xac00 && r <= 0xd7a3,
		r >= 0xf900 && r <= 0xfaff, r >= 0xfe10 && r <= 0xfe19,
		r >= 0xfe30 && r <= 0xfe6f, r >= 0xff01 && r <= 0xff60,
		r >= 0xffe0 && r <= 0xffe6:
		return true
	case r >= 0x1f300 && r <= 0x1f64f, r >= 0x1f680 && r <= 0x1f6ff,
		r >= 0x1f7e0 && r <= 0x1f7eb, r >= 0x1f900 && r <= 0x1faff,
		r >= 0x16fe0 && r <= 0x18cff, r >= 0x1b000 && r <= 0x1b2ff,
		r >= 0x1f000 && r <= 0x1f2ff, r >= 0x20000 && r <= 0x3fffd:
		return true
	}
	return wideSymbol(r)
}

// wideSymbol are the single wide symbols among narrow ones.
func wideSymbol(r rune) bool {
	switch r {
	case 0x231a, 0x231b, 0x2329, 0x232a, 0x23e9, 0x23ea, 0x23eb, 0x23ec, 0x23f0, 0x23f3,
		0x25fd, 0x25fe, 0x2614, 0x2615, 0x267f, 0x2693, 0x26a1, 0x26aa, 0x26ab, 0x26bd,
		0x26be, 0x26c4, 0x26c5, 0x26ce, 0x26d4, 0x26ea, 0x26f2, 0x26f3, 0x26f5, 0x26fa,
		0x26fd, 0x2705, 0x270a, 0x270b, 0x2728, 0x274c, 0x274e, 0x2753, 0x2754, 0x2755,
		0x2757, 0x2795, 0x2796, 0x2797, 0x27b0, 0x27bf, 0x2b1b, 0x2b1c, 0x2b50, 0x2b55:
		return true
	}
	return r >= 0x2648 && r <= 0x2653
}

// clean returns the rune to draw and its width: control characters, invalid
// runes and bidirectional controls become '?', joiners and variation selectors
// vanish (0, 0), combining marks have width 0.
func clean(r rune) (rune, int) {
	switch {
	case r >= ' ' && r < 0x7f:
		return r, 1
	case r < 0xa0, r == unicode.ReplacementChar, r == 0x2028, r == 0x2029:
		return '?', 1
	case r == 0x200b, r == 0x200c, r == 0x200d, r >= 0xfe00 && r <= 0xfe0f, r == 0xad:
		return 0, 0
	case unicode.In(r, unicode.Mn, unicode.Me):
		return r, 0
	case r >= 0x1160 && r <= 0x11ff, r >= 0xd7b0 && r <= 0xd7ff: // jamo that join
		return '?', 1
	case unicode.Is(unicode.Cf, r), !unicode.IsPrint(r) && !unicode.IsSpace(r):
		return '?', 1
	case r >= 0x1f3fb && r <= 0x1f3ff: // skin tones join with what precedes them
		return 0, 0
	case unicode.IsSpace(r):
		return ' ', 1
	case wide(r):
		return r, 2
	}
	return r, 1
}

// Width is the number of cells that s takes when this package draws it.
func Width(s string) int {
	n := 0
	for _, r := range s {
		_, w := clean(r)
		n += w
	}
	return n
}

// truncate cuts s to at most width cells, ending in '…' where it was cut and
// there is room.
func truncate(s string, width int) string {
	if width <= 0 {
		return ""
	}
	if Width(s) <= width {
		return s
	}
	n := 0
	for i, r := range s {
		_, w := clean(r)
		if n+w > width-1 {
			return s[:i] + "…"
		}
		n += w
	}
	return s
}

// spell writes s in 7-bit characters: Greek letters by name, the rest as '?'.
func spell(s string) string {
	ascii := true
	for i := range len(s) {
		ascii = ascii && s[i] < 0x80
	}
	if ascii {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		c, w := clean(r)
		switch name := letterName(c); {
		case name != "":
			b.WriteString(name)
		case w == 0:
		case c < 0x80:
			b.WriteRune(c)
		default:
			b.WriteByte('?')
		}
	}
	return b.String()
}

func letterName(r rune) string {
	switch r {
	case 'λ':
		return "lambda"
	case 'η':
		return "eta"
	case 'γ':
		return "gamma"
	case 'ρ':
		return "rho"
	case 'μ', 'µ':
		return "mu"
	case 'α':
		return "alpha"
	case 'κ':
		return "kappa"
	case 'σ':
		return "sigma"
	case 'ε':
		return "epsilon"
	case 'χ':
		return "chi"
	case '²':
		return "2"
	case '±':
		return "+/-"
	case '–', '—', '−', '‐':
		return "-"
	case '…':
		return "."
	case '·', '×':
		return "*"
	case '≥':
		return ">="
	case '≤':
		return "<="
	}
	return ""
}
