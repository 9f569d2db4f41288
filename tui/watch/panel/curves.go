package panel

import (
	"fmt"
	"math"
	"slices"

	"drolab/runner"
	"drolab/tui/kit"
	"drolab/tui/plot"
)

// curves is the form of measures of all runs over the steps: one plot, or two of them.
type curves struct{}

func (curves) draw(w *Board, p int, v *View, iw, ih int) (lines []string, warning string) {
	var blocks []kit.Placed
	for _, p := range w.Plots(p, v, iw, ih) {
		// A single plot leaves its warning to the panel's note. Of two plots each has its warning
		// in its caption, because a note could not say which plot is meant.
		report := p.DrawTo(&w.frame, p.At.W, p.At.H)
		lines, r := w.Theme.Rows(&w.frame), p.At
		if !p.head {
			return lines, problems(report)
		}
		r.Y, r.H = r.Y-1, r.H+1-p.hidden
		head := kit.Blanks(p.Gutter+1) + w.Theme.Title.Paint(w.Theme.Greek(w.quantities[p.Q].Title))
		if s := problems(report); s != "" {
			head += "  " + w.Theme.Warn.Paint(s)
		}
		lines = append([]string{kit.Left(head, r.W)}, lines...)
		blocks = append(blocks, kit.Placed{Rect: r, Lines: lines})
	}
	return kit.Compose(iw, ih, blocks), ""
}

func (curves) note(w *Board, v *View) string {
	if w.Cross.On {
		return w.ReadAt(v)
	}
	note := map[plot.ScaleKind]string{plot.Linear: "", plot.Log10: "log · ",
		plot.Symlog: "symlog · "}[w.scales[v.Curves[0]].kind] + "by " + w.Axis.String()
	if w.ZoomX != (plot.Range{}) {
		note += fmt.Sprintf(" ×%.3g", (w.X.Hi-w.X.Lo)/(w.ZoomX.Hi-w.ZoomX.Lo))
	}
	if s := smoothings()[w.smooth]; s.make != nil && w.quantities[v.Curves[0]].Noisy {
		note += " · " + s.name
	}
	return note
}

