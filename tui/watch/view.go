package watch

import (
	"fmt"
	"strings"

	"drolab/runner"
	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/plot"
)

// count is how many panels are shown.
func (w *Page) count() int {
	switch {
	case w.zoomed:
		return 1
	case w.shown > 0:
		return w.shown
	}
	return panelsFor(w.Body.W, w.Body.H)
}

// first is the first panel shown: panels come in groups, the last group full.
func (w *Page) first() int {
	n := w.count()
	return min(w.focus/n*n, len(w.panels)-n)
}

func (w *Page) layout() watchLayout {
	return layWatch(w.Body.W, w.Body.H, len(w.tracks), w.count(), w.logPane)
}

// View implements the interface's page.
func (w *Page) View(cols, rows int) []string {
	if len(w.tracks) == 0 {
		return w.empty(cols, rows)
	}
	l := w.layout()
	blocks := []kit.Placed{{Rect: l.runs, Lines: w.table(l.runs)}}
	for i, r := range l.panels {
		p := w.first() + i
		blocks = append(blocks, kit.Placed{Rect: r, Lines: w.panel(p, r, kit.Boxed(rows))})
	}
	if l.log.H > 0 {
		blocks = append(blocks, kit.Placed{Rect: l.log, Lines: w.log(l.log, kit.Boxed(rows))})
	}
	return kit.Compose(cols, rows, blocks)
}

// empty says what to do where no run is watched.
func (w *Page) empty(cols, rows int) []string {
	t := w.Theme
	text := []string{t.Title.Paint("No runs yet"), "",
		t.Key.Paint("1") + " starts some, " + t.Key.Paint("3") + " lists what was recorded in",
		t.Dim.Paint(cell.Cut(cell.Clean(w.Config.RunsDir), cols-4))}
	if w.opening {
		text = []string{t.Dim.Paint("reading runs" + t.More)}
	}
	if w.problem != "" {
		text = append(text, "", t.Bad.Paint(cell.Cut(w.problem, cols-4)))
	}
	lines := make([]string, max(0, (rows-len(text))/2))
	for _, s := range text {
		lines = append(lines, kit.Blanks((cols-cell.Width(s))/2)+s)
	}
	return kit.Fill(lines, cols, rows)
}

// panelKey is all that a panel's drawing depends on.
type panelKey struct {
	r             kit.Rect
	box, focused  bool
	theme         *kit.Theme
	title, note   string
	axis          axis
	dots          bool
	first, second uint64 // fingerprints of what is drawn
	firstX        uint64 // version of the horizontal maps
}

// panel draws one panel in r.
func (w *Page) panel(p int, r kit.Rect, box bool) []string {
	v := w.shows(p)
	iw, ih := kit.Inside(box, r.W, r.H)
	key := panelKey{r: r, box: box, focused: p == w.focus && w.count() > 1, theme: w.Theme, axis: w.axis,
		dots: w.dots}
	key.title, key.note = w.heading(p, v)
	on := &w.panels[p].drawn
	var draw func() []string
	switch {
	case v.phase && w.run().path.Len() > 0:
		ph := w.phase()
		key.first = ph.Fingerprint(iw, ih)
		draw = func() []string {
			ph.DrawTo(&on[0].Frame, iw, ih)
			return on[0].Paint(w.Theme)
		}
	case v.bars != "" && len(w.run().places(v.of(w.run().meta))) > 0:
		of := v.of(w.run().meta)
		b := w.bars(p, of, ih)
		key.first = b.Fingerprint(iw, ih)
		draw = func() []string { return w.drawBars(&on[0], b, of, iw, ih) }
	case len(v.curves) > 0:
		cs := w.charts(v, iw, ih)
		key.first = cs[0].Fingerprint(iw, ih)
		if len(cs) > 1 {
			key.second = cs[1].Fingerprint(iw, ih)
		}
		key.firstX = w.elapsedVersion()
		draw = func() []string { return w.drawCharts(on, v, cs, iw, ih) }
	default:
		draw = func() []string { return w.nothing(v, iw, ih) }
	}
	return w.panels[p].memo.Get(key, func() []string {
		return w.Theme.Panel(key.title, key.note, key.focused, box, draw(), r.W, r.H)
	})
}

// elapsedVersion changes when the map from steps to time does.
func (w *Page) elapsedVersion() (v uint64) {
	if w.axis == byTime {
		for _, t := range w.tracks {
			v = v*31 + t.elapsed.Version()
		}
	}
	return v
}

// title is a panel's, with that of its view. Bars are by what the run under the
// cursor has.
func (w *Page) title(p int) string {
	v, title := w.shows(p), w.panels[p].title
	if t := w.run(); v.bars != "" && t != nil && t.meta.Main() == runner.PerGroup {
		title = strings.TrimSuffix(title, "class") + "group"
	}
	if v.name != "" {
		title += " · " + v.name
	}
	return title
}

