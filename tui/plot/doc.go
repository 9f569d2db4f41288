// Package plot turns numbers into rows of terminal cells: line charts, bars,
// histograms, maps and phase portraits.
//
// It is pure: values in, a [Frame] of cells out. It knows no colour, no
// escape sequence, no clock and no file; a cell carries a [Style] (a role and
// a series number) and the caller paints it. It is the only importer of
// asciigraph, which draws the default line style, and shields it from the
// inputs on which it panics (see boxes.go).
//
// It is not a statistics package. A band over seeds is computed here, since that must be done on
// the columns in which it is drawn, but its caller gives the width.
//
// Start at [Series] (append points, bounded memory), then [Chart] (what to
// draw), then [Chart.DrawTo]. The flow of one frame:
//
//	Series (min/max buckets) -> columns of the view (columns.go)
//	columns                  -> pixel spans on a scale (trace.go)
//	spans                    -> box lines | braille | ASCII (boxes.go, dots.go)
//	axes, bands, references, markers around them (drawing.go)
//	[]Cell                   -> the caller's colours
//
// Nothing depends on what was drawn before: an axis that must stay still between frames is
// a [Range] that the caller keeps and passes back to [Range.Fit]. Every DrawTo works at any
// size, draws nothing outside its frame and never panics on data. Nothing drawn is kept
// here: the caller decides when a chart is drawn again (kit.LineCache). Only a band keeps its
// columns (bandcache.go).
package plot
