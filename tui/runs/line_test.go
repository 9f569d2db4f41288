package runs

import (
	"math/rand/v2"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/runner/measure"
	"drolab/runner/record"
	"drolab/tui/cell"
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