// heading is a panel's title and the note at its right.
func (w *Page) heading(p int, v *view) (title, note string) {
	t := w.run()
	title = w.title(p)
	switch {
	case v.bars != "":
		note = t.label
		if r := w.compared(v.of(t.meta)); r != nil {
			note += " vs " + r.label
		}
		if t.Eval != nil {
			note += fmt.Sprintf(" · epoch %.4g", t.Eval.Epoch)
		}
	case v.phase:
		note = t.label + " · λ across, η up"
	default:
		note = map[plot.ScaleKind]string{plot.Linear: "", plot.Log10: "log · ",
			plot.Symlog: "symlog · "}[w.scales[v.curves[0]].kind] + "by " + w.axis.String()
		if s := smoothings()[w.smooth]; s.make != nil && w.quantities[v.curves[0]].Noisy {
			note += " · " + s.name
		}
	}
	return title, note
}

// charts are the curves of a view: as many as there is room for.
func (w *Page) charts(v *view, iw, ih int) []*plot.Chart {
	var cs []*plot.Chart
	for _, q := range v.curves {
		cs = append(cs, w.chart(q))
	}
	if len(cs) == 2 && !sideBySide(iw, ih) && !stacked(ih) {
		cs = cs[:1]
	}
	return cs
}

// Two charts of one panel stand one above the other, or side by side where
// the panel is wide and low.
func stacked(ih int) bool { return ih >= 11 }

func sideBySide(iw, ih int) bool { return iw >= 64 && !stacked(ih) && ih >= 5 || iw >= 140 && ih < 24 }

// axisRows is the height of a chart's horizontal axis. Of two charts one above
// the other only the lower has one: they share it.
const axisRows = 2

// drawCharts draws one chart, or two with a caption over each.
func (w *Page) drawCharts(on *[2]kit.Canvas, v *view, cs []*plot.Chart, iw, ih int) []string {
	if len(v.curves) == 1 {
		cs[0].DrawTo(&on[0].Frame, iw, ih)
		return on[0].Paint(w.Theme)
	}
	var blocks []kit.Placed
	for i, c := range cs {
		r, hidden := kit.Area(0, 0, iw, ih), 0
		switch {
		case len(cs) == 1:
		case sideBySide(iw, ih):
			x0, x1 := kit.Share(iw, i, 2), kit.Share(iw, i+1, 2)
			r.X, r.W = x0, x1-x0
		case i == 0:
			r.H, hidden = (ih-axisRows+1)/2, axisRows
		default:
			r.Y = (ih - axisRows + 1) / 2
			r.H -= r.Y
		}
		report := c.DrawTo(&on[i].Frame, r.W, r.H-1+hidden)
		lines := append([]string{w.chartHead(v.curves[i], report, r.W)}, on[i].Paint(w.Theme)...)
		blocks = append(blocks, kit.Placed{Rect: r, Lines: lines[:r.H]})
	}
	return kit.Compose(iw, ih, blocks)
}

// chartHead is the line over a chart: what it shows, and what it cannot.
func (w *Page) chartHead(q string, r plot.Report, cells int) string {
	head := kit.Blanks(plot.LabelWidth+1) + w.Theme.Title.Paint(w.Theme.Greek(w.quantities[q].Title))
	if r.NonFinite > 0 {
		head += w.Theme.Bad.Paint(fmt.Sprintf("  %d not finite", r.NonFinite))
	}
	if r.NonPositive > 0 {
		head += w.Theme.Warn.Paint(fmt.Sprintf("  %d not above 0", r.NonPositive))
	}
	return kit.Left(head, cells)
}

// drawBars draws bars by class, with air between them where there is room, and
// below them what the columns are.
func (w *Page) drawBars(on *kit.Canvas, b *plot.Bars, of lab.Measure, iw, ih int) []string {
	n := len(b.Bars)
	if ih < n+2 {
		b.DrawTo(&on.Frame, iw, ih)
		return on.Paint(w.Theme)
	}
	b.DrawTo(&on.Frame, iw, n)
	lines := on.Paint(w.Theme)
	if ih >= 2*n+1 {
		airy := make([]string, 0, 2*n)
		for _, s := range lines {
			airy = append(airy, s, kit.Blanks(iw))
		}
		lines = airy[:2*n-1]
	}
	lines = kit.Fill(lines, iw, ih)
	lines[ih-1] = kit.Right(w.Theme.Dim.Paint(w.Theme.Greek(cell.Cut(w.legend(of), iw-1))), iw-1) + " "
	return lines
}

// legend says what the columns of bars are.
func (w *Page) legend(of lab.Measure) string {
	if w.compared(of) != nil {
		return of.Unit + " · change · training images"
	}
	return of.Unit + " · training images"
}

// nothing says why a panel is empty.
func (w *Page) nothing(v *view, iw, ih int) []string {
	t := w.run()
	text := t.label + " has not been evaluated yet"
	switch {
	case v.phase && !t.hasDual():
		text = t.label + " has no λ and η"
	case v.phase:
		text = t.label + " has not moved yet"
	case t.Status == runner.Failed:
		text = t.label + " failed before its first evaluation"
	}
	lines := make([]string, max(0, (ih-1)/2))
	return append(lines, kit.Left(kit.Blanks((iw-cell.Width(text))/2)+w.Theme.Dim.Paint(w.Theme.Greek(text)),
		iw))
}
