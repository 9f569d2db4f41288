package kit_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"drolab/tui/cell"
	"drolab/tui/kit"

	tea "charm.land/bubbletea/v2"
)

func typed(start string, keys ...string) kit.Input {
	in := kit.NewInput(start)
	for _, k := range keys {
		in.Update(kit.Press(k))
	}
	return in
}

func TestInput(t *testing.T) {
	for _, c := range []struct {
		start string
		keys  []string
		want  string // with a bar at the cursor
	}{
		{"", []string{"a", "é", "世", "space"}, "aé世 |"},
		{"0.5", []string{"backspace", "7"}, "0.7|"},
		{"0.5", []string{"home", "delete", "1"}, "1|.5"},
		{"abc", []string{"left", "left", "ctrl+k"}, "a|"},
		{"abc", []string{"left", "ctrl+u"}, "|c"},
		{"one two  ", []string{"ctrl+w"}, "one |"},
		{"one", []string{"ctrl+w", "ctrl+w", "backspace", "delete", "left"}, "|"},
		{"ab", []string{"ctrl+a", "right", "x", "end", "y", "right"}, "axby|"},
		{"a\x1b[2Jb", nil, "a[2Jb|"},
		{"two\nlines", nil, "two lines|"},
	} {
		t.Run(c.start, func(t *testing.T) {
			in := typed(c.start, c.keys...)
			in.Update(kit.Press("|"))
			if in.String() != c.want {
				t.Errorf("%q and %v: %q, want %q", c.start, c.keys, in.String(), c.want)
			}
		})
	}
}

// TestSelectedInput: the first letter replaces a selected text, a deletion empties it, and a key
// that moves the cursor keeps it.
func TestSelectedInput(t *testing.T) {
	for _, c := range []struct {
		keys []string
		want string
	}{
		{[]string{"1", "2"}, "12"},
		{[]string{"backspace"}, ""},
		{[]string{"delete", "7"}, "7"},
		{[]string{"end", "1"}, "401"},
		{[]string{"left", "1"}, "410"},
		{[]string{"home", "1"}, "140"},
		{[]string{"ctrl+u", "9"}, "9"},
		{[]string{"enter", "3"}, "3"},
		{nil, "40"},
	} {
		in := kit.NewSelected("40")
		for _, k := range c.keys {
			in.Update(kit.Press(k))
		}
		if got := in.String(); got != c.want {
			t.Errorf("40 and %v: %q, want %q", c.keys, got, c.want)
		}
	}
	in := kit.NewSelected("40")
	in.Update(tea.PasteMsg{Content: "8"})
	if got := in.String(); got != "8" {
		t.Errorf("40 and a paste of 8: %q, want 8", got)
	}
}

func TestInputLeavesCommands(t *testing.T) {
	in := kit.NewInput("x")
	for _, k := range []string{"enter", "esc", "tab", "up", "down", "ctrl+c", "ctrl+v", "pgup"} {
		if in.Update(kit.Press(k)) {
			t.Errorf("Update(%s) = true, want no change", k)
		}
		if got := in.String(); got != "x" {
			t.Errorf("after %s the text is %q, want x", k, got)
		}
	}
	if in.Update(tea.KeyPressMsg(tea.Key{Code: 'q', Text: "q", Mod: tea.ModAlt})) {
		t.Error("alt+q was taken as text")
	}
}

// TestInputPaste: the words of pasted lines stay apart.
func TestInputPaste(t *testing.T) {
	in := kit.NewInput("")
	in.Update(tea.PasteMsg{Content: "rho=0.5\x1b[2J\nline two\r\nand\tthree\x00\u202e"})
	if in.String() != "rho=0.5[2J line two and three" {
		t.Errorf("pasted is %q, want one line without escapes", in.String())
	}
	const most = 400
	in.Update(tea.PasteMsg{Content: strings.Repeat("x", 10*most)})
	if n := len([]rune(in.String())); n != most {
		t.Errorf("%d runes, want %v", n, most)
	}
}

// TestInputView: the drawn field is never wider than asked for, and contains the cursor.
func TestInputView(t *testing.T) {
	const reverse = "\x1b[7m"
	rng := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		var b strings.Builder
		for range rng.IntN(60) {
			b.WriteRune([]rune("ab 世é界")[rng.IntN(6)])
		}
		in := kit.NewInput(b.String())
		for range rng.IntN(60) {
			in.Update(kit.Press("left"))
		}
		cells := 2 + rng.IntN(40)
		view := in.View(kit.Style{}, cells)
		if w := cell.Width(view); w > cells {
			t.Fatalf("%q in %d cells is drawn in %d: %q", in.String(), cells, w, view)
		}
		if !strings.Contains(cell.ForTerminal(view), reverse) {
			t.Fatalf("%q in %d cells has no cursor: %q", in.String(), cells, view)
		}
	}
}
