package watch

import (
	"fmt"
	"testing"

	"drolab/tui/kit"
	"drolab/tui/lab"
)

// TestWhichPanels: the hint of the key to other panels says which panels are in view.
func TestWhichPanels(t *testing.T) {
	r := watching(t, 120, 40)
	all := fmt.Sprint(len(r.watch.Board.Panels))
	for _, c := range []struct {
		cells int
		keys  []string
		want  string
	}{
		{120, nil, "panels 1–4 of " + all}, {80, nil, "panels 1–4/" + all},
		{120, []string{"z"}, "panel 1 of " + all},
		{120, []string{"tab", "tab"}, "panel 3 of " + all},
		{120, []string{"z", "tab", "tab", "tab"}, "panels 5–8 of " + all},
	} {
		if r.Press(c.keys...); r.watch.whichPanels(c.cells) != c.want {
			t.Errorf("after %v: %q, want %q", c.keys, r.watch.whichPanels(c.cells), c.want)
		}
	}
}

func TestLayout(t *testing.T) {
	for w := kit.LeastWidth; w <= 220; w += 7 {
		for h := kit.LeastHeight - 2; h <= 70; h += 3 {
			for _, panels := range []int{1, 2, 4, 6} {
				for runs := 1; runs <= lab.MaxWatched; runs++ {
					l := layWatch(w, h, runs, panels, h/20*(w%3), h/50*10*(w%2), h%2 == 0)
					cover(t, append([]kit.Rect{l.runs, l.head, l.eye, l.log}, l.panels...), w, h)
					if len(l.panels) != panels {
						t.Fatalf("%d panels of %d at %dx%d", len(l.panels), panels, w, h)
					}
				}
			}
		}
	}
}

// cover fails unless the rectangles fill w by h cells without overlap.
func cover(t *testing.T, list []kit.Rect, w, h int) {
	t.Helper()
	area := 0
	for i, r := range list {
		if r.H == 0 {
			continue
		}
		area += r.W * r.H
		if r.W < 1 || r.H < 1 {
			t.Fatalf("%+v has no room", r)
		}
		if r.X < 0 || r.X+r.W > w {
			t.Fatalf("%+v leaves a page of %d columns", r, w)
		}
		if r.Y < 0 || r.Y+r.H > h {
			t.Fatalf("%+v leaves a page of %d rows", r, h)
		}
		for _, o := range list[:i] {
			if r.X < o.X+o.W && o.X < r.X+r.W && r.Y < o.Y+o.H && o.Y < r.Y+r.H {
				t.Fatalf("%+v and %+v overlap at %dx%d", r, o, w, h)
			}
		}
	}
	if area != w*h {
		t.Fatalf("the parts fill %d cells of %dx%d", area, w, h)
	}
}
