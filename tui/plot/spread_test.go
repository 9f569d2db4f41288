package plot

import (
	"math"
	"strings"
	"testing"
)

func TestGoldenSpread(t *testing.T) {
	for name, cs := range map[string]Charset{"lines": Lines, "ascii": ASCII} {
		t.Run(name, func(t *testing.T) {
			s := &Spread{Hi: 1, Percent: true, Numbers: []uint8{0, 1, 2},
				Front: 1, Charset: cs, Heads: []string{"class", "acc %", "train"},
				Rows: []SpreadRow{
					{Row{Label: "hexagon", Worst: true, Cells: []string{"434"}},
						[]float64{.2, .4, .41}},
					{Row{Label: "circle", Cells: []string{"643"}}, []float64{.9, .5, math.NaN()}},
					{Row{Label: "rare", Few: true, Cells: []string{"3"}}, []float64{1, 0, .5}},
					{Row{Label: "none", Cells: []string{"1"}}, []float64{1, math.NaN(), .5}},
				}}
			var f Frame
			s.DrawTo(&f, 60, 8)
			golden(t, "spread-"+name, styled(&f))
		})
	}
}

// TestScaleOfSpread: the scale has a line where the rows leave it one, and takes none from them.
func TestScaleOfSpread(t *testing.T) {
	s := &Spread{Hi: 1, Front: -1, Numbers: []uint8{0}}
	for _, name := range []string{"one", "two", "three"} {
		s.Rows = append(s.Rows, SpreadRow{Row{Label: name}, []float64{.5}})
	}
	for h, first := range map[int]string{3: "one", 4: "0"} {
		var f Frame
		s.DrawTo(&f, 40, h)
		lines := strings.Split(f.String(), "\n")
		if !strings.HasPrefix(strings.TrimSpace(lines[0]), first) {
			t.Errorf("in %d lines the first is not of %s:\n%s", h, first, f.String())
		}
		if !strings.HasPrefix(lines[h-1], "three") {
			t.Errorf("in %d lines the last is not of three:\n%s", h, f.String())
		}
	}
}
