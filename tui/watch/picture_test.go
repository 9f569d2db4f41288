package watch

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/record"
	"drolab/tui/internal/tuitest"
	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/plot"
	"drolab/tui/watch/panel"
)

// TestFront: the run under the cursor is in front of the others, and only its raw curve is drawn.
func TestFront(t *testing.T) {
	r := watching(t, 120, 40)
	for range r.watch.Tracks {
		faint, front := 0, 0
		for _, l := range r.watch.Chart("loss").Lines {
			if l.Faint {
				faint++
			} else if !l.Back {
				front++
				if l.Number != r.watch.Run().Number {
					t.Errorf("line %d is in front of run %d", l.Number, r.watch.At)
				}
			}
		}
		if faint != 1 || front != 1 {
			t.Errorf("%d raw curves, %d in front", faint, front)
		}
		r.Press("down")
	}
}

// TestTitlesNameWhatIsDrawn: a title names the curves that are drawn, which is one of two where
// there is no room for both. A key goes on to the next view that looks different.
func TestTitlesNameWhatIsDrawn(t *testing.T) {
	r := watching(t, 120, 40)
	if s := tuitest.Text(r.Shot()); !strings.Contains(s, "Loss · train loss") ||
		strings.Contains(s, "train and test") || !strings.Contains(s, "Dual variables · λ ─") {
		t.Errorf("titles of\n%s", s)
	}
	r.Press("f")
	if s := tuitest.Text(r.Shot()); !strings.Contains(s, "Loss · test") {
		t.Errorf("the first key shows the same curve once more:\n%s", s)
	}
	r.Press("z")
	r.watch.Panels[r.watch.focus].View = 0
	if s := tuitest.Text(r.Shot()); !strings.Contains(s, "Loss · train and test") {
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
		if r.Press("d"); dots() || r.Notice.Text != "Curve style: lines" {
			t.Errorf("%v: lines were asked for: %q", size, r.Notice.Text)
		}
		if r.Press("d"); !dots() || r.Notice.Text != "Curve style: auto" {
			t.Errorf("%v: dots were asked for: %q", size, r.Notice.Text)
		}
	}
}

// TestGapBetweenPanels: where there is no room for boxes, two panels have a blank between them on
// each line below their titles.
func TestGapBetweenPanels(t *testing.T) {
	r := watching(t, 80, 16)
	panels := r.watch.layout().panels
	if len(panels) != 2 || panels[1].X == 0 {
		t.Fatalf("panels %v", panels)
	}
	for y, line := range strings.Split(strings.TrimSuffix(tuitest.Text(r.Shot()), "\n"), "\n") {
		if c := []rune(line); y > panels[1].Y && len(c) >= panels[1].X && c[panels[1].X-1] != ' ' {
			t.Errorf("line %d has no gap: %q", y, line)
		}
	}
}

// TestWhoSuffersElsewhere: while the run under the cursor waits for its first evaluation, the panel
// shows who suffers under the other runs. Only the figures of the waiting run and views of that run
// alone are missing.
func TestWhoSuffersElsewhere(t *testing.T) {
	r := watching(t, 120, 40)
	w := r.watch
	for _, at := range []int{w.Baseline, w.At} {
		w.Tracks[at].Eval, w.Tracks[at].Films = nil, nil
		s := tuitest.Text(r.Shot())
		if !strings.Contains(s, "hexagon") || !strings.Contains(s, "◂ ·") {
			t.Errorf("without an evaluation of run %d nobody suffers:\n%s", at, s)
		}
	}
	for _, track := range w.Tracks {
		track.Eval, track.Films = nil, nil
	}
	if s := tuitest.Text(r.Shot()); !strings.Contains(s, "is not evaluated yet") {
		t.Errorf("nobody is evaluated:\n%s", s)
	}
}

