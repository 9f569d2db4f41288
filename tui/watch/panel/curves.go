package panel

import (
	"fmt"
	"slices"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/page"
	"drolab/tui/kit"
	"drolab/tui/plot"
)

// curves is the form of measures of all runs over the steps: one plot, or two of them.
type curves struct{}

func (curves) draw(b *Board, p int, v *View, iw, ih int) (lines []string, warning string) {
	var blocks []kit.Block
	for _, p := range b.Plots(p, v, iw, ih) {
		// A single plot leaves its warning to the panel's note. Of two plots each has its warning
		// in its caption, because a note could not say which plot is meant.
		report := p.DrawTo(&b.frame, p.Rect.W, p.Rect.H)
		lines, r := b.Theme.Rows(&b.frame), p.Rect
		if !p.head {
			return lines, problems(report)
		}
		r.Y, r.H = r.Y-1, r.H+1-p.hidden
		head := kit.Blanks(p.Gutter+1) + b.Theme.Title.Paint(b.Theme.Greek(b.quantities[p.Q].Title))
		if s := problems(report); s != "" {
			head += "  " + b.Theme.Warn.Paint(s)
		}
		lines = append([]string{kit.Left(head, r.W)}, lines...)
		blocks = append(blocks, kit.Block{Rect: r, Lines: lines})
	}
	return kit.Compose(iw, ih, blocks), ""
}

func (curves) note(b *Board, v *View) string {
	if b.Cross.On {
		return b.ReadAt(v)
	}
	note := map[plot.ScaleKind]string{plot.Linear: "", plot.Log10: "log · ",
		plot.Symlog: "symlog · "}[b.scales[v.Curves[0]].kind] + "by " + b.Axis.String()
	if b.ZoomX != (plot.Range{}) {
		note += " " + page.Factor((b.X.Hi-b.X.Lo)/(b.ZoomX.Hi-b.ZoomX.Lo))
	}
	if s := smoothings()[b.smooth]; s.make != nil && b.quantities[v.Curves[0]].Noisy {
		note += " · " + s.name
	}
	return note + b.lackNote(v.Curves[0])
}

// lackNote says which of the methods have no curve of a quantity, because they do not have it; ""
// for none. A curve that is not there would be looked for.
func (b *Board) lackNote(q string) string {
	m := b.quantities[q]
	var lack []string
	for _, t := range b.Runs.VisibleRuns() {
		method := t.Meta.Spec.Algorithm()
		if !reported(&m, []dro.Algorithm{method}, []*runner.Meta{t.Meta}) {
			lack = append(lack, string(method))
		}
	}
	slices.Sort(lack)
	switch lack = slices.Compact(lack); len(lack) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf(" · %s has no %s", lack[0], m.Title)
	case 2:
		return fmt.Sprintf(" · %s and %s have no %s", lack[0], lack[1], m.Title)
	}
	return fmt.Sprintf(" · %d methods have no %s", len(lack), m.Title)
}

// PlacedChart is a chart and its place in the panel: below a caption, where two charts share the
// panel. The page looks up the mouse in the same places (Page.under), so that a click lands on what
// is seen.
type PlacedChart struct {
	*plot.Chart
	Rect   kit.Rect // in the panel's inside, without the caption
	Q      string   // the quantity
	head   bool     // whether it has a caption
	hidden int      // rows of its axis that are hidden, because the chart below has the axis
}

// Two charts of one panel stand one above the other, or side by side where
// the panel is wide and low; where either would have too few rows there is one.
const (
	leastRows = 6 // of each of two plots
	axisRows  = 2 // of a chart's horizontal axis
)

// stacked reports whether there are rows for two plots, one above the other, on one axis: each has
// a caption, and the upper one shares the axis of the lower.
func stacked(ih int) bool { return ih >= axisRows+2*(leastRows+1) }

// sideBySide reports whether two plots stand beside each other: in a panel that is low and wide
// they would have too few rows above each other.
//
// In 84 columns each plot has about 40, labels included. From 150 columns on they stand beside each
// other up to 24 rows even where both fit above each other: such a panel is mostly width.
func sideBySide(iw, ih int) bool {
	return iw >= 84 && !stacked(ih) && ih >= leastRows+1+axisRows || iw >= 150 && ih < 24
}

// CurvesIn returns the curves of a view for which there is room. The heading, the axes that a
// replay fits and the key that flips views depend on it, too.
func (v *View) CurvesIn(iw, ih int) []string {
	if len(v.Curves) == 2 && !sideBySide(iw, ih) && !stacked(ih) {
		return v.Curves[:1]
	}
	return v.Curves
}

// Plots lays out the curves of a view of panel i in iw by ih cells.
func (b *Board) Plots(i int, v *View, iw, ih int) (list []PlacedChart) {
	charset := b.charset()
	names := v.CurvesIn(iw, ih)
	for i, q := range names {
		p := PlacedChart{Chart: b.Chart(q), Rect: kit.Area(0, 0, iw, ih), Q: q,
			head: len(names) == 2}
		switch half := (ih - axisRows + 1) / 2; {
		case !p.head:
		case sideBySide(iw, ih):
			x := kit.Share(iw, i, 2)
			p.Rect = kit.Area(x, 1, kit.Share(iw, i+1, 2)-x, ih-1)
		case i == 0:
			p.Rect, p.hidden = kit.Area(0, 1, iw, half-1+axisRows), axisRows
		default:
			p.Rect = kit.Area(0, half+1, iw, ih-half-1)
		}
		list = append(list, p)
	}
	// Plots of one panel share the widest gutter, so that a column has the same x in both.
	gutter := leastGutter
	for _, p := range list {
		p.Charset = charset
		gutter = max(gutter, p.TickWidth(p.Rect.H-axisRows))
	}
	for _, p := range list {
		p.Gutter = gutter
	}
	return list
}

// leastGutter is the least room for the labels of an axis, in cells. It is enough for most axes, so
// plots of different panels stand in line.
const leastGutter = 4

// charset returns the characters of all plots. Dots show the form of a curve at every size; a theme
// without dots has its own characters for both styles.
func (b *Board) charset() plot.Charset { return b.Theme.Charset(b.style == autoStyle) }

// style is the style in which curves are drawn.
type style int

const (
	autoStyle style = iota // dots, or the theme's characters in their place
	lineStyle              // box-drawing lines, as asciigraph has them
)

func styleNames() []string { return []string{"auto", "lines"} }

// problems says which values a chart cannot show. They are not left out in silence: a loss that is
// not finite is what one looks for when a run goes wrong.
func problems(r plot.Report) (s string) {
	if r.NonFinite > 0 {
		s = fmt.Sprintf("%d not finite", r.NonFinite)
	}
	if r.NonPositive > 0 {
		s += fmt.Sprintf(" %d not above 0", r.NonPositive)
	}
	return s
}
