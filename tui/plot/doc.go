// Package plot turns numbers into rows of terminal cells: line charts, bars,
// histograms, maps and phase portraits.
//
// It is pure: values in, a [Frame] of cells out. It knows no colour, no
// escape sequence, no clock and no file; a cell carries a [Style] (a role and
// a series number) and the caller paints it. It is the only importer of
// asciigraph, which draws the default line style, and shields it from the
// inputs on which it panics (see boxlines.go).
//
// It is not a statistics package. A band over seeds is computed here, since that must be done on
// the columns in which it is drawn, but its caller gives the width.
//
// Start at [Series] (append points, bounded memory), then [Chart] (what to
// draw), then [Chart.DrawTo]. The flow of one frame:
//
//	Series (min/max buckets) -> columns of the view (columns.go)
//	columns                  -> pixel spans on a scale (trace.go)
//	spans                    -> box lines | braille | ASCII (boxlines.go, dots.go)
//	axes, bands, references, markers around them (drawing.go)
//	[]Cell                   -> the caller's colours
//
// Nothing depends on what was drawn before: an axis that must stay still between frames is
// a [Range] that the caller keeps and passes back to [Range.Fit]. Every DrawTo works at any
// size, draws nothing outside its frame and never panics on data. Nothing drawn is kept
// here: the caller decides when a chart is drawn again. Only a band keeps its
// columns (bandcache.go).
//
// # Files
//
//	chart.go        start here: Chart and Line: what to draw, y range of data, marks; Report of
//	                values that cannot be shown
//	drawing.go      Chart.DrawTo: axes, bands, references, markers, labels in order
//	frame.go        Cell and Frame, Role of a cell (Data, Shade, Heat), writing rows
//	series.go       Series: append, rewind at a resume, bounded memory
//	bucket.go       Bucket: first, last, least, greatest (M4, Jugel et al.), means and counts
//	boundedlist.go  lists that drop every second item when full
//
//	columns.go    a series cut into the columns of a view
//	trace.go      columns as spans of pixels, with jumps and non-finite values
//	dots.go       lines in braille dots
//	boxlines.go   lines in box-drawing characters, by asciigraph
//	band.go       mean and interval over seeds in each column
//	bandcache.go  keeps a band's columns
//	ends.go       mark, name and value at the right end of a line
//	crosshair.go  value of every line at an x, cells of the mouse
//
//	range.go      Range and Fit: the axis that stays still; GrowX
//	scale.go      linear, log and symmetric log scales; 1-2-5 bounds
//	ticks.go      ticks and labels of axes, also of time
//	format.go     numbers (Format, Percent) and durations as text
//	smoothing.go  mean of five (the paper's), EMA
//
//	bars.go       bars by class with changes from a baseline
//	matrix.go     figures by class and method, tinted by their difference from a baseline
//	spread.go     a line for each class with the marks of all runs
//	rows.go       labels, columns and marks of such rows: ◂ worst, ? few samples
//	histogram.go  upright bars, of likelihood ratios
//	heat.go       maps in nine levels, and their key
//	film.go       Film: values of each class at each evaluation, for maps
//	phase.go      phase portrait of (λ, η) with its box and ✕ (λ*, η*)
//	scatter.go    points in two measures with crosses, names and the front
//	path.go       Path: points of a phase portrait
//	spark.go      small curves in one line (trends)
package plot