// TestCursorFindsWhatHasBegun: until the user moves the cursor, it leaves a run that waits for a
// run that trains.
func TestCursorFindsWhatHasBegun(t *testing.T) {
	r := watching(t, 120, 40)
	w := r.watch
	last := len(w.Tracks) - 1
	for i, track := range w.Tracks {
		if track.Status = runner.Queued; i == last {
			track.Status = runner.Running
		}
	}
	w.At, w.Pointed = 0, false
	if w.PointBegun(); w.At != last {
		t.Errorf("the cursor is on run %d, want %d, which trains", w.At, last)
	}
	r.Press("up")
	chosen := w.At
	if w.PointBegun(); w.At != chosen || chosen == last {
		t.Errorf("the cursor went to run %d of its own, from %d", w.At, chosen)
	}
}

// TestCrosshair: the crosshair reads every line at one step, in all plots. Enter chooses the run at
// the crosshair, and Esc removes the crosshair.
func TestCrosshair(t *testing.T) {
	r := watching(t, 120, 40)
	r.Press("left", "left", "left")
	w := r.watch
	if !w.Cross.On {
		t.Fatal("no crosshair")
	}
	for _, q := range []string{"loss", "lambda"} {
		for _, e := range w.Chart(q).Read() {
			i := slices.IndexFunc(w.Tracks, func(t *panel.Track) bool { return t.Short == e.Name })
			if want := w.Tracks[i].Curves[q].Shown().At(w.Cross.X); e.Value != want {
				t.Errorf("%s of %s reads %g, want %g", q, e.Name, e.Value, want)
			}
		}
	}
	at := w.Cross.X
	w.Cross.X = 13333.4
	if s := w.ReadAt(w.Shows(w.focus)); !strings.HasPrefix(s, "step 13333") {
		t.Errorf("at step 13333 it says %q", s)
	}
	w.Cross.X = at
	list := w.Crossed(w.focus)
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
	if r.Press("enter", "esc"); w.At != top || w.Cross.On || w.zoomed {
		t.Errorf("run %d is under the cursor, want %d; %+v, zoomed %v", w.At, top, w.Cross,
			w.zoomed)
	}
}

