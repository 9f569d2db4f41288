package plot

import "math"

// Spark draws values from 0 to 1 as a line of at most so many cells: each shows the last value of
// its part, or a blank where that is NaN.
func Spark(values []float64, cells int) string {
	steps := []rune("▁▂▃▄▅▆▇█")
	cells = min(cells, len(values))
	text := make([]rune, cells)
	for i := range text {
		v := values[(i+1)*len(values)/cells-1]
		text[i] = ' '
		if !math.IsNaN(v) {
			part := math.Max(0, math.Min(1, v))
			text[i] = steps[min(int(part*float64(len(steps))), len(steps)-1)]
		}
	}
	return string(text)
}
