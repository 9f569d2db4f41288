package measure

import (
	"math"
	"testing"
)

// Every ratio falls into the bin that has it between its edges, and a ratio on an edge into the bin
// that begins there.
func TestRatioHistogram(t *testing.T) {
	edges := append(RatioEdges(), math.Inf(1))
	var ratios []float64
	for _, e := range edges[:ratioBins] {
		ratios = append(ratios, e, e*1.01)
	}
	ratios = append(ratios, 1e300)
	want := make([]float64, ratioBins)
	for _, r := range ratios {
		for i := range ratioBins {
			if r >= edges[i] && r < edges[i+1] {
				want[i]++
			}
		}
	}
	row := histogramRow()
	for i, n := range row.List(&Evaluation{Ratios: ratios}) {
		if n.Float() != want[i] {
			t.Errorf("bin %d from %g has %g, want %g", i, edges[i], n.Float(), want[i])
		}
	}
}
