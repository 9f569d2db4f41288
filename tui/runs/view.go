package runs

import (
	"fmt"
	"slices"
	"strings"

	"drolab/runner/compare"
	"drolab/runner/page"
	"drolab/runner/record"
	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/lab"
)

// runsLayout holds the areas of the parts of the Runs page.
type runsLayout struct {
	list, details kit.Rect
	top, rows     int // the line of the first run, and the number of lines of runs
}

// titleCells is the part of the list's first line that its title and the rules around it take.
const titleCells = 14

func layRuns(w, h int) runsLayout {
	l := runsLayout{list: kit.Area(0, 0, w, h)}
	if h >= 20 {
		rows := 9 // a line for each of the details and one more, including the box
		if h >= 34 {
			rows = 10
		}
		l.list.H = h - rows
		l.details = kit.Area(0, h-rows, w, rows)
	}
	l.top = 3 // below title, filter and heads
	l.rows = l.list.H - l.top
	if kit.Boxed(h) {
		l.rows--
	}
	return l
}

// View implements the interface's page.
func (p *Page) View(w, h int) []string {
	lay, box := layRuns(w, h), kit.Boxed(h)
	title, note := "Details", ""
	if r := p.current(); r != nil {
		title = r.Meta.ID
		if n := len(p.lineUnder()); n > 1 {
			note = fmt.Sprintf("the newest of %d runs", n)
		}
	}
	list := func(w, h int) []string { return p.viewList(w, h, lay.rows) }
	return kit.Compose(w, h, []kit.Block{
		p.Theme.Place(lay.list, "Runs", p.count(lay.list.W-titleCells), true, box, list),
		p.Theme.Place(lay.details, title, note, false, box, p.viewDetails)})
}

// count returns the title's note: the number of runs, what the figures are, the numbers of selected
// and unreadable runs and of lines, and the settings that runs are folded by. Before the first list
// it says how many runs are read. Where that takes more than so many cells, it says in fewer words
// what the figures are, and then leaves out the last parts: a figure without its meaning would be
// misread.
func (p *Page) count(cells int) string {
	if !p.loaded {
		return p.countRead()
	}
	listed := 0
	for _, l := range p.shown {
		listed += len(l)
	}
	runs := kit.Plural(listed, "run")
	if listed != len(p.all) || listed >= 1000 {
		runs = grouped(listed) + " runs"
	}
	if listed != len(p.all) {
		runs = fmt.Sprintf("%s of %s runs", grouped(listed), grouped(len(p.all)))
	}
	var words []string
	if len(p.chosen) > 0 {
		selected := fmt.Sprintf("%d selected", len(p.chosen))
		if n := len(p.unseenRuns(p.pickedRuns())); n > 0 {
			selected += fmt.Sprintf(", %d out of view", n)
		}
		words = append(words, selected)
	}
	if len(p.problems) > 0 {
		words = append(words, fmt.Sprintf("%d unreadable", len(p.problems)))
	}
	if p.together() {
		words = append(words, kit.Plural(len(p.shown), "line"))
	}
	if p.together() && len(p.foldBy) > 0 {
		words = append(words, "folded by "+strings.Join(p.foldBy, ", "))
	}
	note := ""
	for _, figures := range p.figureForms() {
		note = strings.Join(append([]string{runs, figures}, words...), " · ")
		if cell.Width(note) <= cells {
			break
		}
	}
	return p.Theme.Shorten(note, cells)
}

// figureForms says what the figures of the list are, from the longest words to the shortest.
func (p *Page) figureForms() []string {
	of := p.value.String()
	if !p.together() {
		return []string{of}
	}
	return []string{of + ", mean ± deviation over seeds", of + ", mean ± deviation",
		of + ", ± deviation"}
}

// countRead says how many runs of the folder are read, if that takes long.
func (p *Page) countRead() string {
	now := p.Reading()
	if now == nil || now.What != lab.ReadingRuns {
		return ""
	}
	return fmt.Sprintf("%s of %s runs read", grouped(now.Done), grouped(now.Of))
}

// first returns the first row, of lines and heads of days, that a list of so many rows shows. The
// cursor is about in the middle.
func (p *Page) first(rows int) int {
	rows = max(0, rows) // none on a screen that is too small
	return max(0, min(p.rowOf(p.at)-(rows-1)/2, len(p.shown)+len(p.days)-rows))
}

// outOfRows says how many rows, of lines and heads of days, are above and below those in view; ""
// where all are in view.
func (p *Page) outOfRows(rows int) (text string) {
	above := p.first(rows)
	if above > 0 {
		text = " ↑ " + grouped(above)
	}
	if below := len(p.shown) + len(p.days) - above - rows; below > 0 && rows > 0 {
		text += fmt.Sprintf(" ↓ %s more", grouped(below))
	}
	if text == "" {
		return ""
	}
	return p.Theme.Greek(text) + " "
}

