package compare

import (
	"fmt"
	"math"
	"slices"

	"drolab/runner/compare"
	"drolab/runner/lists"
	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/plot"
)

// tableRow is a line of the table on the screen, where groups stand side by side: a line is a
// column of compare.Table.
type tableRow struct {
	column int // index of a column of compare.Table; -1 for a blank line
	label  string
	count  string // the number of training samples, left out where there is no room
	few    bool   // too few test samples to be called the worst
}

// tableRows returns the lines below the heads.
func (p *Page) tableRows() (rows []tableRow) {
	for i, c := range p.table.Columns {
		label, count := c.Class, p.trainCount(c.Class)
		switch c.Name {
		case "class_accuracy", "group_accuracy":
		case "robust_risk_at":
			label = p.Theme.Greek(c.Title())
		default:
			label = c.Name
			if m, ok := measure.FindMeasure(c.Name); ok { // else it is as the program writes it
				label = p.Theme.Greek(m.Head())
			}
		}
		if c.Name == "train_loss" || c.Name == p.worst() && i > 0 {
			rows = append(rows, tableRow{column: -1})
		}
		rows = append(rows, tableRow{i, label, count, c.Few})
	}
	return rows
}

// trainCount returns the number of training samples of a class, if the runs agree on it.
func (p *Page) trainCount(class string) string {
	m := &p.runs[0].Meta
	var counts []int
	for _, r := range p.runs { // imported predictions may be of the test split alone
		own := r.Meta.Counts(m.Main()).Train
		if own == nil && r.Meta.Imported != nil {
			continue
		}
		if counts != nil && !slices.Equal(own, counts) || own == nil {
			return ""
		}
		counts = own
	}
	if i := slices.Index(m.Names(m.Main()), class); i >= 0 && i < len(counts) {
		return " " + page.N(counts[i])
	}
	return ""
}

// clockNote says of which step or epochs the figures are; "" for imported runs alone.
func (p *Page) clockNote() string {
	refits := func(r compare.Row) bool { return r.At == compare.Last }
	last := compare.Clock{Epochs: p.table.Epochs}
	switch n := len(last.Epochs); {
	case p.table.At == compare.Mean && p.hasOneClock():
		return last.String()
	case p.table.At == compare.Mean:
		return "mean of the last epochs of each run"
	case p.table.At == compare.Selected:
		note := "selected by " + p.table.Select
		if slices.ContainsFunc(p.table.Rows, refits) {
			note += " · (last) at the last step"
		}
		return note
	case n == 1:
		return fmt.Sprintf("last epoch, %.4g", last.Epoch())
	case n > 1:
		return fmt.Sprintf("last epoch of each run, %.4g–%.4g", last.Epochs[0], last.Epoch())
	}
	return ""
}

// tableNote says of which step or epochs, and in which unit, the figures are.
func (p *Page) tableNote() string {
	note := "shares in %"
	if clock := p.clockNote(); clock != "" {
		note = clock + " · " + note
	}
	if n := len(p.damageTexts()); n > 0 {
		note = kit.Plural(n, "damaged log") + " · " + note
	}
	return note
}

// legend returns the lines below the table that explain its signs.
func (p *Page) legend(w int) (lines []string) {
	var parts []string
	base := slices.Max(append(slices.Concat(p.bases...), -1))
	if base >= 0 && p.showsDifferences() {
		parts = []string{"signed: against " + p.table.Rows[base].Title()}
	}
	if slices.ContainsFunc(p.tableRows(), func(r tableRow) bool { return r.count != "" }) {
		parts = append(parts, "n: training samples")
	}
	parts = append(parts, p.table.Brief()...)
	if slices.ContainsFunc(p.tableRows(), func(r tableRow) bool { return r.few }) {
		parts = append(parts, fmt.Sprintf("%s under %d test samples (min_group): not called worst",
			cell.Few, p.runs[0].Meta.Spec.MinGroup))
	}
	return append(p.damagedLines(w), kit.Flow(" ", lists.Map(parts, p.Theme.Greek), "; ", w-1)...)
}

// damagedLines returns what the logs of the compared runs have lost, in lines of w cells.
func (p *Page) damagedLines(w int) (lines []string) {
	for _, d := range p.damageTexts() {
		lines = append(lines,
			p.Theme.Hang(" "+cell.Warning+" ", p.Theme.Alarm, cell.OneLine(d), w-1)...)
	}
	return lines
}

