package panel

import (
	"math"
	"strconv"

	"drolab/runner/lists"
	"drolab/runner/measure"
	"drolab/tui/plot"
)

// histogram is the form of the number of samples in each bin, for the run under the cursor.
type histogram struct{}

func (histogram) draw(b *Board, _ int, v *View, iw, ih int) ([]string, string) {
	t := b.Runs.Run()
	counts := t.Places(b.Runs.PanelClock(), v.BarsMeasure(t.Meta))
	h := &plot.Histogram{Number: t.Number, Charset: b.Theme.Charset(false),
		Counts: lists.Map(counts, measure.Number.Float)}
	if len(h.Counts) == 0 {
		return nil, ""
	}
	// Edges are even in the logarithm, two to a factor of two. Powers of two and 0 are
	// labelled, as more labels than that would run into each other.
	for i, edge := range measure.RatioEdges() {
		text := ""
		switch {
		case edge == 1:
			h.Mark = i
			fallthrough
		case math.Abs(math.Log2(edge)-math.Round(math.Log2(edge))) < 1e-9 || edge == 0:
			text = strconv.FormatFloat(edge, 'g', 3, 64)
		}
		h.Ticks = append(h.Ticks, text)
	}
	return b.paint(h, iw, ih), ""
}

func (histogram) note(b *Board, _ *View) string {
	return b.Runs.Run().Label + b.Runs.runNote()
}
