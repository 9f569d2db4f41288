package kit_test

import (
	"fmt"
	"image/color"
	"slices"
	"strings"
	"testing"

	"drolab/tui/internal/render"
	"drolab/tui/kit"

	"github.com/charmbracelet/colorprofile"
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
		o.Press(kit.Press(c.key))
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
	for _, want := range []string{"line 0.", "line 29."} {
		if !strings.Contains(s, want) {
			t.Errorf("with room for all, %q is missing:\n%s", want, s)
		}
	}
}

// TestDangerIsFramed: a question about an action that cannot be undone has a frame in a colour of
// its own.
func TestDangerIsFramed(t *testing.T) {
	theme := kit.NewTheme(colorprofile.TrueColor, true, false)
	corner := func(o *kit.Overlay) color.Color {
		o.Resize(theme, 60, 12)
		shot := render.Shot(strings.Join(o.View(theme, nil, 60, 12), "\n"), 60, 12)
		for i := range 60 * 12 {
			if c := shot.CellAt(i%60, i/60); c != nil && c.Content == "╭" {
				return c.Style.Fg
			}
		}
		return nil
	}
	lines := []string{"all of it"}
	danger, plain := corner(kit.NewDanger("Delete?", lines)),
		corner(kit.NewQuestion("Stop?", lines))
	if danger == nil {
		t.Error("its frame has no colour")
	}
	if danger == plain {
		t.Errorf("its frame is %v, as that of others", danger)
	}
}
