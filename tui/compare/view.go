package compare

import (
	"cmp"
	"fmt"
	"slices"

	"drolab/dro"
	"drolab/runner/record"
	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/plot"
)

// heading returns the title of the table, which says what is compared.
func (p *Page) heading() string {
	if p.about != "" {
		return "The newest experiment, " + p.about
	}
	return kit.Plural(len(p.runs), "selected run")
}

// View implements the interface's page.
func (p *Page) View(w, h int) []string {
	if p.table == nil || len(p.table.Rows) == 0 {
		return p.empty(w, h)
	}
	lay, box := p.layout(w, h), kit.Boxed(h)
	note := "by epoch"
	if p.reading {
		note = readingCurves
	}
	place := p.Theme.Place
	blocks := []kit.Block{
		place(lay.table, p.heading(), p.tableNote(), p.part == tablePart, box, p.viewTable),
		place(lay.notes, "Read with care", "", p.part == notesPart, box, p.viewNotes)}
	for k, m := range p.measures(len(lay.curves)) {
		draw := func(w, h int) []string { return p.viewCurves(m, w, h) }
		title := p.Theme.Greek(p.curves()[m].Title)
		blocks = append(blocks,
			place(lay.curves[k], title, note, p.part == curvesPart && k == 0, box, draw))
	}
	slices.SortStableFunc(blocks, func(a, b kit.Block) int { return cmp.Compare(a.X, b.X) })
	return kit.Compose(w, h, blocks)
}

// empty says why there is no table.
func (p *Page) empty(w, h int) []string {
	t := p.Theme
	lines := []string{noneDone, "", selectThere}
	switch {
	case p.loading || p.table == nil:
		lines = []string{readingRuns}
	case len(p.runs) > 0:
		lines = nil
		for _, n := range p.table.Notes {
			lines = append(lines, kit.Wrap(n.Text, w-6)...)
		}
	}
	return t.Empty("Compare", t.Dim.PaintAll(lines), w, h)
}

// Sizes of the table, in lines and cells.
const (
	headRows  = 2 // the line of the groups' names and the line of their seeds
	leastCell = 7
	mostCell  = 24
	leastRows = 8 // the lines of figures that come before the legend gets room
)

// labelCells returns the width for a class's name and count; on a narrow screen, the width of the
// longest fixed label.
func (p *Page) labelCells() int {
	if p.narrow() {
		return len(" robust risk ")
	}
	return 19
}

func (p *Page) narrow() bool { return p.Body.W < 60 }

// compareLayout holds the areas of the parts of the Compare page. A part without room has an empty
// area.
type compareLayout struct {
	table, notes kit.Rect
	curves       []kit.Rect // an area for each measure, from the chosen one on
}

// partAt returns the part at a place of the page, or otherwise if there is none.
func (l compareLayout) partAt(x, y int, otherwise comparePart) comparePart {
	switch {
	case l.table.Contains(x, y):
		return tablePart
	case l.notes.Contains(x, y):
		return notesPart
	case slices.ContainsFunc(l.curves, func(r kit.Rect) bool { return r.Contains(x, y) }):
		return curvesPart
	}
	return otherwise
}

// The least room for a part: its width beside the table, its height below the table, and the width
// of each of several curves side by side.
const leastSide, leastBelow, leastCurves = 38, 9, 70

// layCompare divides w by h cells. The whole table of tw by th cells, including its frame, comes
// first, then the parts that fit beside and below it. noted returns the height of the notes for a
// width. Curves also fill the room that the notes leave. Where there is room for a single part,
// part gets it.
func layCompare(w, h, tw, th int, part comparePart, noted func(w int) int) compareLayout {
	var l compareLayout
	beside, below := w-tw >= leastSide, h-th >= leastBelow
	if !beside && below {
		tw = w
	}
	switch {
	case beside && below:
		l.table = kit.Area(0, 0, tw, th)
		l.curves = kit.Tile(kit.Area(0, th, w, h-th), max(1, w/leastCurves), 1)
		l.aside(kit.Area(tw, 0, w-tw, th), noted)
	case beside && h >= 2*leastBelow:
		l.table = kit.Area(0, 0, tw, h)
		l.aside(kit.Area(tw, 0, w-tw, h), func(w int) int { return min(noted(w), h/2) })
	case below:
		l.table = kit.Area(0, 0, w, th)
		if rest := (kit.Area(0, th, w, h-th)); part == notesPart {
			l.notes = rest
		} else {
			l.curves = []kit.Rect{rest}
		}
	case part == curvesPart:
		l.curves = []kit.Rect{kit.Area(0, 0, w, h)}
	case part == notesPart:
		l.notes = kit.Area(0, 0, w, h)
	default:
		l.table = kit.Area(0, 0, w, h)
	}
	return l
}

// aside puts the notes beside the table, and curves below the notes if they leave room.
func (l *compareLayout) aside(r kit.Rect, noted func(w int) int) {
	l.notes = r
	if high := noted(r.W); r.H-high >= leastBelow {
		l.notes.H = high
		l.curves = append(l.curves, kit.Area(r.X, r.Y+high, r.W, r.H-high))
	}
}

func (p *Page) layout(w, h int) compareLayout {
	if p.table == nil {
		return compareLayout{table: kit.Area(0, 0, w, h)}
	}
	_, inside := kit.Inside(kit.Boxed(h), w, h)
	frame := h - inside
	cells := p.labelCells() + frame // of the table with all of its groups
	for i := range p.table.Rows {
		cells += p.cellWidth(i)
	}
	cells = min(w, max(cells, cell.Width(p.heading())+cell.Width(p.tableNote())+12))
	below := len(p.legend(cells - frame))
	noted := func(w int) int { return len(p.noteLines(w-frame)) + frame }
	return layCompare(w, h, cells, headRows+len(p.tableRows())+below+frame, p.part, noted)
}

// measures returns indices of curves: the chosen measure and the next ones that some run can have,
// n at most.
func (p *Page) measures(n int) (list []int) {
	all := p.curves()
	for k := range all {
		m := (p.measure + k) % len(all)
		can := func(r *record.Run) bool { return all[m].CanApply(&r.Meta) }
		if len(list) < n && (k == 0 || slices.ContainsFunc(p.runs, can)) {
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
			HalfWidth: lab.HalfWidth95, Number: number, Glyph: p.Theme.Glyph(number)})
		if len(seeds) == 1 {
			c.Spots = append(c.Spots, p.selected(of, measure, number)...)
		}
	}
	c.X = plot.Range{Lo: 0, Hi: max(last, 1)}
	c.Y = c.FitY()
	return c
}

// selected returns the spot on the run's curve at the step that the run has selected; nil if there
// is none.
func (p *Page) selected(run *record.Run, measure int, number uint8) []plot.Spot {
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
		s += t.Bad.Paint(fmt.Sprintf("%d not finite", r.NonFinite))
	}
	return kit.Left(s, w)
}
