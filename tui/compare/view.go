package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/plot"
)

// compareLayout is where the parts of the Compare page are; those without room
// have no size.
type compareLayout struct {
	table, notes kit.Rect
	curves       []kit.Rect // of a measure each, from the chosen one on
}

// at is the part at a place of the page, or else the given one.
func (l compareLayout) at(x, y int, otherwise comparePart) comparePart {
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

// Room that parts need: beside the table, below it, and for curves beside each other.
const leastSide, leastBelow, leastCurves = 38, 9, 70

// layCompare divides w by h cells: the whole table of tw by th cells first, its frame included,
// then what else there is room for beside and below it. noted is how high notes of a width are;
// what they leave free has curves, too. The part in view gets the place where there is one for a
// single part.
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

// aside puts the notes beside the table, and curves below them where they leave room.
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
	cells := min(w, max(p.allCells()+frame, cell.Width(p.heading())+cell.Width(tableNote)+8))
	below := len(p.legend(cells - frame))
	noted := func(w int) int { return len(p.noteLines(w-frame)) + frame }
	return layCompare(w, h, cells, headRows+len(p.tableRows())+below+frame, p.part, noted)
}

// allCells is how wide the table is with all of its groups.
func (p *Page) allCells() int {
	cells := p.labelCells()
	for i := range p.table.Rows {
		cells += p.cellWidth(i)
	}
	return cells
}

// heading is the table's title: what is compared.
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
	blocks := []kit.Placed{
		place(lay.table, p.heading(), tableNote, p.part == tablePart, box, p.viewTable),
		place(lay.notes, "Read with care", "", p.part == notesPart, box, p.viewNotes)}
	for k, m := range p.measures(len(lay.curves)) {
		draw := func(w, h int) []string { return p.viewCurves(m, w, h) }
		title := p.Theme.Greek(p.curves()[m].Title)
		blocks = append(blocks,
			place(lay.curves[k], title, note, p.part == curvesPart && k == 0, box, draw))
	}
	slices.SortStableFunc(blocks, func(a, b kit.Placed) int { return cmp.Compare(a.X, b.X) })
	return kit.Compose(w, h, blocks)
}

// empty says why there is no table.
func (p *Page) empty(w, h int) []string {
	t := p.Theme
	lines := []string{noneDone, "",
		selectThere}
	switch {
	case p.loading || p.table == nil:
		lines = []string{readingRuns}
	case len(p.runs) > 0:
		lines = nil
		for _, n := range p.table.Notes {
			lines = append(lines, kit.Wrap(n.Text, w-6)...)
		}
	}
	return t.Empty("Compare", t.Dim.Each(lines), w, h)
}

// Measures of the table.
const (
	headRows  = 2 // names of the groups, and their seeds
	leastCell = 7
	mostCell  = 24
	leastRows = 8 // that are shown before there is room for what the signs mean
)

// labelCells is the room for a class's name and count; on a narrow screen, for
// the longest fixed label.
func (p *Page) labelCells() int {
	if p.narrow() {
		return len(" robust risk ")
	}
	return 19
}

func (p *Page) narrow() bool { return p.Body.W < 60 }

// tableRow is a line of the table: a column of compare.Table, since on a
// screen groups stand side by side.
type tableRow struct {
	column int // of compare.Table; -1 is a blank line
	label  string
	count  string // of training samples, left out where there is no room
	few    bool   // too few test samples to be called the worst
}

// tableRows are the lines under the heads.
func (p *Page) tableRows() (rows []tableRow) {
	for i, c := range p.table.Columns {
		label, count := c.Class, p.trainCount(c.Class)
		switch c.Name {
		case "class_accuracy", "group_accuracy":
		case "worst_class_accuracy":
			if i > 0 {
				rows = append(rows, tableRow{column: -1})
			}
			label = "worst class"
		case "worst_group_accuracy":
			label = "worst group"
		case "test_accuracy":
			label = "mean"
		case "train_loss":
			rows = append(rows, tableRow{column: -1})
			label = "train loss"
		case "robust_risk_at":
			label = p.Theme.Greek(c.Title())
		default:
			label = c.Name
			if m, ok := measure.FindMeasure(c.Name); ok { // else it is as the program writes it
				label = p.Theme.Greek(m.Head())
			}
		}
		rows = append(rows, tableRow{i, label, count, c.Few})
	}
	return rows
}

