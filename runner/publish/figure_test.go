package publish

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// TestFigureOfAnyRange draws curves whose values are equal, one unit in the last place
// apart, or as large as numbers are: a figure ends, and has no number that is none.
func TestFigureOfAnyRange(t *testing.T) {
	for _, y := range [][]float64{{1, math.Nextafter(1, 2)}, {1, 1}, {0, 0}, {0, math.SmallestNonzeroFloat64},
		{-1e308, 1e308}, {1e308, math.MaxFloat64}, {5}, {1e16, 1e16 + 2}} {
		for _, log := range []bool{false, true} {
			t.Run(fmt.Sprint(y, log), func(t *testing.T) {
				c := curve{name: "loss", y: y}
				for i := range y {
					c.x = append(c.x, 7+float64(i)*0x1p-50)
				}
				p := panel{log: log, curves: []curve{c}}.positive()
				var b strings.Builder
				p.svg(&b, 420, 280)
				if s := b.String(); len(s) > 4000 || strings.Contains(s, "NaN") || strings.Contains(s, "Inf") {
					t.Error(s)
				}
			})
		}
	}
}
