package report

import (
	"fmt"
	"math"
	"slices"

	"drolab/runner/compare"
)

// Band is a curve over seeds at one epoch.
type Band struct {
	X, Mean float64
	Half    float64 // NaN below two seeds
	N       int
}

// Bands returns the mean over seeds and its t interval at every epoch that all
// seeds have been evaluated at: runs of one experiment are, at the same ones.
func (c *Curve) Bands() (list []Band) {
	for _, p := range c.Seeds[0] {
		var values []float64
		for _, seed := range c.Seeds {
			at := slices.IndexFunc(seed, func(o Point) bool { return o.X == p.X })
			if at >= 0 && !math.IsNaN(seed[at].Y) && !math.IsInf(seed[at].Y, 0) {
				values = append(values, seed[at].Y)
			}
		}
		if len(values) == len(c.Seeds) {
			mean, half := compare.TInterval(values, level)
			list = append(list, Band{p.X, mean, half, len(values)})
		}
	}
	return list
}

// Table is the figure in numbers, at a few epochs, for pages without pictures.
func (f *Figure) Table() *Table {
	const columns = 6
	t := &Table{Caption: f.Caption, Head: []string{"epoch"}}
	var at []float64
	grid := f.Curves[0].Bands()
	for i := 1; i <= columns && len(grid) > 0; i++ {
		if x := grid[(len(grid)*i-1)/columns].X; !slices.Contains(at, x) {
			at = append(at, x)
			t.Head = append(t.Head, fmt.Sprintf("%.4g", x))
		}
	}
	for i := range f.Curves {
		row, bands := []string{f.Curves[i].Name}, f.Curves[i].Bands()
		for _, x := range at {
			j := slices.IndexFunc(bands, func(b Band) bool { return b.X == x })
			switch {
			case j < 0:
				row = append(row, "–")
			case math.IsNaN(bands[j].Half):
				row = append(row, fmt.Sprintf("%.3g", bands[j].Mean))
			default:
				row = append(row, fmt.Sprintf("%.3g ± %.2g", bands[j].Mean, bands[j].Half))
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
