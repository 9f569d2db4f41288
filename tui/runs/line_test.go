package runs

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/record"
	"drolab/tui/cell"
	"drolab/tui/internal/tuitest"
	"drolab/tui/lab"
)

func TestDeviation(t *testing.T) {
	for d, want := range map[float64]string{0: "0", 2.15e-4: ".0002", .0215: ".0215",
		1.2034: "1.203", 99.999: "100.0", 1234.6: "1235", 99999: "99999",
		3.2e-7: "3e-7", 3.2e6: "3e+6"} {
		if got := deviation(d); got != want {
			t.Errorf("%g: %q, want %q", d, got, want)
		}
	}
}

// TestSpreadFits: a mean with its deviation fits its column, whatever the values. No part of a
// figure is ever cut.
func TestSpreadFits(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	for range 400 {
		for _, c := range runColumns(true, false, lastValue) {
			if c.Measure == nil {
				continue
			}
			m, scale := lab.Named(c.Measure.Name), 1.0
			for range r.IntN(12) {
				if m.Scale != dro.Percent && m.Scale != dro.Whole {
					scale *= []float64{.1, 10}[r.IntN(2)]
				}
			}
			another := &record.Run{}
			another.Meta.Spec.Seed = 1 // a second seed: two runs of one seed have no deviation
			values := map[*record.Run]float64{{}: r.Float64() * scale,
				another: r.Float64() * scale}
			var l line
			for run := range values {
				l = append(l, run)
			}
			of := func(run *record.Run) measure.Number { return measure.Num(values[run]) }
			text := l.spread(of, m)
			if !strings.Contains(text, "±") {
				t.Fatalf("%s: %q has no deviation", c.Head, text)
			}
			if got := cell.Width(text); got >= c.Width {
				t.Fatalf("%s: %q has %d cells, want fewer than %d", c.Head, text, got, c.Width)
			}
		}
	}
}

// TestStateOfLine: the sign, the word and the epochs of a line are those of one run of it, one that
// goes on if any does, in whatever order the runs are.
func TestStateOfLine(t *testing.T) {
	a := tuitest.Archive{Folder: lab.Folder(t.TempDir())}
	for i, status := range []runner.Status{runner.Done, runner.Running, runner.Failed} {
		a.Add(t, string(rune('a'+i)), tuitest.Archived(dro.SFK, uint64(i+1), "shapes",
			tuitest.Epoch0().Add(time.Duration(i)*time.Second)), status, "")
	}
	r, p := runsOf(t, a)
	r.Size(120, 38)
	r.Press("o")
	screen := tuitest.Text(r.Shot())
	for _, want := range []string{"▶ 2026", "n=3 1/3 running", " 3/8 "} {
		if !strings.Contains(screen, want) {
			t.Errorf("no %q:\n%s", want, screen)
		}
	}
	l := slices.Clone(p.shown[0])
	slices.Reverse(l)
	if l.telling().Status() != runner.Running || l[:1].stateShare() != "" {
		t.Errorf("the line is told by a run that is %s", l.telling().Status())
	}
}