// fitTable returns the lines of the table and of its legend in w by h cells. A table that is too
// high first loses its blank lines, then the legend, which the notes have in full; then it scrolls.
func (p *Page) fitTable(w, h int) (rows []tableRow, legend []string) {
	rows, legend = p.tableRows(), p.legend(w)
	if h < headRows+leastRows+len(legend) {
		legend = p.damagedLines(w)
	}
	if len(rows)+headRows+len(legend) > h {
		rows = slices.DeleteFunc(rows, func(r tableRow) bool { return r.column < 0 })
	}
	return rows, legend
}

// bestMark marks a figure that is significantly better than all others in its line.
const bestMark = "*"

// widths holds the widths of a group's two columns: its figures, and their differences from the
// baseline, each including the blank before it.
type widths struct{ figures, differences int }

// tableWidths holds the widths that the table needs.
type tableWidths struct {
	wide, slim []widths // of its groups, with intervals and without
	longest    int      // of the longest name of its lines, with blanks around it
}

// groupWidths returns the widths of the groups; half says whether the figures have their intervals.
func (p *Page) groupWidths(half bool) []widths {
	list := make([]widths, len(p.table.Rows))
	for i := range list {
		w := &list[i]
		for c := range p.table.Columns {
			w.figures = max(w.figures, cell.Width(p.figures(i, c, half))+1)
			if d := p.difference(i, c); d != "" {
				w.differences = max(w.differences, cell.Width(d)+1)
			}
		}
		w.figures = max(w.figures, leastCell)
	}
	return list
}

// width returns the widths of a group's columns now. Differences are left out unless there is room
// for the differences of all groups.
func (p *Page) width(row int) widths {
	all := p.wide
	if p.isNarrow() {
		all = p.slim
	}
	w := all[row]
	if !p.showsDifferences() {
		w.differences = 0
	}
	w.figures = max(w.figures, min(cell.Width(p.groupName(row))+2, mostCell)-w.differences)
	return w
}

// cellWidth returns the width of all columns of a group.
func (p *Page) cellWidth(row int) int {
	w := p.width(row)
	return w.figures + w.differences
}

// showsDifferences reports whether differences are shown: the figures are of the same epochs or
// were selected, and there is room for the differences of all groups.
func (p *Page) showsDifferences() bool {
	cells := p.leastLabel()
	for _, w := range p.wide {
		cells += w.figures + w.differences
	}
	return p.hasOneClock() && !p.isNarrow() && cells+frameCells <= p.Body.W
}

// hasOneClock reports whether the figures of all groups are of the same epochs, or selected.
func (p *Page) hasOneClock() bool {
	if p.table.At == compare.Mean {
		return len(p.table.Epochs) <= 2
	}
	return len(p.table.Epochs) < 2
}

// groupName is the name of a group, with its glyph.
func (p *Page) groupName(row int) string {
	return p.Theme.Mark(p.colors[row]) + " " + p.Theme.Greek(p.table.Rows[row].Title())
}

// groups returns the groups from p.column on that fit whole, at least one.
func (p *Page) groups(w int) (list []int) {
	room := w - p.labelCells()
	for i := p.column; i < len(p.table.Rows); i++ {
		room -= p.cellWidth(i)
		if room < 0 && len(list) > 0 {
			break
		}
		list = append(list, i)
	}
	return list
}

// figures returns the text of a cell: the mean and, if asked for and present, half of its interval.
func (p *Page) figures(row, column int, interval bool) string {
	c, cell := &p.table.Columns[column], p.table.Rows[row].Cells[column]
	if !cell.Mean.Applies() {
		return page.None + " "
	}
	mean, half, mark := cell.Mean.Float(), cell.Half.Float(), " "
	text, format := decimal(mean), " ±%.3f"
	if c.Percent() {
		text, half, format = fmt.Sprintf("%.1f", 100*mean), 100*half, " ±%4.1f"
	}
	if p.table.HasStar(&p.table.Rows[row], column) {
		mark = bestMark
	}
	// One seed has none, and more groups side by side are worth more than their intervals.
	if interval && !math.IsNaN(half) {
		text += fmt.Sprintf(format, half)
	}
	return text + mark
}

