package plot

import (
	"cmp"
	"slices"
	"strings"

	"drolab/runner/page"
	"drolab/tui/cell"
)

// End is the text at the right end of a line: its mark, its name and its value there, or its value
// at the crosshair.
type End struct {
	Mark    rune
	Variant rune // behind the mark; 0 for none
	Name    string
	Value   float64
	Style   Style

	forms     endName
	row, want int // of the plot, 0 at the top
}

// Widths of an end's parts.
const (
	endValue  = 5  // cells of a value as Brief writes it, without a sign
	mostName  = 18 // cells of a name
	leastName = 3
	leastPlot = 18 // cells of a plot that names its lines
	leastRead = 12 // cells of a plot that gives the values of its lines
	leastMark = 8
)

// ends makes room for the ends of the lines, as far as the plot keeps enough for itself. Names are
// shortened first, and are dropped before values.
func (p *drawing) ends() {
	if !p.chart.Ends {
		return
	}
	list, markCells := p.chart.names(), p.chart.markCells()
	whole := widest(list, 0)
	value := 1 + endValue
	if p.chart.Y.Lo < 0 {
		value++
	}
	most := min(whole, mostName, p.w-(markCells+1+value+leastPlot))
	p.endLevel = levelFor(list, most)
	if p.endLevel > 0 {
		most = min(most, widest(list, p.endLevel))
	}
	switch {
	case most >= min(whole, leastName) && toldApart(list, p.endLevel, most):
		p.endName, p.endValue, p.endCells = most, value-1, markCells+1+most+value
	case p.w >= markCells+value+leastRead:
		p.endValue, p.endCells = value-1, markCells+value
	case p.w >= markCells+leastMark:
		p.endCells = markCells
	}
	p.w -= p.endCells
}

// markCells returns the width of an end's mark and the blank before it.
func (c *Chart) markCells() int {
	variant := func(l Line) bool { return c.variant(l.Number) != 0 }
	if slices.ContainsFunc(c.Lines, variant) {
		return 3
	}
	return 2
}

// endName is the name of a line at its end, in forms from the longest to the shortest. A band has
// one form with the number of its seeds and one without.
type endName []string

// endName returns the name of a line at its end.
func (c *Chart) endName(l *Line) endName {
	forms := append([]string{l.Name}, l.Briefs...)
	if l.band() {
		forms = slices.Insert(forms, 0, l.Name+" "+page.N(len(l.Seeds)))
	}
	for i, s := range forms {
		forms[i] = c.Charset.spell(s)
	}
	return forms
}

// form returns a form of the name; the last one if there are fewer forms.
func (n endName) form(level int) string { return n[min(level, len(n)-1)] }

// shorten returns a form of the name in at most w cells.
func (n endName) shorten(level, w int) string { return cell.Cut(n.form(level), w) }

// levelFor returns the first form in which every name fits in w cells, or else the last form.
func levelFor(list []endName, w int) (level int) {
	last := 0
	for _, n := range list {
		last = max(last, len(n)-1)
	}
	for level < last && widest(list, level) > w {
		level++
	}
	return level
}

// widest returns the width of the longest of the names in a form, in cells.
func widest(list []endName, level int) (cells int) {
	for _, n := range list {
		cells = max(cells, cell.Width(n.form(level)))
	}
	return cells
}

// names returns the names of the lines that have an end.
func (c *Chart) names() (list []endName) {
	for i := range c.Lines {
		if l := &c.Lines[i]; !l.Faint {
			list = append(list, c.endName(l))
		}
	}
	return list
}

// toldApart reports whether names are shown whole in w cells, or at least cut so that names that
// differ still do. A piece such as "sfk-au" would be no name.
func toldApart(list []endName, level, w int) bool {
	if w < mostName {
		return widest(list, level) <= w
	}
	whole := map[string]string{}
	for _, n := range list {
		short := n.shorten(level, w)
		if before, there := whole[short]; there && before != n[0] {
			return false
		}
		whole[short] = n[0]
	}
	return true
}

