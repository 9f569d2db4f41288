package compare

import (
	"slices"
	"strings"

	"drolab/runner/compare"
	"drolab/runner/lists"
	"drolab/runner/page"
	"drolab/tui/kit"
)

// axes names the measures of a tradeoff, up and across; the zero value stands for the first
// tradeoff of the table.
type axes struct{ y, x string }

func axesOf(o *compare.Tradeoff) axes {
	return axes{strings.TrimSpace(o.Y.Name + " " + o.Y.Class), o.X.Name}
}

// tradeoff returns the place of the chosen tradeoff among those of the table: the first if the
// table lacks it.
func (p *Page) tradeoff() int {
	return max(0, slices.IndexFunc(p.table.Tradeoffs, func(o compare.Tradeoff) bool {
		return axesOf(&o) == p.axes
	}))
}

// nextAxes goes on to the next pair of measures.
func (p *Page) nextAxes() {
	all := p.table.Tradeoffs
	p.axes = axesOf(&all[(p.tradeoff()+1)%len(all)])
}

// noAxes says why no other measures of the tradeoff can be chosen.
func (p *Page) noAxes() string {
	if why := p.none(); why != "" {
		return why
	}
	switch len(p.table.Tradeoffs) {
	case 0:
		return noTradeoff
	case 1:
		return "The runs have no other pair of measures"
	}
	return kit.Unless(p.layout(p.Body.W, p.Body.H).costs.W > 0,
		"What it costs is not shown. v shows it")
}

// noTradeoff is said where no run has a mean and what it can be set against.
const noTradeoff = "No run has a mean accuracy or loss beside a worst class or group, " +
	"a robust risk or S"

// scatter returns the chosen tradeoff as a picture, with the marks that the methods have on every
// page.
func (p *Page) scatter() *page.Scatter {
	return p.table.Scatter(&p.table.Tradeoffs[p.tradeoff()],
		lists.Map(p.colors, func(number uint8) int { return int(number) + 1 }))
}

// viewCosts draws words on the front, and the points. Where there is little room, the words only
// name the front.
func (p *Page) viewCosts(w, h int) []string {
	t := p.Theme
	if len(p.table.Tradeoffs) == 0 {
		return kit.Fill(t.Hang(" ", t.Dim, noTradeoff+".", w), w, h)
	}
	o := &p.table.Tradeoffs[p.tradeoff()]
	words := t.Hang(" ", t.Text, p.table.FrontText(o), w)
	if len(words) > h/4 {
		words = t.Hang(" ", t.Text, p.table.FrontNames(o), w)
	}
	above, chart := t.Points(p.scatter(), w, h-len(words))
	return slices.Concat(words, t.Dim.PaintAll(above), t.Rows(chart))
}