// decimal writes a loss with three decimals, or as charts do where that is too
// long or says nothing.
func decimal(x float64) string {
	if a := math.Abs(x); a >= 1000 || a > 0 && a < 0.01 || math.IsNaN(x) || math.IsInf(x, 0) {
		return plot.Format(x)
	}
	return fmt.Sprintf("%.3f", x)
}

func (p *Page) viewTable(w, h int) []string {
	t, groups := p.Theme, p.groups(w)
	rows, legend := p.fitTable(w, h)
	top, shown := min(p.top, len(rows)), h-headRows-len(legend)
	cells := p.labelCells()
	label := func(s string) string { return t.Dim.Paint(kit.Left(s, cells)) }
	head := label(outOfView("", "↑", "↓", top, len(rows)-top-shown))
	seeds := label(outOfView(" seeds", "←", "→", p.column, len(p.table.Rows)-p.column-len(groups)))
	for _, i := range groups {
		head += t.Line(p.colors[i]).Paint(p.overFigures(i, p.groupName(i)))
		seeds += t.Dim.Paint(p.overFigures(i, fmt.Sprint(len(p.table.Rows[i].Runs))))
	}
	lines := []string{head, seeds}
	for _, row := range rows[top:] {
		lines = append(lines, p.tableLine(row, cells, groups))
	}
	lines = kit.Fill(lines, w, h-len(legend))
	for _, s := range legend {
		lines = append(lines, t.Dim.Paint(kit.Left(s, w)))
	}
	return lines
}

// overFigures writes the head of a group over its figures. A long one reaches over the differences.
func (p *Page) overFigures(group int, text string) string {
	w := p.width(group)
	text = cell.Cut(text, w.figures+w.differences-2) + " "
	return kit.Left(kit.Right(text, max(w.figures, cell.Width(text))), w.figures+w.differences)
}

// outOfView returns the numbers of columns or lines before and after those in view, with the arrow
// keys that lead there. Without any it returns the text otherwise.
func outOfView(otherwise, back, on string, before, after int) string {
	switch {
	case before > 0 && after > 0:
		return fmt.Sprintf(" %s %d %s %d", back, before, on, after)
	case before > 0:
		return fmt.Sprintf(" %s %d", back, before)
	case after > 0:
		return fmt.Sprintf(" %s %d more", on, after)
	}
	return otherwise
}

// tableLine returns a line of the table, whose name has so many cells.
func (p *Page) tableLine(row tableRow, cells int, groups []int) string {
	if row.column < 0 {
		return ""
	}
	t := p.Theme
	label := " " + row.label
	if !p.isNarrow() && cell.Width(label)+cell.Width(row.count) < cells {
		label += row.count
	}
	mark := " "
	if row.few {
		mark = cell.Few
	}
	line := kit.Left(cell.Middle(label, cells-1), cells-1) + mark
	line = p.weight(row).Paint(line)
	for _, i := range groups {
		w := p.width(i)
		text := kit.Right(p.figures(i, row.column, !p.isNarrow()), w.figures)
		line += p.styleOf(row, i).Paint(t.Greek(text))
		if w.differences > 0 {
			line += t.Dim.Paint(t.Greek(kit.Right(p.difference(i, row.column), w.differences)))
		}
	}
	return line
}

// worst returns the name of the accuracy of the worst class or, of runs with groups, group.
func (p *Page) worst() string { return p.runs[0].Meta.MeasureFor("worst_class_accuracy") }

// weight returns the style of a line. The worst class or group stands out, because the methods are
// made for it.
func (p *Page) weight(row tableRow) kit.Style {
	if p.table.Columns[row.column].Name == p.worst() {
		return p.Theme.Title
	}
	return p.Theme.Text
}

// styleOf returns the style of a group's figures. A colour is a claim: only the figure with a star
// has one, since only of that the seeds show that it is better than all others.
func (p *Page) styleOf(row tableRow, group int) kit.Style {
	switch {
	case p.table.HasStar(&p.table.Rows[group], row.column):
		return p.Theme.BestStyle()
	case row.few:
		return p.Theme.Dim
	}
	return p.weight(row)
}
