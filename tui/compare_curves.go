package tui

import (
	"fmt"

	"drolab/tui/plot"
)

// chart draws the chosen measure: a line a group, with a band where it has
// several seeds.
func (p *comparePane) chart() *plot.Chart {
	c := &plot.Chart{Charset: p.theme.charset(false), X: plot.EmptyRange()}
	last := 0.0
	for i, row := range p.table.Rows {
		var seeds []*plot.Series
		for r, run := range p.runs {
			for _, id := range row.Runs {
				if s := p.series[r][p.measure]; run.Meta.ID == id && s.Len() > 0 {
					seeds = append(seeds, s)
					last = max(last, s.XRange().Hi, float64(run.Meta.Spec.Epochs))
				}
			}
		}
		name, number := clean(row.Label), uint8(i%colors)
		switch {
		case len(seeds) > 1:
			c.Bands = append(c.Bands, plot.Band{Name: name, Seeds: seeds, Number: number})
		case len(seeds) == 1:
			c.Lines = append(c.Lines, plot.Line{Name: name, Series: seeds[0], Number: number})
		}
	}
	c.X = plot.Range{Lo: 0, Hi: max(last, 1)}
	c.Y = c.FitY()
	return c
}

// chartKey is all that the drawn curves depend on.
type chartKey struct {
	w, h  int
	theme *theme
	print uint64
}

func (p *comparePane) viewCurves(w, h int) []string {
	c := p.chart()
	key := chartKey{w, h, p.theme, c.Fingerprint(w, h-1)}
	return p.memo.get(key, func() []string {
		f, report := c.Draw(w, h-1)
		return append([]string{p.curvesHead(c, report, w)}, p.theme.frame(f)...)
	})
}

// curvesHead is the line over the chart: which line is which, and what the
// chart cannot show.
func (p *comparePane) curvesHead(c *plot.Chart, r plot.Report, w int) string {
	t := p.theme
	s := " "
	if len(c.Bands) > 0 {
		s += t.dim.paint(t.greek("mean, 95 % t interval: "))
	}
	for _, item := range c.Legend() {
		n := ""
		if item.NMax > 0 {
			n = fmt.Sprintf(" n=%d", item.NMax)
		}
		s += t.of(item.Style).paint(string(item.Glyph)+" "+item.Name) + t.dim.paint(n) + "  "
	}
	if r.NonFinite > 0 {
		s += t.bad.paint(fmt.Sprintf("%d not finite", r.NonFinite))
	}
	return left(s, w)
}
