package cell

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// TestNarrow: every rune that narrow accepts has one cell by the renderer's count, and Width agrees
// with that count.
func TestNarrow(t *testing.T) {
	for r := rune(0); r < 0x30000; r++ {
		if s := string(r); isNarrow(r) && ansi.StringWidthWc(s) != 1 {
			t.Errorf("%q has %d cells", s, ansi.StringWidthWc(s))
		}
	}
	for _, s := range []string{SGR("1;38;2;1;2;3") + "red" + SGR(""), "\x1b[1mx",
		"\x1b[", "\x1b[1", "\x1b[2Jx", "\x1b]0;title\x07x", "\x1bm", "a\tb", "a\x7fb", "\x1b[1:2mx",
		"─λ̄─", "a\xffb", "世─"} {
		if got, want := Width(s), ansi.StringWidthWc(ForTerminal(s)); got != want {
			t.Errorf("%q has %d cells, by the renderer's count %d", s, got, want)
		}
	}
}

func TestMiddle(t *testing.T) {
	for _, c := range []struct {
		in   string
		w    int
		want string
	}{{"Asian-Pac-Islander, Female", 15, "Asian-P… Female"}, {"short", 15, "short"},
		{"日本語の猫日本語", 9, "日本…本語"},
		{"abcdef", 3, "abc"}, {"abcdef", 0, ""}} {
		if got := Middle(c.in, c.w); got != c.want || Width(got) > c.w {
			t.Errorf("Middle(%q, %d) = %q, want %q", c.in, c.w, got, c.want)
		}
	}
}

// TestCutDropsSeparators: no separator dangles before the ellipsis, at any width.
func TestCutDropsSeparators(t *testing.T) {
	const text = "erm s1 · by step · mean of 5"
	for w := 4; w < Width(text); w++ {
		got := Cut(text, w)
		if strings.Contains(got, "·…") || strings.Contains(got, "· …") || Width(got) > w {
			t.Errorf("Cut(%q, %d) = %q", text, w, got)
		}
	}
	if got, want := Cut(text, 10), "erm s1…"; got != want {
		t.Errorf("Cut(%q, 10) = %q, want %q", text, got, want)
	}
}