// drawEnds writes the ends beside the plot, each as near to its line as the others allow. If there
// are too many, the ends of lines in the back are left out first.
func (p *drawing) drawEnds() {
	if p.endCells == 0 {
		return
	}
	list := p.chart.Read()
	if p.chart.Cross.On && !p.view.Contains(p.chart.Cross.X) {
		return
	}
	for i := range list {
		y, _ := p.row(list[i].Value)
		list[i].want = max(0, min(p.h-1, y))
	}
	x := p.x0 + p.endColumn()
	settled := settle(list, p.h)
	for _, e := range settled {
		p.end(x, &e)
	}
	p.endsHead(x, settled)
}

// endsHead writes the heading of the values from a column of the frame on, in the row above them
// or, if they begin in the first row, below them.
func (p *drawing) endsHead(x int, ends []End) {
	if p.endValue == 0 || p.chart.Cross.On || len(ends) == 0 {
		return
	}
	row := ends[0].row - 1
	if row < 0 {
		row = ends[len(ends)-1].row + 1
	}
	if row < p.h {
		p.f.textRight(x+1, row, p.endCells-1, p.chart.EndsHead, Style{Role: Axis})
	}
}

// endColumn returns the column from which the ends stand. While runs go on, half of the plot may be
// blank, and an end at its edge would be far from its line. So the ends follow the lines, but by
// steps, because every move sends them all again.
func (p *drawing) endColumn() int {
	const steps, leastStep = 8, 4
	step := max(leastStep, p.w/steps)
	return min(p.w, (p.drawn()/step+1)*step)
}

// drawn returns the first column of the plot behind all data.
func (p *drawing) drawn() int {
	for x := p.w; x > 0; x-- {
		for y := range p.h {
			if !p.free(x-1, y, 1) {
				return x
			}
		}
	}
	return 0
}

// end writes the end of a line from a column of the frame on.
func (p *drawing) end(x int, e *End) {
	// Its blanks have its style, so that no name of a reference comes close.
	p.f.text(x, e.row, p.endCells, strings.Repeat(" ", p.endCells), e.Style)
	x++
	p.f.set(x, e.row, e.Mark, e.Style)
	if e.Variant != 0 {
		p.f.set(x+1, e.row, e.Variant, e.Style)
	}
	x += p.chart.markCells()
	if p.endName > 0 {
		p.f.text(x, e.row, p.endName, e.forms.shorten(p.endLevel, p.endName), e.Style)
		x += p.endName + 1
	}
	if p.endValue > 0 { // a wider value takes the blank before it, too
		p.f.textRight(x-1, e.row, p.endValue+1, p.chart.Brief(e.Value), e.Style)
	}
}

// settle moves ends that want the same row apart, within h rows. Ends in front take precedence; if
// there are more ends than rows, those in the back are left out first.
func settle(list []End, h int) []End {
	slices.SortStableFunc(list, func(a, b End) int {
		return cmp.Compare(a.Style.Role, b.Style.Role)
	})
	list = list[:min(len(list), max(0, h))]
	slices.SortStableFunc(list, func(a, b End) int {
		return cmp.Or(cmp.Compare(a.want, b.want), cmp.Compare(b.Value, a.Value))
	})
	front := max(0, slices.IndexFunc(list, func(e End) bool { return e.Style.Role == Data }))
	n := len(list)
	for i := range list { // the ends above and below must fit, too
		list[i].row = max(i, min(h-n+i, list[i].want))
	}
	for i := front + 1; i < n; i++ {
		list[i].row = max(list[i].row, list[i-1].row+1)
	}
	for i := front - 1; i >= 0; i-- {
		list[i].row = min(list[i].row, list[i+1].row-1)
	}
	for i := n - 2; i >= 0; i-- {
		list[i].row = min(list[i].row, list[i+1].row-1, h-n+i)
	}
	for i := 1; i < n; i++ {
		list[i].row = max(list[i].row, list[i-1].row+1)
	}
	return list
}

// Brief writes a value of the chart in at most six cells where it can.
func (c *Chart) Brief(v float64) string { return formatEnd(v, c.Percent) }
