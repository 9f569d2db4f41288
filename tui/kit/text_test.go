package kit

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
)

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"plain λ̄ 世界":           "plain λ̄ 世界",
		"\x1b[2Jgone\x07":       "[2Jgone",
		"\u009b31m":             "31m",
		"right\u202eleft":       "rightleft",
		"a\xffb":                "a?b",
		"tab\tline\r\nbreak":    "tablinebreak",
		"zero\u200bwidth\ufeff": "zerowidth",
		"heart\u2764\ufe0f":     "heart\u2764",
		"evil\u2066":            "evil",
		"e\u0301 stays":         "e\u0301 stays",
		"\x7f\x00":              "",
	} {
		if got := Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
	if got := OneLine("first\r\n  second\n\n\x1bthird"); got != "first; second; third" {
		t.Errorf("oneLine gives %q", got)
	}
}

func TestWidths(t *testing.T) {
	for _, s := range []string{"", "a", "abcdef", "世界世界", "λ̄λ̄λ̄", "\x1b[1mbold\x1b[m and more", "a世b界c"} {
		for w := range 12 {
			for name, got := range map[string]string{"left": Left(s, w), "right": Right(s, w), "spread": Spread(s, "xy", w)} {
				if Width(got) != w {
					t.Errorf("%s(%q, %d) = %q has %d cells", name, s, w, got, Width(got))
				}
			}
			if got := Cut(s, w); Width(got) > w {
				t.Errorf("cut(%q, %d) = %q has %d cells", s, w, got, Width(got))
			}
		}
	}
}

func TestClock(t *testing.T) {
	for in, want := range map[time.Duration]string{7 * time.Second: "0:07", 754 * time.Second: "12:34", 3723 * time.Second: "1:02:03"} {
		if got := Clock(in); got != want {
			t.Errorf("Clock(%v) = %q, want %q", in, got, want)
		}
	}
}

// TestOneCell holds what is taken for narrow to what the renderer counts.
func TestOneCell(t *testing.T) {
	for r := rune(0); r < 0x30000; r++ {
		if s := string(r); oneCell(r) && ansi.StringWidthWc(s) != 1 {
			t.Errorf("%q has %d cells", s, ansi.StringWidthWc(s))
		}
	}
	for _, s := range []string{"\x1b[1;38;2;1;2;3mred\x1b[m", "\x1b[", "\x1b[1", "\x1b[2Jx", "\x1b]0;title\x07x", "\x1bm", "a\tb", "a\x7fb",
		"\x1b[1:2mx", "─λ̄─", "a\xffb", "世─"} {
		if got, want := Width(s), ansi.StringWidthWc(s); got != want {
			t.Errorf("%q has %d cells, by the renderer's count %d", s, got, want)
		}
	}
}

func TestSevenBit(t *testing.T) {
	if from, to := len([]rune(likeFrom)), len(likeTo); from != to {
		t.Fatalf("%d characters have %d stand-ins", from, to)
	}
	for _, s := range []string{"╭─ λ ± 3 ─╮", "\x1b[1m世界\x1b[m", "naïve", strings.Repeat("│", 5)} {
		got := SevenBit(s)
		if !isASCII(got) || Width(got) != Width(s) {
			t.Errorf("sevenBit(%q) = %q, %d cells of %d", s, got, Width(got), Width(s))
		}
	}
}
