package cell

import (
	"strings"
	"testing"
)

func TestClean(t *testing.T) {
	red, off := SGR("31"), SGR("")
	for in, want := range map[string]string{
		"plain λ̄ 世界":                      "plain λ̄ 世界",
		"\x1b[2Jgone\x07":                  `\x1b[2Jgone\x07`,
		"\u009b31m":                        "?31m",
		"\x9b31m":                          "?31m",
		"right\u202eleft":                  "right?left",
		"a\xffb":                           "a?b",
		"tab\tline\r\nbreak\u2028on\u0085": "tab line  break on ",
		"zero\u200bwidth\ufeff":            "zero?width?",
		"heart\u2764\ufe0f":                "heart\u2764",
		"👩\u200d💻 👍🏽":                      "👩💻 👍",
		"evil\u2066":                       "evil?",
		"e\u0301 stays":                    "e\u0301 stays",
		"\x7f\x00":                         `\x7f\x00`,
		red + "ours" + off:                 red + "ours" + off,
		red + "\x1b[31mtheirs\x1b[m" + off: red + `\x1b[31mtheirs\x1b[m` + off,
		"\x1b" + red + "after half":        `\x1b` + red + "after half",
		ownPrefix + "31xm":                 `\x1b` + ownPrefix[1:] + "31xm",
	} {
		t.Run(in, func(t *testing.T) {
			if got := Clean(in); got != want {
				t.Errorf("Clean(%q) = %q, want %q", in, got, want)
			}
		})
	}
	if got := OneLine("first\r\n  second\n\n\x1bthird"); got != `first; second; \x1bthird` {
		t.Errorf("OneLine gives %q, want %q", got, `first; second; \x1bthird`)
	}
	if got := ForTerminal(red + "x\x1b[31m" + off); got != "\x1b[31mx\\x1b[31m\x1b[m" {
		t.Errorf("sent is %q, want %q", got, "\x1b[31mx\\x1b[31m\x1b[m")
	}
}

func FuzzClean(f *testing.F) {
	for _, s := range []string{"", "λ", "\x1b[1m", SGR("1"), ownPrefix, ownPrefix[:5], "\xc2\x9b",
		"a\u202e"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Clean(s)
		if Clean(got) != got {
			t.Errorf("%q becomes %q, then %q", s, got, Clean(got))
		}
		if strings.ContainsFunc(strings.ReplaceAll(got, ownPrefix, ""), Steers) {
			t.Errorf("%q becomes %q", s, got)
		}
		if Width(s) != Width(got) {
			t.Errorf("%q has %d cells, and %d when clean", s, Width(s), Width(got))
		}
	})
}