// inView returns the lines that are shown in so many rows.
func (p *Page) inView(rows int) []line {
	first := p.first(rows)
	last := max(first, min(first+rows, len(p.shown)+len(p.days)))
	from, _ := p.lineAt(first)
	to, _ := p.lineAt(last)
	return p.shown[from:to]
}

func (p *Page) viewList(w, h, rows int) []string {
	t := p.Theme
	inView := p.inView(rows)
	for _, r := range slices.Concat(inView...) {
		r.Summary() // reads each summary once, for all columns
	}
	var fields page.Fields[line]
	for _, c := range p.layColumns(w) {
		c.Width-- // the blank after it is drawn with its cells
		fields = append(fields, c.Field)
	}
	grid := t.Grid(fields.Table(inView, nil), w, 0)
	head := grid.Head(func(k int, text string) string { return p.head(grid, k, text) })
	more := p.outOfRows(rows)
	filter := p.viewFilter(w - cell.Width(more))
	lines := []string{kit.Left(filter, w-cell.Width(more)) + t.Dim.Paint(more),
		kit.Blanks(listMark) + head}
	if p.problem != nil {
		problem := " " + cell.Warning + " " + t.Greek(cell.OneLine(p.problem.Error()))
		lines[1] = t.Alarm.Paint(cell.Cut(problem, w))
	}
	if len(p.shown) == 0 {
		return append(lines, " "+t.Dim.Paint(p.empty()))
	}
	from, _ := p.lineAt(p.first(rows))
	for row := p.first(rows); row < p.first(rows)+rows; row++ {
		i, head := p.lineAt(row)
		switch {
		case i >= len(p.shown):
			return kit.Fill(lines, w, h)
		case head:
			lines = append(lines, kit.Left(p.dayHead(i), w))
		default:
			lines = append(lines, p.row(i, p.shown[i], grid, i-from, w))
		}
	}
	return kit.Fill(lines, w, h)
}

// empty says why nothing is listed.
func (p *Page) empty() string {
	switch {
	case !p.loaded:
		return "reading " + p.Config.RunsDir
	case len(p.all) == 0:
		return "no runs in " + p.Config.RunsDir + " yet: start some on page 1"
	}
	why := compare.NoMatch(p.line.String(), p.all, p.BoxNames())
	return cell.OneLine(why) + ". Esc clears the filter"
}

// viewFilter returns the line above the heads, which has the filter.
func (p *Page) viewFilter(w int) string {
	t := p.Theme
	switch {
	case p.filtering:
		room, offer := w-3, ""
		if words := p.completions(); len(words) > 0 {
			offer = cell.Cut("  Tab "+strings.Join(words, "  "), w/2)
			room = max(10, room-cell.Width(offer))
		}
		return t.Key.Paint(" /") + p.line.View(t.Text, room) + t.Dim.Paint(t.Greek(offer))
	case p.line.String() != "":
		return t.Key.Paint(" /") + cell.Cut(p.line.String(), w-28) +
			t.Dim.Paint("  Esc clears the filter")
	}
	if w < 46 {
		return t.Dim.Paint(" / filters, as in  algo:sfk -failed")
	}
	return t.Dim.Paint(" / filters, as in  algo:sfk started>-1h -failed")
}

// row draws line i of the list, a row of the grid.
func (p *Page) row(i int, l line, grid *kit.Grid, row, w int) string {
	t, r := p.Theme, l[0]
	of := l.telling()
	glyph, state, _ := lab.StateKnown(t, of.Status(), p.Silent.Ago(of, of.Status()))
	cursor, chosen := " ", kit.Blanks(len(cell.Ticked))
	if i == p.at {
		cursor = t.Cursor
	}
	if p.chosen[r.Meta.ID] {
		chosen = cell.Ticked
	}
	// The row under the cursor is painted as a whole, so its parts are not painted.
	paint := func(st kit.Style, s string) string { return st.Paint(s) }
	if i == p.at {
		paint = func(_ kit.Style, s string) string { return s }
	}
	damaged := " "
	if slices.ContainsFunc(l, func(r *record.Run) bool { return p.damage(r) != "" }) {
		damaged = paint(t.Warn, cell.Warning)
	}
	s := cursor + paint(t.Accent, chosen) + paint(state, glyph) + damaged
	s += grid.Line(row, func(k int, text string) string {
		text += " "
		switch head := grid.Columns[k].Head; {
		case head == "state":
			return paint(state, text)
		case head == "method" && !l.isMixed():
			return paint(t.Line(p.colorOf(l)), text)
		case head == "epochs":
			return paint(t.Dim, text)
		}
		return text
	})
	if i == p.at {
		return t.Selected.Paint(kit.Left(s, w))
	}
	return kit.Left(s, w)
}
