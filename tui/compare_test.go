package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner"
)

func TestCompareGolden(t *testing.T) {
	a := newArchive(t)
	for _, size := range sizes() {
		name := fmt.Sprintf("compare-%dx%d", size[0], size[1])
		t.Run(name, func(t *testing.T) { golden(t, name, text(browsing(t, a, "4", size[0], size[1]).shot(t))) })
	}
	for name, environ := range variants() {
		t.Run(name, func(t *testing.T) {
			e := browsing(t, a, "4", 120, 40, environ...).shot(t)
			golden(t, "compare-"+name, text(e)+styles(e))
		})
	}
	for _, c := range []struct {
		name string
		w, h int
		keys []string
	}{
		{"curves", 80, 24, []string{"v", "m", "m"}},
		{"notes", 80, 24, []string{"v", "v"}},
		{"scrolled", 40, 12, []string{"right", "right", "down", "down", "down"}},
		{"help", 80, 24, []string{"?"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := browsing(t, a, "4", c.w, c.h)
			r.press(c.keys...)
			golden(t, "compare-"+c.name, text(r.shot(t)))
		})
	}
	t.Run("empty", func(t *testing.T) {
		golden(t, "compare-empty", text(browsing(t, archive{folder(t.TempDir())}, "4", 80, 24).shot(t)))
	})
	t.Run("unlike", func(t *testing.T) {
		r := browsing(t, a, "4", 120, 40)
		r.send(compareMsg{[]string{"shapes-sfk-s1", "mine-erm-s1", "paper-sfk-s7"}})
		golden(t, "compare-unlike", text(r.shot(t)))
	})
}

// Without a selection the newest experiment is compared: other settings,
// unfinished runs and other presets stay out.
func TestNewestExperiment(t *testing.T) {
	a := newArchive(t)
	other := archived(dro.ERM, 9, "shapes", epoch0().Add(-1))
	other.Spec.LR = 0.5
	a.add(t, "shapes-erm-s9", other, runner.Done, "")
	all, _ := a.List()
	runs, preset := experiment(all)
	// mine-erm-s1 has the same settings, so it is a repeat of the experiment.
	if len(runs) != 9 || preset != "shapes" {
		t.Errorf("%d runs of %q, want 9 of shapes", len(runs), preset)
	}
	for _, r := range runs {
		if r.Meta.ID == "shapes-erm-s9" || r.Status() != runner.Done {
			t.Errorf("%s (%s) is compared", r.Meta.ID, r.Status())
		}
	}
}

func compareOf(t *testing.T, a Source) (*rig, *comparePane) {
	t.Helper()
	r := browsing(t, a, "4", 120, 40)
	return r, r.pages[comparePage].(*comparePane)
}

func TestCompareMarksOnlyTheSignificant(t *testing.T) {
	r, p := compareOf(t, newArchive(t))
	screen := text(r.shot(t))
	marks := 0
	for c, col := range p.table.Columns {
		for i := range p.table.Rows {
			if strings.HasSuffix(p.figures(i, c), bestMark) != (col.Best == i) {
				t.Errorf("row %d of %s: %q, best is %d", i, col.Name, p.figures(i, c), col.Best)
			}
		}
		if col.Best >= 0 {
			marks++
		}
	}
	if marks == 0 || !strings.Contains(screen, bestMark) {
		t.Error("nothing is marked: the archive's seeds differ by less than its methods")
	}
	r.send(compareMsg{[]string{"shapes-sfk-s1", "shapes-erm-s1"}})
	for c := range p.table.Columns {
		for i := range p.table.Rows {
			if f := p.figures(i, c); strings.Contains(f, bestMark) || strings.Contains(f, "±") {
				t.Errorf("of one seed %q is claimed", f)
			}
		}
	}
}

// A resume discards the evaluations above the step where the run went on.
func TestCurvesRewind(t *testing.T) {
	_, p := compareOf(t, newArchive(t))
	s := p.series[0][0]
	before := s.Len()
	if before != fixEpochs {
		t.Fatalf("%d points, want one an epoch", before)
	}
	resume := &runner.ResumeEvent{Head: runner.Head{Step: 5 * p.runs[0].Meta.StepsPerEpoch}}
	eval := &runner.EvalEvent{Epoch: 6, TestLoss: runner.Num(7)}
	p.grow(curvesMsg{run: 0, round: p.round, end: true, events: []runner.Event{resume, eval}})
	if x, y, ok := s.Last(); !ok || x != 6 || y != 7 {
		t.Errorf("the curve ends at (%g, %g)", x, y)
	}
	if got := s.Len(); got >= before {
		t.Errorf("%d points after going back to epoch 5, had %d", got, before)
	}
}

// The newest experiment takes in the runs that end while it is shown.
func TestCompareGrows(t *testing.T) {
	a := archive{folder(t.TempDir())}
	r, p := compareOf(t, a)
	if len(p.table.Rows) != 0 {
		t.Fatal("there is something to compare in an empty folder")
	}
	for i, algorithm := range []dro.Algorithm{dro.ERM, dro.SFK} {
		a.add(t, fmt.Sprintf("shapes-%s-s1", algorithm), archived(algorithm, 1, "shapes", epoch0()), runner.Done, "")
		r.wait(11*time.Second, time.Second)
		if len(p.table.Rows) != i+1 || len(p.series) != i+1 || p.series[i][0].Len() == 0 {
			t.Fatalf("%d rows, %d curves, want %d with points", len(p.table.Rows), len(p.series), i+1)
		}
	}
	table, points := p.table, p.series[0][0].Len()
	r.wait(11*time.Second, time.Second)
	if p.table != table || p.series[0][0].Len() != points {
		t.Error("the table was made again for the same runs")
	}
	r.send(compareMsg{[]string{"shapes-erm-s1"}})
	a.add(t, "shapes-erm-s2", archived(dro.ERM, 2, "shapes", epoch0()), runner.Done, "")
	r.wait(11*time.Second, time.Second)
	if len(p.runs) != 1 {
		t.Errorf("%d runs are compared, want the chosen one", len(p.runs))
	}
}

// An answer to a question that was put before the last one changes nothing.
func TestCompareStale(t *testing.T) {
	r, p := compareOf(t, newArchive(t))
	table, points := p.table, p.series[0][0].Len()
	r.send(comparedMsg{round: p.round - 1}, curvesMsg{round: p.round - 1, run: 99})
	if p.table != table || p.series[0][0].Len() != points {
		t.Error("a stale answer was taken")
	}
	r.send(compareMsg{[]string{"no-such-run"}})
	if p.err == nil || !strings.Contains(text(r.shot(t)), "no run no-such-run") || p.table != nil {
		t.Errorf("a run that is not there: %v", p.err)
	}
}

func TestDecimal(t *testing.T) {
	for x, want := range map[float64]string{0: "0.000", 2.34567: "2.346", 0.0051: "0.0051", 12345: "12345.0", -1: "-1.000"} {
		if got := decimal(x); got != want {
			t.Errorf("decimal(%g) = %q, want %q", x, got, want)
		}
	}
}
