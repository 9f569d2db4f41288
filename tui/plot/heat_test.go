package plot

import "testing"

func TestGoldenHeat(t *testing.T) {
	for name, cs := range map[string]Charset{"lines": Lines, "ascii": ASCII} {
		t.Run(name, func(t *testing.T) {
			h := &HeatMap{Film: testFilm(), Labels: []string{"circle", "star", "hexagon", "none"},
				X: Range{0, 250}, Values: Range{0, 1}, Percent: true, Head: "accuracy %", Mark: 2,
				Shades: true, Charset: cs, Order: []int{2, 0, 1, 3}}
			var f Frame
			h.DrawTo(&f, 40, 12)
			golden(t, "heat-"+name, styled(&f))
		})
	}
}
