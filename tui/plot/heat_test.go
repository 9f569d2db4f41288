package plot

import (
	"slices"
	"strings"
	"testing"
)

func TestGoldenHeat(t *testing.T) {
	for name, cs := range map[string]Charset{"lines": Lines, "ascii": ASCII} {
		t.Run(name, func(t *testing.T) {
			h := &HeatMap{Film: testFilm(), Labels: []string{"circle", "star", "hexagon", "none"},
				X: Range{0, 250}, Values: Range{0, 1}, Percent: true, Head: "accuracy %", Mark: 2,
				Shades: true, Charset: cs, Order: []int{2, 0, 1, 3},
				Ticks: func(most int) []AxisTick { return TicksOf(Range{0, 250}, false, most) }}
			var f Frame
			h.DrawTo(&f, 40, 12)
			golden(t, "heat-"+name, styled(&f))
		})
	}
}

// TestScaleOfHeat: at every width the key of a map has both of its ends whole, or is not there:
// half of "100" would be another scale.
func TestScaleOfHeat(t *testing.T) {
	f := new(Frame)
	for w := 1; w < 60; w++ {
		h := &HeatMap{Film: testFilm(), Labels: []string{"hexagon", "ring"}, X: Range{0, 250},
			Values: Range{0, 1}, Percent: true, Charset: Lines,
			Ticks: func(most int) []AxisTick { return TicksOf(Range{0, 250}, false, most) }}
		h.DrawTo(f, w, 12)
		lines := strings.Split(f.String(), "\n")
		key := strings.TrimSpace(lines[11])
		if key != "" && (!strings.HasPrefix(key, "0 ") || !strings.HasSuffix(key, " 100")) {
			t.Errorf("%d cells: the key is %q, want 0 to 100", w, key)
		}
		for _, label := range strings.Fields(lines[10]) {
			if !slices.Contains([]string{"0", "50", "100", "150", "200", "250"}, label) {
				t.Errorf("%d cells: a tick is %q, want a whole number of steps", w, label)
			}
		}
	}
}
