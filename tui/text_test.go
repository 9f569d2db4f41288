package tui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

func click(x, y int) tea.MouseClickMsg {
	return tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft}
}

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
			for name, got := range map[string]string{"left": left(s, w), "right": right(s, w), "spread": spread(s, "xy", w)} {
				if width(got) != w {
					t.Errorf("%s(%q, %d) = %q has %d cells", name, s, w, got, width(got))
				}
			}
			if got := cut(s, w); width(got) > w {
				t.Errorf("cut(%q, %d) = %q has %d cells", s, w, got, width(got))
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
		if got, want := width(s), ansi.StringWidthWc(s); got != want {
			t.Errorf("%q has %d cells, by the renderer's count %d", s, got, want)
		}
	}
}

func TestSevenBit(t *testing.T) {
	if from, to := len([]rune(likeFrom)), len(likeTo); from != to {
		t.Fatalf("%d characters have %d stand-ins", from, to)
	}
	for _, s := range []string{"╭─ λ ± 3 ─╮", "\x1b[1m世界\x1b[m", "naïve", strings.Repeat("│", 5)} {
		got := sevenBit(s)
		if !isASCII(got) || width(got) != width(s) {
			t.Errorf("sevenBit(%q) = %q, %d cells of %d", s, got, width(got), width(s))
		}
	}
}

func TestLayout(t *testing.T) {
	for w := leastWidth; w <= 220; w += 7 {
		for h := leastHeight - 2; h <= 70; h += 3 {
			for _, panels := range []int{1, 2, 4, 6} {
				for runs := 1; runs <= maxWatched; runs++ {
					l := layWatch(w, h, runs, panels, h%2 == 0)
					cover(t, append([]rect{l.runs, l.log}, l.panels...), w, h)
					if len(l.panels) != panels {
						t.Fatalf("%d panels of %d at %dx%d", len(l.panels), panels, w, h)
					}
				}
			}
		}
	}
}

// cover fails unless the rectangles fill w by h cells without overlap.
func cover(t *testing.T, list []rect, w, h int) {
	t.Helper()
	area := 0
	for i, r := range list {
		if r.h == 0 {
			continue
		}
		area += r.w * r.h
		if r.x < 0 || r.y < 0 || r.w < 1 || r.h < 1 || r.x+r.w > w || r.y+r.h > h {
			t.Fatalf("%+v leaves a page of %dx%d", r, w, h)
		}
		for _, o := range list[:i] {
			if r.x < o.x+o.w && o.x < r.x+r.w && r.y < o.y+o.h && o.y < r.y+r.h {
				t.Fatalf("%+v and %+v overlap at %dx%d", r, o, w, h)
			}
		}
	}
	if area != w*h {
		t.Fatalf("the parts fill %d cells of %dx%d", area, w, h)
	}
}

// TestKeys checks that no key does two things on a page, and that the help
// lists every key that does something.
func TestKeys(t *testing.T) {
	r := newRig(t, fixture(t), 80, 24)
	for id, table := range r.keys {
		seen := map[string]bool{}
		for _, row := range table {
			for _, k := range row.Keys.Keys() {
				if seen[k] {
					t.Errorf("%q does two things on page %d", k, id+1)
				}
				seen[k] = true
			}
			if row.Hint != "" && row.Help == "" {
				t.Errorf("%q is in the footer and not in the help", row.Name(false))
			}
			if row.Do == nil {
				t.Errorf("%q does nothing", row.Name(false))
			}
		}
	}
}

// TestHelpTellsWhatWorks has nothing among the keys that work which, pressed,
// would say why it does not.
func TestHelpTellsWhatWorks(t *testing.T) {
	r := browsing(t, archive{folder(t.TempDir())}, "3", 80, 60)
	r.press("?")
	works, idle, ok := strings.Cut(strings.Join(r.overlay.lines, "\n"), "Not now")
	if !ok || strings.Contains(works, "↑") || !strings.Contains(idle, "↑") {
		t.Errorf("in an empty list the cursor goes up:\n%s", works)
	}
}
