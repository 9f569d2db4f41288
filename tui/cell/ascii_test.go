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

func TestSpell(t *testing.T) {
	for s, want := range map[string]string{"λ0 ≥ 1": "lambda0 >= 1", "χ², 0.5": "chi2, 0.5",
		"2 × 3 · 4": "2 x 3 . 4", "世界": "??", "e\u0301": "e", "plain": "plain"} {
		if got := Spell(s); got != want {
			t.Errorf("Spell(%q) = %q, want %q", s, got, want)
		}
	}
}
