package kit

// LineCache keeps the lines of a part of the screen until what they depend on changes. Nothing else
// of a drawing is kept from frame to frame. It is used in two places. The screen as a whole is kept
// until a message changes it, which saves most of the cost of an idle minute. A part of the page
// Watch is kept until its turn to show what is new, which saves two fifths of the bytes that are
// sent.
//
// Finer caches, of charts by a fingerprint, of their rows and of their lines, were measured at four
// runs and at forty (BenchmarkLive, BenchmarkScreen). While runs go on they saved nothing. Without
// them a frame after a key takes .9 to 1 ms of a core with four runs and 1.3 with forty. It takes
// no longer, since the memory for drawing a line is used again for the next (plot.Frame). A
// fingerprint that forgets something would show an old chart.
type LineCache struct {
	source any
	lines  []string
}

// Get returns the lines kept for of. If the lines kept are those of something else, it draws and
// keeps new ones. An of that equals nothing, such as nil, is drawn at every call.
func (d *LineCache) Get(of any, draw func() []string) []string {
	if d.source == nil || d.source != of {
		d.source, d.lines = of, draw()
	}
	return d.lines
}
