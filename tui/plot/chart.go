package plot

import "drolab/tui/cell"

// Charset is the set of runes a chart is drawn with.
type Charset uint8

const (
	Lines   Charset = iota // asciigraph's box-drawing lines
	Braille                // 2x4 dots a cell, for dense panels
	ASCII                  // 7 bits only, for terminals without UTF-8
)

// Line is one series in a chart.
type Line struct {
	Name   string   // name in the caller's lists and at the end of the line
	Briefs []string // shorter forms of the name, the longest first
	Series *Series  // nil draws nothing
	Number uint8    // series number of its style
	Faint  bool     // raw data under a smoothed line; drawn before the others
	Back   bool     // dimmed, and drawn before the lines in front
	// Glyph tells the line from others where colour does not; 0 for none. It replaces the line
	// runes, and stands here and there on a line of dots. In ASCII with several lines, a missing
	// one is chosen by Number.
	Glyph rune
	// MapX maps an x of the series to an x of the chart and never decreases; nil is the identity.
	// For a chart over elapsed time it is the At method of the series of elapsed time over steps.
	MapX func(float64) float64
}

// RefLine is a horizontal reference line, such as a bound of the box of (λ, η) or a baseline. It is
// drawn if it lies within the y range.
type RefLine struct {
	Name string // drawn at its right end
	Y    float64
}

// Marker is a vertical line at an event: a resume, a drop of the learning
// rate, a live change.
type Marker struct {
	X      float64
	Letter rune // drawn at its top; 0 for none
}

// Spot is a point on a line that stands out. A chart draws it as a letter that is not the mark of
// any line.
type Spot struct {
	X, Y   float64
	Number uint8 // series number of its style
}

// spotRune is the letter that a chart draws a spot as.
const spotRune = 'S'

// Chart is a line chart. The caller keeps the ranges: FitY and GrowX return those for the next
// frame.
type Chart struct {
	X        Range
	Y        Range
	YScale   Scale
	Duration bool // x is in seconds; its ticks are round durations
	Charset  Charset
	Lines    []Line
	Bands    []Band
	Refs     []RefLine
	Markers  []Marker
	Spots    []Spot
	Bare     bool // no axes
	Ends     bool // mark, name and value stand at the right end of every line
	Percent  bool // values are parts of 1, and labels are times 100: see FitY
	XLog     bool // x is the decimal logarithm of the values at its ticks
	Gutter   int  // width of the y labels, in cells; 0 means LabelWidth
	Cross    Cross
}

// Report counts what a chart could not show as a line, over all its lines, for
// a note beside it.
type Report struct {
	NonFinite   int // NaN and infinite values in view
	NonPositive int // values <= 0 on a logarithmic axis
}

// DataY returns the range of the y values of lines and bands in view; on a logarithmic scale, of
// positive values only. It is empty without data.
func (c *Chart) DataY() Range {
	const n = 256
	view, r := c.X.usable(Scale{}), EmptyRange()
	var cols columns
	for i := range c.Lines {
		l := &c.Lines[i]
		if l.Series.within(view, l.MapX) {
			r = r.addBucket(l.Series.whole(), c.YScale)
			continue
		}
		l.Series.sample(&cols, view, n, l.MapX)
		for j := range cols.cols {
			r = r.addBucket(&cols.cols[j], c.YScale)
		}
		r = r.addAnchors(&cols, c.YScale)
	}
	shades := EmptyRange()
	for i := range c.Bands {
		for _, p := range c.Bands[i].points(view, n) {
			r = r.addValue(p.Mean, c.YScale)
			shades = shades.addValue(p.Lo, c.YScale).addValue(p.Hi, c.YScale)
		}
	}
	return r.reach(shades, c.YScale)
}

// reach returns r with as much of the shades of bands as leaves half of the axis to the lines.
// Intervals of two or three seeds are often many times as wide as the differences between the
// means.
func (r Range) reach(shades Range, s Scale) Range {
	if r.empty() || shades.empty() {
		return r
	}
	lines := r.usable(s)
	slack := s.span(lines) / 2
	lo, hi := s.backward(s.forward(lines.Lo)-slack), s.backward(s.forward(lines.Hi)+slack)
	return r.Add(max(lo, min(shades.Lo, r.Lo))).Add(min(hi, max(shades.Hi, r.Hi)))
}

func (r Range) addBucket(b *Bucket, s Scale) Range {
	if b.N == 0 {
		return r
	}
	if s.Kind == Log10 && b.Min <= 0 {
		return r.addValue(b.MinPos, s).addValue(b.Max, s)
	}
	return r.Add(b.Min).Add(b.Max)
}

