package kit

// Drawn keeps the lines of a part of the screen until what they depend on changes. It is
// the one thing that is kept of drawings from frame to frame, and in two places. The
// screen as a whole is kept until a message changes it: of an idle minute that is most of
// the cost. A part of the page Watch is kept until its turn to show what is new: that
// saves two fifths of the bytes that are sent. Finer caches, of charts by a fingerprint,
// of their rows and of their lines, were measured at four runs and at forty
// (BenchmarkLive, BenchmarkScreen). While runs go on they saved nothing. Without them a frame
// after a key takes .9 to 1 ms of a core with four runs and 1.3 with forty, since what drawing a
// line needs is used again for the next (plot.Frame). A fingerprint that forgets something would
// show an old chart.
type Drawn struct {
	of    any
	lines []string
}

// Get returns the lines of what they depend on, drawn by draw where they are those of
// something else. An of that equals nothing, such as nil, has them drawn always.
func (d *Drawn) Get(of any, draw func() []string) []string {
	if d.of == nil || d.of != of {
		d.of, d.lines = of, draw()
	}
	return d.lines
}
