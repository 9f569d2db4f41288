package watch

import (
	"strings"
	"testing"

	"drolab/tui/internal/tuitest"
	"drolab/tui/kit"
)

// TestMouse clicks a row and a panel.
func TestMouse(t *testing.T) {
	r := watching(t, 120, 40)
	l := r.watch.layout()
	r.Send(kit.Click{X: 5, Y: l.runs.Y + 3}) // below the column heads, the third run
	if r.watch.Runs.Cursor != 2 {
		t.Errorf("run %d is under the cursor, want the third", r.watch.Runs.Cursor)
	}
	p := l.panels[3]
	r.Send(kit.Click{X: p.X + 2, Y: p.Y + 2})
	if got := r.watch.Board.Panels[r.watch.screen.focus].Title; got !=
		"Where the adversary looks, by class" {
		t.Errorf("the click focuses %q, want the panel of the adversary", got)
	}
	if r.watch.screen.zoomed {
		t.Error("the first click zooms the panel")
	}
	r.Send(kit.Click{X: p.X + 2, Y: p.Y + 2})
	if !r.watch.screen.zoomed {
		t.Error("a click on the panel that has the focus does not zoom it")
	}
}

// TestBarsScroll: wheel and keys reach every class on a small screen, and move nothing where all
// classes are in view.
func TestBarsScroll(t *testing.T) {
	r := watching(t, 40, 12)
	r.Press("tab")
	r.Press("f")
	first, last := r.watch.Runs.Run().Meta.Classes[0], r.watch.Runs.Run().Meta.Classes[9]
	shows := func(first, last bool, what string) {
		t.Helper()
		s := tuitest.Text(r.Shot())
		if got := strings.Contains(s, "circle "); got != first {
			t.Errorf("%s: the first class is in view: %v, want %v\n%s", what, got, first, s)
		}
		if got := strings.Contains(s, "triangle"); got != last {
			t.Errorf("%s: the last class is in view: %v, want %v\n%s", what, got, last, s)
		}
	}
	if first != "circle" || last != "triangle" {
		t.Fatalf("the classes are from %s to %s, want from circle to triangle", first, last)
	}
	shows(true, false, "at first")
	r.Press("pgdown", "pgdown", "pgdown", "pgdown")
	shows(false, true, "four pages down")
	r.Press("pgup", "pgup", "pgup", "pgup")
	shows(true, false, "four pages up")
	over := kit.Wheel{X: 5, Y: 8, Down: true}
	for range 20 {
		r.Send(over)
	}
	shows(false, true, "the wheel down")
	r.Size(120, 38)
	shows(true, true, "on a large screen")
	l := r.watch.layout().panels[1]
	r.Send(kit.Wheel{X: l.X + 5, Y: l.Y + 3, Down: true},
		kit.Wheel{X: l.X + 5, Y: l.Y + 3, Down: true})
	shows(true, true, "the wheel where all fits")
	if r.Press("pgdown"); r.Notice.Text == "" {
		t.Error("nothing says that there is nothing to scroll")
	}
}
