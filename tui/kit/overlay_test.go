package kit_test

import (
	"fmt"
	"image/color"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"drolab/tui/cell"
	"drolab/tui/internal/tuitest"
	"drolab/tui/kit"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// TestOverlayScrolls scrolls to the end and back without drawing in between, because drawing
// changes nothing.
func TestOverlayScrolls(t *testing.T) {
	const w, h, lines = 40, 12, 30
	theme := kit.NewTheme(colorprofile.ASCII, true, false)
	o := &kit.Overlay{Title: "Numbers"}
	for i := range lines {
		o.Lines = append(o.Lines, fmt.Sprintf("line %d.", i))
	}
	page := kit.Fill(nil, w, h)
	shows := func(first, last int) bool {
		s := strings.Join(o.View(theme, page, w, h), "\n")
		return strings.Contains(s, fmt.Sprintf("line %d.", first)) &&
			strings.Contains(s, fmt.Sprintf("line %d.", last)) &&
			!strings.Contains(s, fmt.Sprintf("line %d.", first-1)) &&
			!strings.Contains(s, fmt.Sprintf("line %d.", last+1))
	}
	o.Resize(theme, w, h)
	for _, c := range []struct {
		key  string
		last int // the last line in view
	}{{"down", 10}, {"end", 29}, {"up", 28}, {"home", 9}, {"up", 9}, {"pgdown", 19}, {"G", 29},
		{"down", 29}, {"k", 28}} {
		o.Press(tuitest.KeyPress(c.key))
		if !shows(c.last-9, c.last) {
			t.Errorf("after %s:\n%s", c.key, strings.Join(o.View(theme, page, w, h), "\n"))
		}
	}
	before := o.View(theme, page, w, 6)
	if after := o.View(theme, page, w, 6); !slices.Equal(before, after) {
		t.Error("looking twice shows two things")
	}
	o.Resize(theme, w, lines+2)
	s := strings.Join(o.View(theme, kit.Fill(nil, w, lines+2), w, lines+2), "\n")
	if !strings.Contains(s, "line 0.") || !strings.Contains(s, "line 29.") {
		t.Errorf("with room for all:\n%s", s)
	}
}

// TestHelpLines: on a narrow screen, the description of a key continues in its own column.
func TestHelpLines(t *testing.T) {
	theme := kit.NewTheme(colorprofile.ASCII, true, false)
	lines := theme.HelpLines([]kit.Key{{Keys: kit.On("/"), Help: "filter the runs by words"}}, 24)
	want := []string{"/         filter the", "          runs by words"}
	for i, line := range lines {
		lines[i] = strings.TrimRight(ansi.Strip(line), " ")
	}
	if !slices.Equal(lines, want) {
		t.Errorf("%q, want %q", lines, want)
	}
}

// TestDangerIsFramed: a question about an action that cannot be undone has a frame in a colour of
// its own.
func TestDangerIsFramed(t *testing.T) {
	theme := kit.NewTheme(colorprofile.TrueColor, true, false)
	corner := func(cmd tea.Cmd) color.Color {
		o := cmd().(kit.Open).Overlay
		o.Resize(theme, 60, 12)
		shot := tuitest.Shot(strings.Join(o.View(theme, nil, 60, 12), "\n"), 60, 12)
		for i := range 60 * 12 {
			if c := shot.CellAt(i%60, i/60); c != nil && c.Content == "╭" {
				return c.Style.Fg
			}
		}
		return nil
	}
	lines := []string{"all of it"}
	danger, plain := corner(kit.Danger("Delete?", lines)), corner(kit.Question("Stop?", lines))
	if danger == nil || danger == plain {
		t.Errorf("its frame is %v, that of others %v", danger, plain)
	}
}

func typed(start string, keys ...string) kit.Input {
	in := kit.NewInput(start)
	for _, k := range keys {
		in.Update(tuitest.KeyPress(k))
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
			in.Update(tuitest.KeyPress("|"))
			if in.String() != c.want {
				t.Errorf("%q and %v: %q, want %q", c.start, c.keys, in.String(), c.want)
			}
		})
	}
}

func TestInputLeavesCommands(t *testing.T) {
	in := kit.NewInput("x")
	for _, k := range []string{"enter", "esc", "tab", "up", "down", "ctrl+c", "ctrl+v", "pgup"} {
		if in.Update(tuitest.KeyPress(k)) || in.String() != "x" {
			t.Errorf("%s was taken as text: %q", k, in.String())
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
		t.Errorf("pasted %q", in.String())
	}
	const most = 400
	in.Update(tea.PasteMsg{Content: strings.Repeat("x", 10*most)})
	if n := len([]rune(in.String())); n != most {
		t.Errorf("%d runes", n)
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
			in.Update(tuitest.KeyPress("left"))
		}
		cells := 2 + rng.IntN(40)
		view := in.View(kit.Style{}, cells)
		if w := cell.Width(view); w > cells || !strings.Contains(cell.Sent(view), reverse) {
			t.Fatalf("%d cells of %d for %q: %q", w, cells, in.String(), view)
		}
	}
}
