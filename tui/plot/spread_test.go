package plot

import (
	"math"
	"regexp"
	"strings"
	"testing"

	"drolab/tui/cell"
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

// TestVariantsOnSpread: the number of a variant stands behind its mark where both have room, and
// alone where another mark is in the way.
func TestVariantsOnSpread(t *testing.T) {
	s := &Spread{Hi: 1, Front: -1, Numbers: []uint8{1, 1 + cell.Marks}, Charset: Lines,
		Rows: []SpreadRow{{Row{Label: "apart"}, []float64{.2, .7}},
			{Row{Label: "together"}, []float64{.7, .7}}, {Row{Label: "last"}, []float64{.2, 1}}}}
	var f Frame
	s.DrawTo(&f, 60, 3)
	whole := string([]rune{cell.Mark(1, false), cell.Variant(1+cell.Marks, false)})
	for i, line := range strings.Split(f.String(), "\n")[:3] {
		if got := strings.Contains(line, whole); got != (i == 0) {
			t.Errorf("line %d has %q: %t, want %t: %q", i, whole, got, i == 0, line)
		}
	}
}

// TestNumbersAreWhole: however narrow a chart is, no number of a scale is cut: 0 to 10 is not 0 to
// 100.
func TestNumbersAreWhole(t *testing.T) {
	f, whole := new(Frame), regexp.MustCompile(`^(0|20|25|40|50|60|75|80|100)$`)
	series := new(Series)
	for i := range 100 {
		series.Append(float64(i), float64(i)/100)
	}
	for w := 1; w < 60; w++ {
		spread := &Spread{Hi: 1, Percent: true, Front: -1, Numbers: []uint8{0},
			Rows: []SpreadRow{{Row{Label: "a"}, []float64{.5}}}}
		chart := &Chart{X: Range{0, 100}, Y: Range{0, 1}, Percent: true, Gutter: 4,
			Lines: []Line{{Seeds: []*Series{series}}}}
		for name, draw := range map[string]func(){"spread": func() { spread.DrawTo(f, w, 3) },
			"chart": func() { chart.DrawTo(f, w, 9) }} {
			draw()
			for _, number := range regexp.MustCompile(`[0-9.]+`).FindAllString(f.String(), -1) {
				if !whole.MatchString(number) {
					t.Errorf("%s in %d cells: %q is no number of its scale:\n%s", name, w, number,
						f.String())
				}
			}
			if text := f.String(); strings.Contains(text, "10") && !strings.Contains(text, "100") {
				t.Errorf("%s in %d cells: 100 is cut:\n%s", name, w, text)
			}
		}
	}
}