// TestHover: the mouse points at a line. Outside the plots nothing is read.
func TestHover(t *testing.T) {
	r := watching(t, 120, 40)
	w := r.watch
	in, _ := w.inside(0)
	v := w.Shows(0)
	c := w.Plots(0, v, in.W, in.H)[0]
	for x := range c.At.W {
		for y := range c.At.H {
			_, height, ok := c.ColumnX(x, y, c.At.W, c.At.H)
			w.point(in.X+x, in.Y+y)
			if w.Cross.On != ok {
				t.Fatalf("at %d, %d: crosshair %v, plot %v", x, y, w.Cross.On, ok)
			}
			if !ok {
				continue
			}
			far := func(run int) float64 {
				loss := w.Tracks[run].Curves["loss"].Shown().At(w.Cross.X)
				return math.Abs(c.Height(loss) - height)
			}
			for _, o := range w.Crossed(0) {
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
	r := watching(t, 120, 40)
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

// seeded returns a rig over two methods with three seeds each.
func seeded(t *testing.T) *rig {
	t.Helper()
	store, err := record.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range []dro.Algorithm{dro.SFK, dro.ERM} {
		for seed := range 3 {
			m := tuitest.Meta(a, tuitest.Epoch0().Add(time.Duration(i*3+seed)*time.Second))
			m.Spec.Seed = uint64(seed + 1)
			rec, err := store.Create(m, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range tuitest.Training(a, 2*i+seed, 40, 4) {
				if err := rec.Append(e); err != nil {
					t.Fatal(err)
				}
			}
			rec.Close()
		}
	}
	s := &tuitest.Script{Folder: lab.Folder(store.Dir()), Now: tuitest.Epoch0()}
	r := newRigOf(t, s.Folder, s, 120, 40)
	r.Wait(3*time.Second, time.Second)
	return r
}

// TestSeeds: seeds are one row and one band, whose values do not depend on the other runs that are
// shown. A key takes the seeds apart.
func TestSeeds(t *testing.T) {
	r := seeded(t)
	w := r.watch
	if len(w.Rows()) != 2 || len(w.Tracks) != 6 || w.Tracks[0].Number != w.Tracks[1].Number {
		t.Fatalf("rows %v", w.Rows())
	}
	bands := func() []plot.Line {
		return slices.DeleteFunc(w.Chart("test_loss").Lines,
			func(l plot.Line) bool { return len(l.Seeds) < 2 })
	}
	points := func() []plot.BandPoint {
		for _, b := range bands() {
			if b.Number == w.Tracks[0].Number {
				return slices.Clone(b.Points(w.Span(), 40))
			}
		}
		return nil
	}
	before := points()
	if before == nil || before[20].N != 3 || !(before[20].Lo < before[20].Hi) {
		t.Fatalf("the band is of %+v", before)
	}
	r.Press("down", "space", "up")
	if !slices.EqualFunc(before, points(), func(a, b plot.BandPoint) bool {
		return a == b || math.IsNaN(a.Mean) && math.IsNaN(b.Mean)
	}) {
		t.Error("the band changed when other runs were hidden")
	}
	if n := len(bands()); n != 1 {
		t.Errorf("%d bands, one hidden", n)
	}
	s := tuitest.Text(r.Shot())
	if !strings.Contains(s, "sfk ×3") || !strings.Contains(s, "sfk n3") {
		t.Errorf("no row or no line of three seeds:\n%s", s)
	}
	for _, track := range w.Tracks {
		track.Status = runner.Done
	}
	if s := tuitest.Text(r.Shot()); !strings.Contains(s, "✓ sfk s1: done after") {
		t.Errorf("of which seed the headline is:\n%s", s)
	}
	r.Press("o")
	if c := w.Chart("test_loss"); len(w.Rows()) != 6 || len(bands()) != 0 || len(c.Lines) != 3 {
		t.Errorf("apart: rows %v, %d bands, %d lines", w.Rows(), len(bands()), len(c.Lines))
	}
	if r := watching(t, 120, 40); r.watch.noSeeds(nil) == "" {
		t.Error("seeds can be taken apart where there are none")
	}
}

// TestSeedsAlone: a fork, a run with another setting, or a second run of the same seed is not
// grouped with the seeds.
func TestSeedsAlone(t *testing.T) {
	of := func(change func(*runner.Meta)) *panel.Track {
		m := tuitest.Meta(dro.SFK, tuitest.Epoch0())
		change(m)
		return &panel.Track{Meta: m}
	}
	groups := panel.SeedGroups([]*panel.Track{of(func(*runner.Meta) {}),
		of(func(m *runner.Meta) { m.Spec.Seed = 7 }),
		of(func(m *runner.Meta) { m.Spec.Seed = 8; m.Spec.Rho *= 2 }),
		of(func(m *runner.Meta) { m.Spec.Seed = 9; m.Parent = "x@1" }),
		of(func(*runner.Meta) {})})
	if len(groups) != 4 || !slices.Equal(groups[0], []int{0, 1}) {
		t.Errorf("groups %v", groups)
	}
}

// TestWhoSuffers: every run is on the line of every class. The lines begin with the worst class of
// the baseline.
func TestWhoSuffers(t *testing.T) {
	r := watching(t, 120, 40)
	r.Wait(20*time.Second, time.Second) // to the end
	w := r.watch
	p := slices.IndexFunc(w.Panels,
		func(p panel.Panel) bool { return strings.HasPrefix(p.Title, "Who") })
	s := w.Spread(p, w.Shows(p), 20)
	erm := w.Tracks[w.Baseline]
	values := erm.Places(lab.ListNamed("class_accuracy"))
	if len(s.Rows) != len(values) || len(s.Numbers) != len(w.Tracks) ||
		s.Numbers[s.Front] != w.Run().Number {
		t.Fatalf("%d rows, series %v, %d in front", len(s.Rows), s.Numbers, s.Front)
	}
	for i, row := range s.Rows {
		if i > 0 && row.Values[w.Baseline] < s.Rows[i-1].Values[w.Baseline] {
			t.Errorf("row %d is worse than the one above", i)
		}
		at := slices.Index(erm.Meta.Classes, row.Label)
		if row.Values[w.Baseline] != values[at].Float() {
			t.Errorf("%s is at %g, want %v", row.Label, row.Values[w.Baseline], values[at])
		}
	}
}

// TestWhoSuffersOfSeeds: the worst class of folded seeds is the one with the lowest mean, even if
// the seed under the cursor has another. The name and the number beside it agree.
func TestWhoSuffersOfSeeds(t *testing.T) {
	r := seeded(t)
	w := r.watch
	w.At = 0
	for seed, lowest := range []int{0, 1, 1} { // the seed under the cursor has class 0
		values := slices.Clone(w.Tracks[seed].Places(lab.ListNamed("class_accuracy")))
		for i := range values {
			values[i] = measure.Num(.9)
		}
		values[lowest] = measure.Num(.1)
		w.Tracks[seed].Eval.ByGroup.Set("class_accuracy", values)
	}
	p := slices.IndexFunc(w.Panels,
		func(p panel.Panel) bool { return strings.HasPrefix(p.Title, "Who") })
	for _, row := range w.Spread(p, w.Shows(p), 20).Rows {
		if row.Worst != (row.Label == w.Run().Meta.Classes[1]) {
			t.Errorf("%s is the worst: %v", row.Label, row.Worst)
		}
	}
}

// TestWhoSuffersAlone: if only one class has enough samples, no name is marked, because the table
// has no worst class then.
func TestWhoSuffersAlone(t *testing.T) {
	r := watching(t, 120, 40)
	w := r.watch
	m := w.Run().Meta
	m.ClassCounts.Test = make([]int, len(m.Classes))
	m.Spec.MinGroup = 10
	p := slices.IndexFunc(w.Panels,
		func(p panel.Panel) bool { return strings.HasPrefix(p.Title, "Who") })
	for enough := range 3 { // the number of classes with enough samples
		if enough > 0 {
			m.ClassCounts.Test[enough-1] = 10
		}
		worst := 0
		for _, row := range w.Spread(p, w.Shows(p), 20).Rows {
			if row.Worst {
				worst++
			}
		}
		if want := max(0, enough-1); worst != want {
			t.Errorf("of %d classes %d are the worst, want %d", enough, worst, want)
		}
	}
}

// TestFilm: the film has each evaluation, except those that a resume has discarded.
func TestFilm(t *testing.T) {
	r := watching(t, 120, 40)
	w := r.watch
	run, n := w.Run(), 0
	run.Films["class_accuracy"].Each(func(step float64, place int, v float64) {
		n++
		want := run.Eval.ByGroup.Named("class_accuracy")[place].Float()
		if step == float64(run.Eval.Step) && v != float64(float32(want)) {
			t.Errorf("class %d at step %g: %g", place, step, v)
		}
	})
	if n == 0 {
		t.Fatal("an empty film")
	}
	last := run.Eval.Step
	run.Add([]runner.Event{&runner.ResumeEvent{Head: runner.Head{Step: last - 1}}})
	run.Films["class_accuracy"].Each(func(step float64, _ int, _ float64) {
		if step >= float64(last) {
			t.Fatalf("step %g is shown after a resume at %d", step, last-1)
		}
	})
}

// TestRiskByRadius: the plot of R_ρ over ρ shows the last evaluation, and marks the training
// radius.
func TestRiskByRadius(t *testing.T) {
	r := watching(t, 120, 40)
	r.Wait(20*time.Second, time.Second) // to the end, which all have in common
	w := r.watch
	run := w.Run()
	list := make([]measure.Number, len(run.Meta.Spec.RiskRadii))
	for i := range list {
		list[i] = measure.Num(1 + float64(i))
	}
	run.Eval.ByGroup.Set("robust_risk_at", list)
	c := w.Risks(&panel.View{Bars: "robust_risk_at", Plain: true, As: panel.ByRadius{}})
	if len(c.Markers) != 1 || math.Abs(c.Markers[0].X-math.Log10(run.Spec.Rho)) > 1e-12 {
		t.Errorf("marked %v, trained at %g", c.Markers, run.Spec.Rho)
	}
	for i, rho := range run.Meta.Spec.RiskRadii {
		series := run.OverRadii(run.Eval.Epoch, lab.ListNamed("robust_risk_at"))
		if got := series.At(math.Log10(rho)); got != 1+float64(i) {
			t.Errorf("R at %g is %g", rho, got)
		}
	}
}

// TestOutcome: the table marks the best worst class and the best robust risk, and shows the
// difference of each to the baseline, even on the smallest screen.
func TestOutcome(t *testing.T) {
	for _, size := range [][2]int{{120, 40}, {40, 12}} {
		r := watching(t, size[0], size[1])
		// The best is the best at the last epoch that all runs have, unless another run is better
		// by now.
		first := r.watch.Tracks[0]
		epoch := r.watch.Epoch
		better := func(worst, risk float64, evals ...*runner.EvalEvent) string {
			for _, e := range evals {
				e.Set("worst_class_accuracy", measure.Num(worst))
				e.Set("robust_risk", measure.Num(risk))
			}
			r.watch.touch()
			return tuitest.Text(r.Shot())
		}
		common := first.Evaluations()
		at := slices.IndexFunc(common, func(e *runner.EvalEvent) bool { return e.Epoch == epoch })
		s := better(.9, .5, common[at], first.Eval)
		if n := strings.Count(s, r.Theme.Best); n != 2 {
			t.Errorf("%v: %d best values:\n%s", size, n, s)
		}
		further := r.watch.Tracks[1]
		if further.Eval.Epoch <= epoch {
			t.Fatal("no run is further")
		}
		if s := better(.95, .4, further.Eval); strings.Contains(s, r.Theme.Best) {
			t.Errorf("%v: the best is worse than another:\n%s", size, s)
		}
		r.Wait(20*time.Second, time.Second) // when all have the same result
		if s = tuitest.Text(r.Shot()); strings.Contains(s, r.Theme.Best) {
			t.Errorf("%v: one of equals is the best:\n%s", size, s)
		}
		for _, run := range r.watch.Tracks {
			d := run.Eval.Named("worst_class_accuracy").Float() -
				r.watch.Tracks[r.watch.Baseline].Eval.Named("worst_class_accuracy").Float()
			if want := plot.Percent(d); run.Meta.Spec.Algorithm() != dro.Baseline() &&
				!strings.Contains(s, want) {
				t.Errorf("%v: no change of %s:\n%s", size, want, s)
			}
		}
	}
}

// TestWarnings: a run with warnings has a badge, and a key shows the warnings in full.
func TestWarnings(t *testing.T) {
	r := watching(t, 80, 24)
	long := strings.Repeat("a long warning ", 20) + "end"
	if r.Press("W"); !strings.Contains(r.Notice.Text, "has no warnings") {
		t.Errorf("the footer says %q", r.Notice.Text)
	}
	r.watch.Run().Add([]runner.Event{&runner.WarningEvent{Message: long}})
	if s := tuitest.Text(r.Shot()); !strings.Contains(s, "!1") {
		t.Errorf("no badge:\n%s", s)
	}
	r.Press("W")
	if r.Overlay == nil || !strings.Contains(strings.Join(r.Overlay.Lines, " "), " end") {
		t.Errorf("in full: %+v", r.Overlay)
	}
}

// TestHistogram: the histogram has the bins of the run and marks 1. For an old log without bins it
// says so.
func TestHistogram(t *testing.T) {
	r := watching(t, 120, 40)
	w := r.watch
	w.focus = slices.IndexFunc(w.Panels,
		func(p panel.Panel) bool { return p.Title == "Dual variables" })
	for w.Shows(w.focus).Bars != "ratio_histogram" {
		r.Press("f")
	}
	if s := tuitest.Text(r.Shot()); !strings.Contains(s, "lacks this") {
		t.Errorf("of a log without it:\n%s", s)
	}
	counts := make([]measure.Number, len(measure.RatioEdges()))
	for i := range counts {
		counts[i] = measure.Num(float64(i % 3))
	}
	w.Run().Eval.ByGroup.Set("ratio_histogram", counts)
	if s := tuitest.Text(r.Shot()); !strings.Contains(s, "█") || !strings.Contains(s, " 0.125 ") {
		t.Errorf("no bars:\n%s", s)
	}
	r.Fits(t, "histogram")
}
