package compare

import (
	"fmt"
	"slices"

	"drolab/dro"
	"drolab/runner/measure"
	"drolab/runner/record"
	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/plot"
)

// curves returns the measures that can be drawn: the test loss first, then the measures that tables
// have, and the programs' own.
func (p *Page) curves() (list []measure.Measure) {
	for _, m := range lab.EvalNumbers() {
		switch {
		case m.Name == "test_loss":
			list = append([]measure.Measure{m}, list...)
		case m.Main:
			list = append(list, m)
		}
	}
	return append(list, record.UserMeasures(p.runs...)...)
}

// measures returns indices of curves: the chosen measure and the next ones that some run has, n at
// most. A log of another program may lack what a run can have.
func (p *Page) measures(n int) (list []int) {
	all := p.curves()
	for k := range all {
		m := (p.measure + k) % len(all)
		if len(list) < n && (k == 0 || p.measured[all[m].Name]) {
			list = append(list, m)
		}
	}
	return list
}

// chart draws a measure: a line for each group with one seed, and a band for each group with
// several.
func (p *Page) chart(measure int) *plot.Chart {
	c := &plot.Chart{X: plot.EmptyRange(), Ends: true,
		Percent: p.curves()[measure].Scale == dro.Percent}
	last := 0.0
	for i, row := range p.table.Rows {
		var seeds []*plot.Series
		var of *record.Run
		for r, run := range p.runs {
			if s := p.series[r][measure]; s.Len() > 0 && slices.Contains(row.Runs, run.Meta.ID) {
				seeds, of = append(seeds, s), run
				last = max(last, s.XRange().Hi, float64(run.Meta.Spec.Epochs))
			}
		}
		if len(seeds) == 0 {
			continue
		}
		number := p.colors[i]
		c.Lines = append(c.Lines, plot.Line{Name: row.Label, Seeds: seeds,
			HalfWidth: lab.HalfWidth95,
			Number:    number, Glyph: p.Theme.Glyph(number)})
		if len(seeds) == 1 {
			c.Spots = append(c.Spots, p.selectedSpot(of, measure, number)...)
		}
	}
	c.X = plot.Range{Lo: 0, Hi: max(last, 1)}
	c.Y = c.FitY()
	return c
}

// selectedSpot returns the spot on the run's curve at the step that the run has selected; nil if
// there is none.
func (p *Page) selectedSpot(run *record.Run, measure int, number uint8) []plot.Spot {
	s := run.Summary()
	if s == nil || s.Selected == nil || !s.Selected.Named(p.curves()[measure].Name).Applies() {
		return nil
	}
	return []plot.Spot{{X: s.Selected.Epoch,
		Y: s.Selected.Named(p.curves()[measure].Name).Float(), Number: number}}
}

func (p *Page) viewCurves(measure, w, h int) []string {
	c, frame := p.chart(measure), new(plot.Frame)
	c.Charset = p.Theme.Charset(true)
	report := c.DrawTo(frame, w, h-1)
	return append([]string{p.curvesHead(c, report, w)}, p.Theme.Rows(frame)...)
}

// curvesHead returns the line over the chart. It names the groups in the colours of their lines,
// and says what the chart cannot show.
func (p *Page) curvesHead(c *plot.Chart, r plot.Report, w int) string {
	t := p.Theme
	s := " "
	for i := range p.table.Rows {
		s += t.Line(p.colors[i]).Paint(p.groupName(i)) + "  "
	}
	if slices.ContainsFunc(c.Lines, func(l plot.Line) bool { return len(l.Seeds) > 1 }) {
		s += t.Dim.Paint("mean and 95 % t interval over seeds  ")
	}
	if len(c.Spots) > 0 {
		s += t.Dim.Paint("S the selected step  ")
	}
	if r.NonFinite > 0 {
		s += t.Alarm.Paint(fmt.Sprintf("%d not finite", r.NonFinite))
	}
	return kit.Left(s, w)
}
