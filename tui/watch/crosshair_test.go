package watch

import (
	"math"
	"slices"
	"strings"
	"testing"

	"drolab/tui/internal/tuitest"
	"drolab/tui/kit"
	"drolab/tui/watch/panel"
)

// TestCrosshair: the crosshair reads every line at one step, in all plots. Enter chooses the run at
// the crosshair, and Esc removes the crosshair.
func TestCrosshair(t *testing.T) {
	r := watchRig(t, 120, 40)
	r.Press("left", "left", "left")
	w := r.watch
	if !w.Cross.On {
		t.Fatal("no crosshair")
	}
	for _, q := range []string{"loss", "lambda"} {
		for _, e := range w.Chart(q).Read() {
			i := slices.IndexFunc(w.Tracks, func(t *panel.Track) bool { return t.Short == e.Name })
			if want := w.Tracks[i].Curves[q].Series().At(w.Cross.X); e.Value != want {
				t.Errorf("%s of %s reads %g, want %g", q, e.Name, e.Value, want)
			}
		}
	}
	at := w.Cross.X
	w.Cross.X = 13333.4
	if s := w.ReadAt(w.CurrentView(w.focus)); !strings.HasPrefix(s, "step 13333") {
		t.Errorf("at step 13333 it says %q", s)
	}
	w.Cross.X = at
	list := w.CrossValues(w.focus)
	for i := 1; i < len(list); i++ {
		if list[i].Value > list[i-1].Value {
			t.Errorf("not from the top: %v", list)
		}
	}
	r.Press("up", "up", "up", "up")
	top := list[0].Run
	if s := tuitest.Text(r.Shot()); w.Picked != top ||
		!strings.Contains(s, ": "+r.Theme.Mark(uint8(top))) {
		t.Errorf("run %d is picked, want %d:\n%s", w.Picked, top, s)
	}
	if r.Press("enter", "esc"); w.Cursor != top || w.Cross.On || w.zoomed {
		t.Errorf("run %d is under the cursor, want %d; %+v, zoomed %v", w.Cursor, top, w.Cross,
			w.zoomed)
	}
}

// TestHover: the mouse points at a line. Outside the plots nothing is read.
func TestHover(t *testing.T) {
	r := watchRig(t, 120, 40)
	w := r.watch
	in, _ := w.inside(0)
	v := w.CurrentView(0)
	c := w.Plots(0, v, in.W, in.H)[0]
	for x := range c.Rect.W {
		for y := range c.Rect.H {
			_, height, ok := c.ColumnX(x, y, c.Rect.W, c.Rect.H)
			w.point(in.X+x, in.Y+y)
			if w.Cross.On != ok {
				t.Fatalf("at %d, %d: crosshair %v, plot %v", x, y, w.Cross.On, ok)
			}
			if !ok {
				continue
			}
			far := func(run int) float64 {
				loss := w.Tracks[run].Curves["loss"].Series().At(w.Cross.X)
				return math.Abs(c.Height(loss) - height)
			}
			for _, o := range w.CrossValues(0) {
				if far(o.Run) < far(w.Picked)-1e-9 {
					t.Fatalf("at %d, %d: run %d is picked, run %d is nearer", x, y, w.Picked, o.Run)
				}
			}
		}
	}
	if !w.Point(kit.Hover{X: in.X + 20, Y: in.Y + 2}) ||
		w.Point(kit.Hover{X: in.X + 20, Y: in.Y + 2}) {
		t.Error("the same place looks different, or another one the same")
	}
	if !w.Point(kit.Hover{X: 0, Y: 0}) || w.Cross.On {
		t.Error("the crosshair stays off the plots")
	}
}

// TestZoom: all plots share the x axis. Keys, wheel and drag zoom and pan it, within the range of
// the data.
func TestZoom(t *testing.T) {
	r := watchRig(t, 120, 40)
	w := r.watch
	all := w.Span()
	if r.Press("-"); r.Notice.Text == "" {
		t.Error("nothing says that all is shown")
	}
	r.Press("+", "+")
	if got := w.Span(); math.Abs((all.Hi-all.Lo)/4-(got.Hi-got.Lo)) > 1e-9 {
		t.Errorf("%v of %v", got, all)
	}
	if a, b := w.Chart("loss").X, w.Chart("lambda").X; a != b || a != w.Span() {
		t.Errorf("plots show %v and %v", a, b)
	}
	for range 20 {
		r.Press("<")
	}
	if got := w.Span(); got.Lo != all.Lo {
		t.Errorf("panned to %v of %v", got, all)
	}
	in, _ := w.inside(0)
	before := w.Span()
	r.Send(kit.Click{X: in.X + 30, Y: in.Y + 3}, kit.Drag{X: in.X + 10, Y: in.Y + 3})
	if got := w.Span(); !(got.Lo > before.Lo) ||
		math.Abs((got.Hi-got.Lo)-(before.Hi-before.Lo)) > 1e-9 {
		t.Errorf("dragged from %v to %v", before, got)
	}
	r.Press("esc")
	r.Send(kit.Wheel{X: in.X + 30, Y: in.Y + 3, Down: true})
	if r.Press("0"); w.Span() != all {
		t.Errorf("%v at the end, want %v", w.Span(), all)
	}
}
