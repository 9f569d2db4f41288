package plot

import "drolab/tui/cell"

// Charset is the set of runes a chart is drawn with.
type Charset uint8

const (
	Lines   Charset = iota // asciigraph's box-drawing lines
	Braille                // 2x4 dots a cell, for dense panels
	ASCII                  // 7 bits only, for terminals without UTF-8
)

// Line is one series in a chart, or a band: the mean of several seeds with an interval around it.
type Line struct {
	Name   string    // name in the caller's lists and at the end of the line
	Briefs []string  // shorter forms of the name, the longest first
	Seeds  []*Series // without one, or if the only one is nil, nothing is drawn
	// HalfWidth returns the half width of the interval of n ≥ 2 seeds, in standard errors of their
	// mean; nil draws no interval.
	HalfWidth func(n int) float64
	Number    uint8 // series number of its style
	Faint     bool  // raw data under a smoothed line; drawn before the others
	Back      bool  // dimmed, and drawn before the lines in front
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
	Letter rune // drawn at its top, if it takes one cell; 0 for none
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
	Refs     []RefLine
	Markers  []Marker
	Spots    []Spot
	Ends     bool // mark, name and value stand at the right end of every line
	// EndsHead says above the values at the ends what they are; "" for nothing. It has at most
	// seven cells. Under the crosshair the values are others.
	EndsHead string
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
	shades := EmptyRange()
	for i := range c.Lines {
		l := &c.Lines[i]
		switch s := l.series(); {
		case l.band():
			for _, p := range l.Points(view, n) {
				r = r.addValue(p.Mean, c.YScale)
				shades = shades.addValue(p.Lo, c.YScale).addValue(p.Hi, c.YScale)
			}
		case s.within(view, l.MapX):
			r = r.addBucket(s.total(), c.YScale)
		default:
			s.sample(&cols, view, n, l.MapX)
			for j := range cols.cols {
				r = r.addBucket(&cols.cols[j], c.YScale)
			}
			// Zooming between two points still shows the line.
			if r.empty() && cols.before.ok && cols.after.ok {
				r = r.addValue(cols.before.y, c.YScale).addValue(cols.after.y, c.YScale)
			}
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
	return r.addValue(b.Min, s).addValue(b.MinPos, s).addValue(b.Max, s)
}

func (r Range) addValue(v float64, s Scale) Range {
	if s.Kind == Log10 && v <= 0 {
		return r
	}
	return r.Add(v)
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

// band reports whether a line is the mean of several seeds.
func (l *Line) band() bool { return len(l.Seeds) > 1 }

// series returns the series of a line that is no band; nil for none.
func (l *Line) series() *Series {
	if len(l.Seeds) == 1 {
		return l.Seeds[0]
	}
	return nil
}

// sample fills c with the line in n columns of the view.
func (l *Line) sample(c *columns, view Range, n int) {
	if l.band() {
		bandColumns(c, l.Points(view, n))
	} else {
		l.series().sample(c, view, n, l.MapX)
	}
}

// style returns the style of a line, whose role says how far in front it is: Faint for raw data,
// then Back, then Data.
func (l *Line) style() Style {
	if l.Faint {
		return Style{Faint, l.Number}
	}
	return lineStyle(l.Number, l.Back)
}

// lineStyle returns the style of a series' line, in the back or in front.
func lineStyle(number uint8, back bool) Style {
	if back {
		return Style{Back, number}
	}
	return Style{Data, number}
}

// override returns the glyph that replaces the runes of a line; 0 for none.
func (c *Chart) override(number uint8, own rune) rune {
	switch {
	case c.Charset == ASCII && own > ' ' && own < 0x7f, c.Charset != ASCII && drawable(own):
		return own
	case c.Charset == ASCII && len(c.Lines) > 1:
		return cell.Mark(int(number), true)
	}
	return 0
}

// drawable reports whether a rune is visible and takes one cell.
func drawable(r rune) bool { return r > ' ' && !cell.Steers(r) && cell.RuneWidth(r) == 1 }

// sign returns a sign of one character.
func (cs Charset) sign(s string) rune { return cell.ASCIIOr([]rune(s)[0], cs == ASCII) }

// spell writes s in 7-bit characters where the charset has no others.
func (cs Charset) spell(s string) string {
	if cs == ASCII {
		return cell.Spell(s)
	}
	return s
}

// marked reports whether the lines carry their marks: from two on, colour alone would tell them
// apart to some eyes only.
func (c *Chart) marked() bool { return len(c.names()) > 1 }

// mark returns the mark of a series.
func (c *Chart) mark(number uint8) rune { return cell.Mark(int(number), c.Charset == ASCII) }

// variant returns the number behind the mark of a series, 0 for none.
func (c *Chart) variant(number uint8) rune { return cell.Variant(int(number), c.Charset == ASCII) }

// lineGlyph is a glyph on a line.
type lineGlyph struct {
	place
	glyph rune
	Style
}

// yTicks returns the y ticks of a plot h cells high.
func (c *Chart) yTicks(h int) []tick {
	n := max(2, (h+1)/3)
	if !c.Percent {
		return c.YScale.ticks(c.Y, n)
	}
	s := c.YScale
	s.linear = 100 * s.threshold()
	ticks := s.ticks(Range{100 * c.Y.Lo, 100 * c.Y.Hi}, n)
	for i := range ticks {
		ticks[i].Value /= 100
	}
	return ticks
}

// TickWidth returns the width of the y labels of a plot h cells high, in cells, for Gutter.
func (c *Chart) TickWidth(h int) (n int) {
	for _, t := range c.yTicks(h) {
		n = max(n, cell.Width(t.Label))
	}
	return n
}
