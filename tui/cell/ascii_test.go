package cell

import (
	"strings"
	"testing"
)

func TestSeven(t *testing.T) {
	for _, s := range []string{"╭─ λ ± 3 ─╮", "\x1b[1m世界\x1b[m", "naïve",
		strings.Repeat("│", 5)} {
		got := ASCII(s)
		if !isASCII(got) || Width(got) != Width(s) {
			t.Errorf("ASCII(%q) = %q, %d cells of %d", s, got, Width(got), Width(s))
		}
	}
}

// TestEllipsis: the mark of a text that was cut never looks like the end of a sentence.
func TestEllipsis(t *testing.T) {
	if got, want := ASCII(Cut("a sentence that is cut", 10)), "a sentenc~"; got != want {
		t.Errorf("cut and in ASCII: %q, want %q", got, want)
	}
}

func TestSpell(t *testing.T) {
	for s, want := range map[string]string{"λ0 ≥ 1": "lambda0 >= 1", "χ², 0.5": "chi2, 0.5",
		"2 × 3 · 4": "2 x 3 . 4", "世界": "??", "e\u0301": "e", "plain": "plain"} {
		if got := Spell(s); got != want {
			t.Errorf("Spell(%q) = %q, want %q", s, got, want)
		}
	}
}
