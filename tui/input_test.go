package tui

import (
	"math/rand/v2"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

func typed(start string, keys ...string) input {
	in := newInput(start)
	for _, k := range keys {
		p := keyPress(k)
		in.press(p)
	}
	return in
}

func TestInput(t *testing.T) {
	for _, c := range []struct {
		start string
		keys  []string
		want  string
		at    int
	}{
		{"", []string{"a", "é", "世", "space"}, "aé世 ", 4},
		{"0.5", []string{"backspace", "7"}, "0.7", 3},
		{"0.5", []string{"home", "delete", "1"}, "1.5", 1},
		{"abc", []string{"left", "left", "ctrl+k"}, "a", 1},
		{"abc", []string{"left", "ctrl+u"}, "c", 0},
		{"one two  ", []string{"ctrl+w"}, "one ", 4},
		{"one", []string{"ctrl+w", "ctrl+w", "backspace", "delete", "left"}, "", 0},
		{"ab", []string{"ctrl+a", "right", "x", "end", "y", "right"}, "axby", 4},
		{"a\x1b[2Jb", nil, "a[2Jb", 5},
	} {
		in := typed(c.start, c.keys...)
		if in.String() != c.want || in.at != c.at {
			t.Errorf("%q and %v: %q with the cursor at %d, want %q at %d", c.start, c.keys, in.String(), in.at, c.want, c.at)
		}
	}
}

func TestInputLeavesCommands(t *testing.T) {
	in := newInput("x")
	for _, k := range []string{"enter", "esc", "tab", "up", "down", "ctrl+c", "pgup"} {
		if in.press(keyPress(k)) {
			t.Errorf("%s was taken as text", k)
		}
	}
	if in.press(tea.KeyPressMsg(tea.Key{Code: 'q', Text: "q", Mod: tea.ModAlt})) {
		t.Error("alt+q was taken as text")
	}
}

func TestInputPaste(t *testing.T) {
	var in input
	in.insert("rho=0.5\x1b[2J\nline two\x00")
	if in.String() != "rho=0.5[2Jline two" {
		t.Errorf("pasted %q", in.String())
	}
	in.insert(strings.Repeat("x", 10*maxInput))
	if len(in.text) != maxInput || in.at != maxInput {
		t.Errorf("%d runes, the cursor at %d", len(in.text), in.at)
	}
}

// The window is never wider than asked, unless by one wide rune, and holds the
// cursor.
func TestInputWindow(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		var b strings.Builder
		for range rng.IntN(60) {
			b.WriteRune([]rune("ab 世é界")[rng.IntN(6)])
		}
		in := newInput(b.String())
		in.at = rng.IntN(len(in.text) + 1)
		cells := 2 + rng.IntN(40)
		before, under, after := in.window(cells)
		if w := width(before + under + after); w > cells {
			t.Fatalf("%d cells of %d for %q at %d", w, cells, in.String(), in.at)
		}
		if !strings.Contains(in.String()+" ", before+under+after) || len([]rune(under)) != 1 {
			t.Fatalf("%q, %q, %q is no part of %q", before, under, after, in.String())
		}
	}
}