// trainCount is the number of training samples of a class, where the runs
// agree on it.
func (p *Page) trainCount(class string) string {
	m := &p.runs[0].Meta
	var counts []int
	for _, r := range p.runs { // predictions may be of the test split alone
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
		return fmt.Sprintf(" (%d)", counts[i])
	}
	return ""
}

// tableNote says what the figures are.
const tableNote = "shares in %"

// legend says below the table what its signs mean.
func (p *Page) legend(w int) (lines []string) {
	parts := append(p.marks(), p.table.Brief()...)
	if slices.ContainsFunc(p.tableRows(), func(r tableRow) bool { return r.few }) {
		parts = append(parts, fmt.Sprintf("%c n < min_group %d: not called worst", plot.FewMark,
			p.runs[0].Meta.Spec.MinGroup))
	}
	for _, part := range parts {
		part = p.Theme.Greek(part)
		if last := len(lines) - 1; last >= 0 && cell.Width(lines[last]+part)+3 <= w {
			lines[last] += "; " + part
		} else {
			lines = append(lines, cell.Cut(" "+part, w))
		}
	}
	return lines
}

// fit returns the lines of the table and of its legend in w by h cells: the blank
// lines of the table go first where it is too high, then the legend, which the
// notes have in full, and then it scrolls.
func (p *Page) fit(w, h int) (rows []tableRow, legend []string) {
	rows, legend = p.tableRows(), p.legend(w)
	if h < headRows+leastRows+len(legend) {
		legend = nil
	}
	if len(rows)+headRows+len(legend) > h {
		rows = slices.DeleteFunc(rows, func(r tableRow) bool { return r.column < 0 })
	}
	return rows, legend
}

// bestMark stands at what is significantly better than all else in its line.
const bestMark = "*"

// widths are how wide the columns of a group are: its figures, and their differences to the
// baseline, each with the blank before it.
type widths struct{ figures, differences int }

// measured is how wide the groups are, where the figures have their intervals and where not.
func (p *Page) measured(half bool) []widths {
	list := make([]widths, len(p.table.Rows))
	for i := range list {
		w := &list[i]
		for c := range p.table.Columns {
			w.figures = max(w.figures, cell.Width(p.figures(i, c, half))+1)
			if d, _ := p.difference(i, c); d != "" {
				w.differences = max(w.differences, cell.Width(d)+1)
			}
		}
		w.figures = max(w.figures, leastCell)
	}
	return list
}

// width is what the columns of a group take now. Differences are left out where not all groups
// have room with theirs.
func (p *Page) width(row int) widths {
	all := p.wide
	if p.narrow() {
		all = p.slim
	}
	w := all[row]
	if !p.against() {
		w.differences = 0
	}
	if name := min(cell.Width(p.groupName(row))+2, mostCell); w.figures+w.differences < name {
		w.figures = name - w.differences
	}
	return w
}

// cellWidth is that of all columns of a group.
func (p *Page) cellWidth(row int) int {
	w := p.width(row)
	return w.figures + w.differences
}

// against tells whether there is room for the differences of all groups.
func (p *Page) against() bool {
	cells := p.labelCells()
	for _, w := range p.wide {
		cells += w.figures + w.differences
	}
	return !p.narrow() && cells+2 <= p.Body.W
}

// groupName is the name of a group, with its glyph.
func (p *Page) groupName(row int) string {
	return string(p.Theme.Marks[p.colors[row]]) + " " + p.Theme.Greek(p.table.Rows[row].Title())
}

// groups are the groups from p.column on that fit whole, at least one.
func (p *Page) groups(w int) (list []int) {
	room := w - p.labelCells()
	for i := p.column; i < len(p.table.Rows); i++ {
		if room -= p.cellWidth(i); room < 0 && len(list) > 0 {
			break
		}
		list = append(list, i)
	}
	return list
}

