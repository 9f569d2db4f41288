package measure

import (
	"math"
	"slices"

	"drolab/dro"
)

// The histogram of the likelihood ratios has bins of half an octave from 1/8 to 16, one bin below
// them and one above.
const (
	ratioLow  = 1. / 8
	ratioBins = 16
)

// RatioEdges returns the lower edges of the bins of ratio_histogram; the first is 0.
func RatioEdges() []float64 {
	edges := []float64{0}
	for i := range ratioBins - 1 {
		edges = append(edges, ratioLow*math.Pow(2, float64(i)/2))
	}
	return edges
}

// ratioBin returns the bin of a ratio, from 0. A NaN falls into the first bin, so that no sample is
// left out of the counts.
func ratioBin(r float64) int {
	if !(r >= ratioLow) {
		return 0
	}
	// The 1e-12 exceeds the rounding error, and keeps edges in the bins that they begin.
	return 1 + min(ratioBins-2, int(2*math.Log2(r/ratioLow)+1e-12))
}

func histogramRow() Measure {
	return Measure{
		Axis: PerRatio,
		Measure: dro.Measure{Name: "ratio_histogram", Title: "likelihood ratios",
			Unit: "samples", Scale: dro.Whole, Asks: dro.OfProblem,
			Doc: "number of training samples in each of 16 bins of the likelihood ratio " +
				"dQ/dP, for the exact worst case Q of the training losses: below 1/8, then " +
				"half octaves, then 16 and above"},
		List: func(e *Evaluation) []Number {
			if e.Ratios == nil {
				return nil
			}
			list := slices.Repeat([]Number{Num(0)}, ratioBins)
			for _, r := range e.Ratios {
				list[ratioBin(r)].value++
			}
			return list
		},
	}
}