func (r Range) addValue(v float64, s Scale) Range {
	if s.Kind == Log10 && v <= 0 {
		return r
	}
	return r.Add(v)
}

// addAnchors adds the points to the left and right of a view that holds no point, so that zooming
// between two points still shows the line.
func (r Range) addAnchors(c *columns, s Scale) Range {
	if r.empty() && c.before.ok && c.after.ok {
		return r.addValue(c.before.y, s).addValue(c.after.y, s)
	}
	return r
}

// FitY returns the y range for the next frame, from the last range and the data. With Percent it
// stays within 0..1 if any data lie there: an interval over seeds may reach beyond.
func (c *Chart) FitY() Range {
	data, bounds := c.DataY(), Range{0, 1}
	if inside := data.clip(bounds); c.Percent && !inside.empty() {
		return c.Y.Fit(inside, c.YScale).clip(bounds)
	}
	return c.Y.Fit(data, c.YScale)
}

// curve is a line or a band, as it is drawn and as it is named at its end.
type curve struct {
	endName
	layer
	number  uint8
	glyph   rune                                // of the line; 0 for none
	columns func(c *columns, view Range, n int) // samples the curve
	value   func() (v float64, ok bool)         // its value at the crosshair, or its last one
}

// layer is the depth of a curve, which is drawn over the curves of all lower layers.
type layer uint8

const (
	faintLayer layer = iota // raw data
	backLayer
	frontLayer
)

func layerOf(back bool) layer {
	if back {
		return backLayer
	}
	return frontLayer
}

// style returns the style of a series' line in a layer.
func (l layer) style(number uint8) Style {
	return Style{[...]Role{faintLayer: Faint, backLayer: Back, frontLayer: Data}[l], number}
}

// curves returns the lines and then the bands, in the order of the chart.
func (c *Chart) curves() (list []curve) {
	for i := range c.Lines {
		l := &c.Lines[i]
		on := layerOf(l.Back)
		if l.Faint {
			on = faintLayer
		}
		name := endName{c.Charset.spell(l.Name), c.Charset.spellAll(l.Briefs)}
		list = append(list, curve{name, on, l.Number, c.override(l.Number, l.Glyph),
			func(cols *columns, view Range, n int) { l.Series.sample(cols, view, n, l.MapX) },
			func() (float64, bool) { return c.valueOf(l.Series, l.MapX) }})
	}
	for i := range c.Bands {
		b := &c.Bands[i]
		briefs := append([]string{b.Name}, b.Briefs...)
		name := endName{c.Charset.spell(b.title()), c.Charset.spellAll(briefs)}
		list = append(list, curve{name, layerOf(b.Back), b.Number, c.override(b.Number, b.Glyph),
			func(cols *columns, view Range, n int) { bandColumns(cols, b.points(view, n)) },
			func() (float64, bool) { return c.bandValue(b) }})
	}
	return list
}

// override returns the glyph that replaces the runes of a line; 0 for none.
func (c *Chart) override(number uint8, own rune) rune {
	many := len(c.Lines)+len(c.Bands) > 1
	switch {
	case c.Charset == ASCII && own > ' ' && own < 0x7f, c.Charset != ASCII && drawable(own):
		return own
	case c.Charset == ASCII && many:
		return cell.Mark(int(number), true)
	}
	return 0
}

// drawable reports whether a rune is visible and takes one cell.
func drawable(r rune) bool { return r > ' ' && !cell.Steers(r) && cell.RuneWidth(r) == 1 }

// rune returns r, or its stand-in in ASCII.
func (cs Charset) rune(r rune) rune {
	if cs == ASCII {
		return cell.SevenRune(r)
	}
	return r
}

// alert returns the rune that marks a value that is not finite. In ASCII it is not the stand-in of
// the cross, since that is the mark of a series.
func (cs Charset) alert() rune {
	if cs == ASCII {
		return 'X'
	}
	return '×'
}

// start returns the rune that marks where a path began.
func (cs Charset) start() rune {
	if cs == ASCII {
		return '.'
	}
	return '◦'
}

// best returns the rune that marks an optimum. In ASCII it is not the mark of a series, either.
func (cs Charset) best() rune {
	if cs == ASCII {
		return '!'
	}
	return '✕'
}

// spell writes s in 7-bit characters where the charset has no others.
func (cs Charset) spell(s string) string {
	if cs == ASCII {
		return cell.Spell(s)
	}
	return s
}

// letter returns the rune of a marker, which takes one cell; '?' for a rune that cannot be drawn.
func (c *Chart) letter(r rune) rune {
	if !drawable(r) || (c.Charset == ASCII && r > 0x7e) {
		return '?'
	}
	return r
}
