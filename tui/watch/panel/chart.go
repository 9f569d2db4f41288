package panel

import (
	"slices"

	"drolab/tui/lab"
	"drolab/tui/plot"
)

// Chart returns the chart of a quantity for all runs that are not hidden. What it adds to plain
// does not move the axis: the raw curve, bounds, the selected steps, and marks.
func (b *Board) Chart(q string) *plot.Chart {
	c := b.baseChart(q)
	t := b.Runs.Tracks[b.front()]
	alone := func(row []int) bool { return len(row) == 1 && row[0] == b.front() }
	// Only the run in front shows its raw curve, faintly: the raw curves of all would hide
	// everything.
	if raw := t.Curves[q]; !t.Hidden && raw.Smooth != nil &&
		slices.ContainsFunc(b.lineRows(), alone) {
		c.Lines = append(c.Lines, plot.Line{Seeds: []*plot.Series{raw.Raw}, Number: t.Number,
			Faint: true, MapX: b.mapX(t)})
	}
	b.addBounds(c, q)
	b.addSelections(c, q)
	if !t.Hidden {
		for _, m := range t.Markers {
			m.X = b.xAt(t, m.X)
			c.Markers = append(c.Markers, m)
		}
	}
	return c
}

// baseChart returns the chart with only the lines and bands, to which the axis is fitted. The raw
// curve may leave the axis where the smoothed one does not: one wild batch must not flatten the
// rest.
func (b *Board) baseChart(q string) *plot.Chart {
	y := b.scales[q]
	c := &plot.Chart{X: b.Span(), Y: y.span, YScale: plot.Scale{Kind: y.kind},
		Duration: b.Axis == byTime, Percent: Percents(b.quantities[q]), Ends: true, Cross: b.Cross}
	if m := b.quantities[q]; !m.OfStep() { // the table has its mean over several evaluations
		c.EndsHead = "newest"
	}
	for _, row := range b.lineRows() {
		b.addLine(c, row, func(t *Track) *plot.Series { return t.Curves[q].Series() }, true)
	}
	return c
}

// addBounds adds the bounds of z = (λ, η) of the run under the cursor to its chart. Other runs may
// have other boxes, and lines for all of them could not be told apart.
func (b *Board) addBounds(c *plot.Chart, q string) {
	t := b.Runs.Run()
	if t == nil || !t.hasDual() {
		return
	}
	switch q {
	case "lambda":
		c.Refs = []plot.RefLine{{Name: b.Theme.Greek("λ0"), Y: t.Meta.Box.Lambda[0]},
			{Name: b.Theme.Greek("λ max"), Y: t.Meta.Box.Lambda[1]}}
	case "eta":
		c.Refs = []plot.RefLine{{Name: b.Theme.Greek("η min"), Y: t.Meta.Box.Eta[0]},
			{Name: b.Theme.Greek("η max"), Y: t.Meta.Box.Eta[1]}}
	}
}

// addSelections marks the steps that the runs have selected, on curves of evaluations. A band has
// no mark: each of its seeds has selected a step of its own.
func (b *Board) addSelections(c *plot.Chart, q string) {
	if m := b.quantities[q]; m.OfStep() {
		return
	}
	for _, row := range b.Runs.visibleRows(b.Runs.Rows()) {
		t := b.Runs.Tracks[row[0]]
		if len(row) == 1 && t.Selected != nil && t.Selected.Named(q).Applies() {
			c.Spots = append(c.Spots, plot.Spot{X: b.xAt(t, float64(t.Selected.Step)),
				Y: t.Selected.Named(q).Float(), Number: t.Number})
		}
	}
}

// addLine adds the line of a row to a chart, or the band of several runs. series returns what is
// drawn of a run, nil for nothing. A band maps x by its first run alone, which is right for steps
// and epochs of runs that differ in seed; by time lineRows takes them apart. mapX is false where x
// is no step.
func (b *Board) addLine(c *plot.Chart, row []int, series func(*Track) *plot.Series, mapX bool) {
	first := b.Runs.Tracks[row[0]]
	var f func(float64) float64
	if mapX {
		f = b.mapX(first)
	}
	name, briefs := b.Runs.nameOf(row)
	l := plot.Line{Name: b.Theme.Greek(name), Briefs: briefs, HalfWidth: lab.HalfWidth95,
		Number: first.Number, Back: !slices.Contains(row, b.front()), MapX: f,
		Glyph: b.Theme.Glyph(first.Number)}
	for _, t := range b.Runs.InRow(row) {
		if s := series(t); s != nil {
			l.Seeds = append(l.Seeds, s)
		}
	}
	c.Lines = append(c.Lines, l)
}