// Placed is a chart and its place in the panel: below a caption, where two charts share the panel.
// The page looks up the mouse in the same places (Page.under), so that a click lands on what is
// seen.
type Placed struct {
	*plot.Chart
	At     kit.Rect // in the panel's inside, without the caption
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

// Drawn returns the curves of a view for which there is room. The heading, the axes that a replay
// fits and the key that flips views depend on it, too.
func (v *View) Drawn(iw, ih int) []string {
	if len(v.Curves) == 2 && !sideBySide(iw, ih) && !stacked(ih) {
		return v.Curves[:1]
	}
	return v.Curves
}

// Plots lays out the curves of a view of panel i in iw by ih cells.
func (w *Board) Plots(i int, v *View, iw, ih int) (list []Placed) {
	charset := w.charset()
	names := v.Drawn(iw, ih)
	for i, q := range names {
		p := Placed{Chart: w.Chart(q), At: kit.Area(0, 0, iw, ih), Q: q, head: len(names) == 2}
		switch half := (ih - axisRows + 1) / 2; {
		case !p.head:
		case sideBySide(iw, ih):
			x := kit.Share(iw, i, 2)
			p.At = kit.Area(x, 1, kit.Share(iw, i+1, 2)-x, ih-1)
		case i == 0:
			p.At, p.hidden = kit.Area(0, 1, iw, half-1+axisRows), axisRows
		default:
			p.At = kit.Area(0, half+1, iw, ih-half-1)
		}
		list = append(list, p)
	}
	// Plots of one panel share the widest gutter, so that a column has the same x in both.
	gutter := leastGutter
	for _, p := range list {
		p.Charset = charset
		gutter = max(gutter, p.TickWidth(p.At.H-axisRows))
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
func (w *Board) charset() plot.Charset { return w.Theme.Charset(w.style == auto) }

// style is the style in which curves are drawn.
type style int

const (
	auto    style = iota // dots, or the theme's characters in their place
	inLines              // box-drawing lines, as asciigraph has them
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

// Chart returns the chart of a quantity for all runs that are not hidden. What it adds to plain
// does not move the axis: the raw curve, bounds, the selected steps, and marks.
func (w *Board) Chart(q string) *plot.Chart {
	c := w.plain(q)
	t := w.Tracks[w.front()]
	alone := func(row []int) bool { return len(row) == 1 && row[0] == w.front() }
	// Only the run in front shows its raw curve, faintly: the raw curves of all would hide
	// everything.
	if raw := t.Curves[q]; !t.Hidden && raw.Smooth != nil && slices.ContainsFunc(w.Lined(), alone) {
		c.Lines = append(c.Lines, plot.Line{Seeds: []*plot.Series{raw.Raw}, Number: t.Number,
			Faint: true, MapX: w.mapX(t)})
	}
	w.references(c, q)
	w.selections(c, q)
	if !t.Hidden {
		for _, m := range t.Markers {
			m.X = w.xAt(t, m.X)
			c.Markers = append(c.Markers, m)
		}
	}
	return c
}

// plain returns the chart with only the lines and bands, to which the axis is fitted. The raw curve
// may leave the axis where the smoothed one does not: one wild batch must not flatten the rest.
func (w *Board) plain(q string) *plot.Chart {
	y := w.scales[q]
	c := &plot.Chart{X: w.Span(), Y: y.span, YScale: plot.Scale{Kind: y.kind},
		Duration: w.Axis == byTime, Percent: Percents(w.quantities[q]), Ends: true, Cross: w.Cross}
	for _, row := range w.Lined() {
		w.Line(c, row, func(t *Track) *plot.Series { return t.Curves[q].Shown() }, true)
	}
	return c
}

// references adds the bounds of z = (λ, η) of the run under the cursor to its chart. Other runs may
// have other boxes, and lines for all of them could not be told apart.
func (w *Board) references(c *plot.Chart, q string) {
	t := w.Run()
	if t == nil || !t.hasDual() {
		return
	}
	switch q {
	case "lambda":
		c.Refs = []plot.RefLine{{Name: w.Theme.Greek("λ0"), Y: t.Meta.Box.Lambda[0]},
			{Name: w.Theme.Greek("λ max"), Y: t.Meta.Box.Lambda[1]}}
	case "eta":
		c.Refs = []plot.RefLine{{Name: w.Theme.Greek("η min"), Y: t.Meta.Box.Eta[0]},
			{Name: w.Theme.Greek("η max"), Y: t.Meta.Box.Eta[1]}}
	}
}

// selections marks the steps that the runs have selected, on curves of evaluations. A band has no
// mark: each of its seeds has selected a step of its own.
func (w *Board) selections(c *plot.Chart, q string) {
	if m := w.quantities[q]; m.OfStep() {
		return
	}
	for _, row := range w.visible(w.Rows()) {
		t := w.Tracks[row[0]]
		if len(row) == 1 && t.Selected != nil && t.Selected.Named(q).Applies() {
			c.Spots = append(c.Spots, plot.Spot{X: w.xAt(t, float64(t.Selected.Step)),
				Y: t.Selected.Named(q).Float(), Number: t.Number})
		}
	}
}

// fitY fits the axis of a quantity to what the runs have in view now. It does nothing where no
// curve has changed: for forty runs, fitting the axes of all quantities costs as much as a frame.
func (w *Board) fitY(q string) {
	fresh, any := false, false
	for _, t := range w.Tracks {
		c := t.Curves[q]
		fresh, c.Fresh = fresh || c.Fresh, false
		any = any || c.Raw.Len() > 0
	}
	switch y := w.scales[q]; {
	case fresh && any:
		y.span = w.plain(q).FitY()
	case fresh: // as before the first frame, where each chart would be laid out for nothing
		y.span = y.span.Fit(plot.EmptyRange(), plot.Scale{Kind: y.kind})
	}
}

// Risks returns the chart of a list measure of all runs over the radii, with the training radius of
// the run under the cursor marked; nil without radii.
//
// Its x is log10 ρ, over the radii of the run under the cursor. Other runs may have been evaluated
// at other radii, and are drawn as far as these lie in that range. The axes are fitted anew each
// time, without memory, because this chart changes only with evaluations.
func (w *Board) Risks(v *View) *plot.Chart {
	of := v.Of(w.Run().Meta)
	radii, epoch := w.Run().Meta.Spec.RiskRadii, w.CommonEpoch()
	if len(w.Measured(of).PlacesAt(epoch, of)) == 0 || len(radii) == 0 {
		return nil
	}
	c := &plot.Chart{X: plot.EmptyRange(), XLog: true, Ends: true}
	for _, rho := range radii {
		c.X = c.X.Add(math.Log10(rho))
	}
	for _, row := range w.visible(w.Rows()) {
		w.Line(c, row, func(t *Track) *plot.Series { return t.OverRadii(epoch, of) }, false)
	}
	if rho := w.Run().Spec.Rho; rho > 0 { // the present radius, which may have been turned
		c.Markers = []plot.Marker{{X: math.Log10(rho), Letter: 'ρ'}}
		if w.Theme.ASCII {
			c.Markers[0].Letter = 'r'
		}
	}
	c.Y = plot.Range{}.Fit(c.DataY(), plot.Scale{})
	return c
}

// phase returns the phase portrait of all runs, in the box of the run under the cursor.
func (w *Board) phase() *plot.Phase {
	t := w.Run()
	box := t.Meta.Box
	ph := &plot.Phase{X: w.phaseX, Y: w.phaseY, Charset: w.charset(),
		XName: w.Theme.Greek("λ"), YName: w.Theme.Greek("η"),
		BoxX: plot.Range{Lo: box.Lambda[0], Hi: box.Lambda[1]},
		BoxY: plot.Range{Lo: box.Eta[0], Hi: box.Eta[1]}}
	for i, o := range w.Tracks {
		if !o.Hidden && o.Path.Len() > 0 {
			ph.Trails = append(ph.Trails, plot.Trail{Path: &o.Path, Number: o.Number,
				Back: i != w.front()})
		}
	}
	if l, h, ok := t.Best(); ok {
		ph.Best = []plot.Spot{{X: l, Y: h, Number: t.Number}}
	}
	return ph
}

// heat is a map and its width in cells, labels included.
type heat struct {
	*plot.HeatMap
	cells int
}

// filmed returns the measures that views show as films, with those of the validation split: a film
// cannot be made up for later, when the user turns to that split.
func filmed(panels []Panel, m *runner.Meta) (names []string) {
	for v := range views(panels) {
		for ; v != nil && v.Films(); v = v.val {
			names = append(names, v.Of(m).Name, v.Named(v.Beside, m))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// maps returns two maps side by side: how the classes do, and how the adversary weighs them; nil
// before the first evaluation. Both have the same rows and the same columns of steps, so a class
// can be followed from one to the other. The right one has no labels.
func (w *Board) maps(p int, v *View, iw, ih int) []heat {
	t := w.Run()
	of := v.Of(t.Meta)
	left, right := t.Films[of.Name], t.Films[v.Named(v.Beside, t.Meta)]
	if left == nil || left.Len() == 0 || right == nil || right.Len() == 0 {
		return nil
	}
	order := w.worstFirst(of)
	if len(t.Places(of)) != len(order) { // the log is half read: films have more than is shown
		return nil
	}
	worst, _ := judge(t, t.Places(of), of)
	cross := w.Cross // a map marks the column at which the plots beside it are read
	if cross.On {
		cross.X = w.stepAt(t, cross.X)
	}
	a := &plot.HeatMap{
		Film:    left,
		Head:    "accuracy %",
		Order:   order,
		First:   min(w.Panels[p].First, max(0, len(order)-ih+1)),
		Mark:    worst,
		X:       plot.Range{Lo: w.stepAt(t, w.Span().Lo), Hi: w.stepAt(t, w.Span().Hi)},
		Cross:   cross,
		Values:  plot.Range{Lo: 0, Hi: 1},
		Percent: true,
		Shades:  w.Theme.Shades(),
		Charset: w.Theme.Charset(false),
	}
	for i := range order {
		a.Labels = append(a.Labels, PlaceName(t.Meta, of.Axis, i))
	}
	b := *a
	b.Film, b.Labels, b.Head, b.Values, b.Log, b.Percent = right, nil, "adversary's ratio",
		ratios(right.Range()), true, false
	labels := a.LabelCells(iw)
	each := (iw - labels - 1) / 2 // cells without labels; the odd one goes to the right map
	return []heat{{a, labels + each}, {&b, iw - labels - each - 1}}
}

// ratios returns the range of likelihood ratios that the colours of a map cover. In the logarithm
// it is symmetric about 1, which is no reweighting. It takes one of six sizes, so that shades keep
// their meaning while a run goes on.
func ratios(r plot.Range) plot.Range {
	top := 2.0
	for _, next := range []float64{5, 10, 20, 50, 100} {
		if r.Hi > top {
			top = next
		}
	}
	return plot.Range{Lo: 1 / top, Hi: top}
}

// stepAt returns the step of a run at x: the inverse of mapX. A film belongs to one run and is
// stored by step, so its axis is turned back into steps instead of mapping every column.
func (w *Board) stepAt(t *Track, x float64) float64 {
	switch w.Axis {
	case byEpochs:
		return x * float64(max(1, t.Meta.StepsPerEpoch))
	case byTime:
		step := t.Elapsed.Inverse(x, t.Elapsed.At)
		switch {
		case !math.IsNaN(step):
			return step
		case x <= 0 || t.Seconds <= 0:
			return 0
		}
		return float64(t.Step) * x / t.Seconds // beyond the run's last step
	}
	return x
}
