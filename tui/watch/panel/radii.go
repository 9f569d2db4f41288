package panel

import (
	"math"

	"drolab/tui/plot"
)

// RadiusCurves is the form of R_ρ of all runs as a function of ρ. It is exported for the tests of
// the page, which make a view of it.
type RadiusCurves struct{}

func (RadiusCurves) draw(b *Board, p int, v *View, iw, ih int) ([]string, string) {
	c := b.Risks(v)
	if c == nil {
		return nil, ""
	}
	// The gutter is set here as Plots sets it for curves: the axis needs to know its labels.
	c.Charset = b.charset()
	c.Gutter = max(leastGutter, c.TickWidth(ih-axisRows))
	c.DrawTo(&b.frame, iw, ih)
	return b.Theme.Rows(&b.frame), ""
}

func (RadiusCurves) note(b *Board, _ *View) string {
	return b.Theme.Greek("by ρ" + b.Runs.clockNote())
}

// Risks returns the chart of a list measure of all runs over the radii, with the training radius of
// the run under the cursor marked; nil without radii.
//
// Its x is log10 ρ, over the radii of the run under the cursor. Other runs may have been evaluated
// at other radii, and are drawn as far as these lie in that range. The axes are fitted anew each
// time, without memory, because this chart changes only with evaluations.
func (b *Board) Risks(v *View) *plot.Chart {
	of := v.BarsMeasure(b.Runs.Run().Meta)
	radii, clock := b.Runs.Run().Meta.Spec.RiskRadii, b.Runs.PanelClock()
	if len(b.Runs.MeasuredRun(of).Places(clock, of)) == 0 || len(radii) == 0 {
		return nil
	}
	c := &plot.Chart{X: plot.EmptyRange(), XLog: true, Ends: true}
	for _, rho := range radii {
		c.X = c.X.Add(math.Log10(rho))
	}
	for _, row := range b.Runs.visibleRows(b.Runs.Rows()) {
		b.addLine(c, row, func(t *Track) *plot.Series { return t.OverRadii(clock, of) }, false)
	}
	if rho := b.Runs.Run().Spec.Rho; rho > 0 { // the present radius, which may have been turned
		c.Markers = []plot.Marker{{X: math.Log10(rho), Letter: 'ρ'}}
		if b.Theme.ASCII {
			c.Markers[0].Letter = 'r'
		}
	}
	c.Y = plot.Range{}.Fit(c.DataY(), plot.Scale{})
	return c
}
