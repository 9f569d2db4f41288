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
	r := watching(t, 120, 40)
	r.Press("left", "left", "left")
	w := r.watch
	if !w.Board.Cross.On {
		t.Fatal("no crosshair")
	}
	for _, q := range []string{"loss", "lambda"} {
		for _, e := range w.Board.Chart(q).Read() {
			i := slices.IndexFunc(w.Runs.Tracks,
				func(t *panel.Track) bool { return t.Short == e.Name })
			if want := w.Runs.Tracks[i].Curves[q].Series().At(w.Board.Cross.X); e.Value != want {
				t.Errorf("%s of %s reads %g, want %g", q, e.Name, e.Value, want)
			}
		}
	}
	at := w.Board.Cross.X
	w.Board.Cross.X = 13333.4
	view := w.Board.CurrentView(w.screen.focus)
	if s := w.Board.ReadAt(view); !strings.HasPrefix(s, "step 13333") {
		t.Errorf("ReadAt at step 13333.4 = %q, want it to begin with step 13333", s)
	}
	w.Board.Cross.X = at
	list := w.Board.CrossValues(w.screen.focus)
	for i := 1; i < len(list); i++ {
		if list[i].Value > list[i-1].Value {
			t.Errorf("not from the top: %v", list)
		}
	}
	r.Press("up", "up", "up", "up")
	top := list[0].Run
	if s := tuitest.Text(r.Shot()); w.Board.Picked != top ||
		!strings.Contains(s, ": "+r.Theme.Mark(uint8(top))) {
		t.Errorf("run %d is picked, want %d:\n%s", w.Board.Picked, top, s)
	}
	r.Press("enter", "esc")
	if w.Runs.Cursor != top {
		t.Errorf("run %d is under the cursor, want %d", w.Runs.Cursor, top)
	}
	if w.Board.Cross.On {
		t.Errorf("after Esc the crosshair is on: %+v", w.Board.Cross)
	}
	if w.screen.zoomed {
		t.Error("Enter at the crosshair zooms, want only the run chosen")
	}
}

// TestHover: the mouse points at a line. Outside the plots nothing is read.
func TestHover(t *testing.T) {
	r := watching(t, 120, 40)
	w := r.watch
	in, _ := w.inside(0)
	v := w.Board.CurrentView(0)
	c := w.Board.Plots(0, v, in.W, in.H)[0]
	for x := range c.Rect.W {
		for y := range c.Rect.H {
			_, height, ok := c.ColumnX(x, y, c.Rect.W, c.Rect.H)
			w.point(in.X+x, in.Y+y)
			if w.Board.Cross.On != ok {
				t.Fatalf("at %d, %d: crosshair %v, plot %v", x, y, w.Board.Cross.On, ok)
			}
			if !ok {
				continue
			}
			far := func(run int) float64 {
				loss := w.Runs.Tracks[run].Curves["loss"].Series().At(w.Board.Cross.X)
				return math.Abs(c.Height(loss) - height)
			}
			for _, o := range w.Board.CrossValues(0) {
				if far(o.Run) < far(w.Board.Picked)-1e-9 {
					t.Fatalf("at %d, %d: run %d is picked, run %d is nearer", x, y,
						w.Board.Picked, o.Run)
				}
			}
		}
	}
	if !w.Point(kit.Hover{X: in.X + 20, Y: in.Y + 2}) {
		t.Error("the mouse on a plot changes nothing")
	}
	if w.Point(kit.Hover{X: in.X + 20, Y: in.Y + 2}) {
		t.Error("the mouse at the same place changes the screen")
	}
	if !w.Point(kit.Hover{X: 0, Y: 0}) {
		t.Error("the mouse off the plots changes nothing")
	}
	if w.Board.Cross.On {
		t.Error("the crosshair stays when the mouse is off the plots")
	}
}

// TestZoom: all plots share the x axis. Keys, wheel and drag zoom and pan it, within the range of
// the data.
func TestZoom(t *testing.T) {
	r := watching(t, 120, 40)
	w := r.watch
	all := w.Board.Span()
	if r.Press("-"); r.Notice.Text == "" {
		t.Error("nothing says that all is shown")
	}
	r.Press("+", "+")
	if got := w.Board.Span(); math.Abs((all.Hi-all.Lo)/4-(got.Hi-got.Lo)) > 1e-9 {
		t.Errorf("%v of %v", got, all)
	}
	for _, q := range []string{"loss", "lambda"} {
		if got, want := w.Board.Chart(q).X, w.Board.Span(); got != want {
			t.Errorf("the plot of %s shows %v, want %v", q, got, want)
		}
	}
	for range 20 {
		r.Press("<")
	}
	if got := w.Board.Span(); got.Lo != all.Lo {
		t.Errorf("panned to %v of %v", got, all)
	}
	in, _ := w.inside(0)
	before := w.Board.Span()
	r.Send(kit.Click{X: in.X + 30, Y: in.Y + 3}, kit.Drag{X: in.X + 10, Y: in.Y + 3})
	got := w.Board.Span()
	if !(got.Lo > before.Lo) {
		t.Errorf("dragging moves the view from %v to %v, want it to the right", before, got)
	}
	if math.Abs((got.Hi-got.Lo)-(before.Hi-before.Lo)) > 1e-9 {
		t.Errorf("dragging changes the width of the view from %v to %v", before, got)
	}
	r.Press("esc")
	r.Send(kit.Wheel{X: in.X + 30, Y: in.Y + 3, Down: true})
	if r.Press("0"); w.Board.Span() != all {
		t.Errorf("%v at the end, want %v", w.Board.Span(), all)
	}
}