// figures is a cell: the mean, and half its interval where there is one and room for it.
func (p *Page) figures(row, column int, interval bool) string {
	c, cell := &p.table.Columns[column], p.table.Rows[row].Cells[column]
	if !cell.Mean.Applies() {
		return page.None + " "
	}
	mark, half := " ", cell.Half.Float()
	if cell.Best {
		mark = bestMark
	}
	if !interval { // more groups beside each other are worth more than how sure each is
		half = math.NaN()
	}
	if c.Percent() {
		return p.mean(row, column) + halfText(100*half, "%4.1f") + mark
	}
	return p.mean(row, column) + halfText(half, "%.3f") + mark
}

// mean is the mean of a cell as it is written.
func (p *Page) mean(row, column int) string {
	mean := p.table.Rows[row].Cells[column].Mean.Float()
	if c := &p.table.Columns[column]; c.Percent() {
		return fmt.Sprintf("%.1f", 100*mean)
	}
	return decimal(mean)
}

// halfText is half of an interval behind its mean; nothing of one seed.
func halfText(half float64, format string) string {
	if math.IsNaN(half) {
		return ""
	}
	return " ±" + fmt.Sprintf(format, half)
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
	rows, legend := p.fit(w, h)
	top, shown := min(p.top, len(rows)), h-headRows-len(legend)
	label := func(s string) string { return t.Dim.Paint(kit.Left(s, p.labelCells())) }
	head := label(outOfView("", "↑", "↓", top, len(rows)-top-shown))
	seeds := label(outOfView(" seeds", "←", "→", p.column, len(p.table.Rows)-p.column-len(groups)))
	for _, i := range groups {
		cw := p.cellWidth(i)
		head += t.Series[p.colors[i]].Paint(kit.Right(cell.Cut(p.groupName(i), cw-2)+" ", cw))
		seeds += t.Dim.Paint(kit.Right(fmt.Sprintf("%d ", len(p.table.Rows[i].Runs)), cw))
	}
	lines := []string{head, seeds}
	for _, row := range rows[top:] {
		lines = append(lines, p.tableLine(row, groups))
	}
	lines = kit.Fill(lines, w, h-len(legend))
	for _, s := range legend {
		lines = append(lines, t.Dim.Paint(kit.Left(s, w)))
	}
	return lines
}

// outOfView says how many columns or lines there are before and after those in view, with
// the arrow keys that lead there; otherwise where there are none.
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

func (p *Page) tableLine(row tableRow, groups []int) string {
	if row.column < 0 {
		return ""
	}
	t := p.Theme
	label := " " + row.label
	if !p.narrow() && cell.Width(label)+cell.Width(row.count) < p.labelCells() {
		label += row.count
	}
	mark := " "
	if row.few {
		mark = string(plot.FewMark)
	}
	line := kit.Left(cell.Middle(label, p.labelCells()-1), p.labelCells()-1) + mark
	line = p.weight(row).Paint(line)
	for _, i := range groups {
		w := p.width(i)
		text := kit.Right(p.figures(i, row.column, !p.narrow()), w.figures)
		line += p.styleOf(row, i).Paint(t.Greek(text))
		if w.differences > 0 {
			text, better := p.difference(i, row.column)
			line += t.Tint(better).Paint(t.Greek(kit.Right(text, w.differences)))
		}
	}
	return line
}

// weight is how a line stands out: that of the worst class does, which the methods are made for.
func (p *Page) weight(row tableRow) kit.Style {
	if strings.HasPrefix(p.table.Columns[row.column].Name, "worst_") {
		return p.Theme.Title
	}
	return p.Theme.Text
}

// styleOf is that of a group's figures: the best of a line and the worst by weight and tint.
func (p *Page) styleOf(row tableRow, group int) kit.Style {
	t, stand := p.Theme, p.stands[row.column]
	switch {
	case p.table.Rows[group].Cells[row.column].Best, stand.best[group] && !row.few:
		return t.Top()
	case row.few:
		return t.Dim
	case stand.worst[group]:
		return t.Low()
	}
	return p.weight(row)
}
