package watch

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"drolab/runner"
	"drolab/runner/measure"
	"drolab/tui/internal/tuitest"
	"drolab/tui/lab"
	"drolab/tui/watch/panel"
)

// TestFront: the run under the cursor is in front of the others, and only its raw curve is drawn.
func TestFront(t *testing.T) {
	r := watching(t, 120, 40)
	for range r.watch.Runs.Tracks {
		faint, front := 0, 0
		for _, l := range r.watch.Board.Chart("loss").Lines {
			if l.Faint {
				faint++
			} else if !l.Back {
				front++
				if l.Number != r.watch.Runs.Run().Number {
					t.Errorf("line %d is in front of run %d", l.Number, r.watch.Runs.Cursor)
				}
			}
		}
		if faint != 1 {
			t.Errorf("%d raw curves are faint, want 1", faint)
		}
		if front != 1 {
			t.Errorf("%d curves are in front, want 1", front)
		}
		r.Press("down")
	}
}

// TestTitlesNameWhatIsDrawn: a title names the curves that are drawn, which is one of two where
// there is no room for both. A key goes on to the next view that looks different.
func TestTitlesNameWhatIsDrawn(t *testing.T) {
	r := watching(t, 120, 40)
	screen := tuitest.Text(r.Shot())
	for _, want := range []string{"Loss · batch loss", "Dual variables · λ ─"} {
		if !strings.Contains(screen, want) {
			t.Errorf("no title is %q:\n%s", want, screen)
		}
	}
	if strings.Contains(screen, "batch and test") {
		t.Errorf("a title names two curves where one is drawn:\n%s", screen)
	}
	r.Press("f")
	if s := tuitest.Text(r.Shot()); !strings.Contains(s, "Loss · test") {
		t.Errorf("the first key shows the same curve once more:\n%s", s)
	}
	r.Press("z")
	r.watch.Board.Panels[r.watch.screen.focus].View = 0
	if s := tuitest.Text(r.Shot()); !strings.Contains(s, "Loss · batch and test") {
		t.Errorf("zoomed, with room for two:\n%s", s)
	}
}

// TestStyle: curves are drawn in dots at every size, and a key switches to lines.
func TestStyle(t *testing.T) {
	for _, size := range tuitest.Sizes()[1:] {
		r := watching(t, size[0], size[1])
		dots := func() bool {
			return strings.ContainsFunc(tuitest.Text(r.Shot()),
				func(c rune) bool { return c > 0x2800 && c < 0x2900 })
		}
		if !dots() {
			t.Errorf("%v: no dots", size)
		}
		r.Press("d")
		if dots() {
			t.Errorf("%v: after d dots are drawn, want lines", size)
		}
		if got := r.Notice.Text; got != "Curve style: lines" {
			t.Errorf("%v: the notice is %q, want Curve style: lines", size, got)
		}
		r.Press("d")
		if !dots() {
			t.Errorf("%v: after d no dots are drawn", size)
		}
		if got := r.Notice.Text; got != "Curve style: auto" {
			t.Errorf("%v: the notice is %q, want Curve style: auto", size, got)
		}
	}
}

// TestGapBetweenPanels: where there is no room for boxes, two panels have a blank between them on
// each line below their titles.
func TestGapBetweenPanels(t *testing.T) {
	r := watching(t, 80, 16)
	panels := r.watch.layout().panels
	if len(panels) != 2 || panels[1].X == 0 {
		t.Fatalf("the panels are at %v, want two side by side", panels)
	}
	for y, line := range strings.Split(strings.TrimSuffix(tuitest.Text(r.Shot()), "\n"), "\n") {
		if c := []rune(line); y > panels[1].Y && len(c) >= panels[1].X && c[panels[1].X-1] != ' ' {
			t.Errorf("line %d has no gap: %q", y, line)
		}
	}
}

// TestCursorFindsWhatHasBegun: until the user moves the cursor, it leaves a run that waits for a
// run that trains.
func TestCursorFindsWhatHasBegun(t *testing.T) {
	r := watching(t, 120, 40)
	w := r.watch
	last := len(w.Runs.Tracks) - 1
	for i, track := range w.Runs.Tracks {
		track.Step = 0
		if track.Status = runner.Queued; i == last {
			track.Status = runner.Running
		}
	}
	w.Runs.Cursor, w.Runs.Pointed = 0, false
	if w.Runs.PointBegun(); w.Runs.Cursor != last {
		t.Errorf("the cursor is on run %d, want %d, which trains", w.Runs.Cursor, last)
	}
	r.Press("up")
	chosen := w.Runs.Cursor
	if chosen == last {
		t.Fatalf("the cursor was put on run %d, where it would go of its own", chosen)
	}
	w.Runs.PointBegun()
	if got := w.Runs.Cursor; got != chosen {
		t.Errorf("the cursor went to run %d of its own, want it to stay on %d", got, chosen)
	}
	w.Runs.Cursor, w.Runs.Pointed = 0, false
	w.Runs.Tracks[0].Step = 9 // resumed: it waits, and has curves
	if w.Runs.PointBegun(); w.Runs.Cursor != 0 {
		t.Errorf("the cursor left a resumed run for run %d", w.Runs.Cursor)
	}
}

// TestRiskByRadius: the plot of R_ρ over ρ shows the last evaluation, and marks the training
// radius.
func TestRiskByRadius(t *testing.T) {
	r := watching(t, 120, 40)
	r.Wait(20*time.Second, time.Second) // to the end, which all have in common
	w := r.watch
	run := w.Runs.Run()
	list := make([]measure.Number, len(run.Meta.Spec.RiskRadii))
	for i := range list {
		list[i] = measure.Num(1 + float64(i))
	}
	setList(run, "robust_risk_at", list)
	c := w.Board.Risks(&panel.View{Bars: "robust_risk_at", Plain: true, As: panel.RadiusCurves{}})
	if len(c.Markers) != 1 || math.Abs(c.Markers[0].X-math.Log10(run.Spec.Rho)) > 1e-12 {
		t.Errorf("the marks are %v, want one at the radius of training, %g",
			c.Markers, run.Spec.Rho)
	}
	for i, rho := range run.Meta.Spec.RiskRadii {
		series := run.OverRadii(w.Runs.Clock, lab.ListNamed("robust_risk_at"))
		if got := series.At(math.Log10(rho)); got != 1+float64(i) {
			t.Errorf("R at %g is %g, want %v", rho, got, 1+float64(i))
		}
	}
}

// TestHistogram: the histogram has the bins of the run and marks 1. For an old log without bins it
// says so.
func TestHistogram(t *testing.T) {
	r := watching(t, 120, 40)
	w := r.watch
	w.screen.focus = slices.IndexFunc(w.Board.Panels,
		func(p panel.Panel) bool { return p.Title == "Dual variables" })
	for w.Board.CurrentView(w.screen.focus).Bars != "ratio_histogram" {
		r.Press("f")
	}
	if s := tuitest.Text(r.Shot()); !strings.Contains(s, "lacks this") {
		t.Errorf("of a log without it:\n%s", s)
	}
	counts := make([]measure.Number, len(measure.RatioEdges()))
	for i := range counts {
		counts[i] = measure.Num(float64(i % 3))
	}
	setList(w.Runs.Run(), "ratio_histogram", counts)
	for _, want := range []string{"█", " 0.125 "} {
		if s := tuitest.Text(r.Shot()); !strings.Contains(s, want) {
			t.Errorf("the bars lack %q:\n%s", want, s)
		}
	}
	r.Fits(t, "histogram")
}
