package runs

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/record"
	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/lab"
)

// runColumn is a column of the list of runs.
type runColumn struct {
	head  string
	w     int  // with the blank before it; of the first columns the least
	left  bool // text, not figures
	least int  // width of the screen from which it is shown
	cell  func(line) string
	// compare sorts by the column, the most interesting line first; nil keeps
	// the folder's order, newest first.
	compare func(a, b line) int
	measure string // the name of one of a summary; "" for the others
}

// runColumns are the columns in their order on the screen; folded, measures have a
// deviation too.
func runColumns(folded bool) []runColumn {
	deviation := 0
	if folded {
		deviation = 5
	}
	measure := func(head string, w, least int, name string) runColumn {
		m := lab.Named(lab.SummaryMeasures(), name)
		of := func(r *record.Run) runner.Number { return lab.OfSummary(r.Summary(), r.Meta.Fit(name)) }
		return runColumn{head: head, w: w + deviation, least: least, measure: name,
			cell: func(l line) string {
				return l.spread(of, func(n runner.Number) string { return lab.Write(m, n) })
			},
			compare: func(a, b line) int { return byNumber(a.mean(of), b.mean(of), m.Better == dro.Higher) }}
	}
	text := func(head string, w, least int, of func(*record.Run) string) runColumn {
		return runColumn{head: head, w: w, left: true, least: least,
			cell:    func(l line) string { return cell.Clean(l.same(of)) },
			compare: func(a, b line) int { return cmp.Compare(of(a[0]), of(b[0])) }}
	}
	started := text("started UTC", 13, 85,
		func(r *record.Run) string { return r.Meta.Created.Format("01-02 15:04") })
	started.compare, started.cell = nil, func(l line) string { return l[0].Meta.Created.Format("01-02 15:04") }
	seed := func(l line) string {
		if len(l) > 1 {
			return fmt.Sprintf("n=%d", len(l))
		}
		return fmt.Sprint(l[0].Meta.Spec.Seed)
	}
	epochs := func(l line) string {
		return fmt.Sprintf("%.3g/%d", l[0].Summary().Epochs, l[0].Meta.Spec.Epochs)
	}
	return []runColumn{
		started,
		text("preset", presetCells+1, 0, func(r *record.Run) string { return r.Meta.Preset }),
		text("method", methodCells+1, 0, func(r *record.Run) string {
			return string(r.Meta.Spec.Algorithm()) + lab.Mark(&r.Meta)
		}),
		{head: "seed", w: 5, cell: seed, compare: func(a, b line) int {
			return cmp.Compare(a[0].Meta.Spec.Seed, b[0].Meta.Spec.Seed)
		}},
		text("state", 12, 60, func(r *record.Run) string { return string(r.Status()) }),
		{head: "epochs", w: 9, least: 72, cell: epochs, compare: func(a, b line) int {
			return cmp.Compare(b[0].Summary().Epochs, a[0].Summary().Epochs)
		}},
		text("set, ρ", 14, 112, func(r *record.Run) string { return r.Meta.Spec.Radius() }),
		measure("worst %", 8, 0, "worst_class_accuracy"),
		measure("mean %", 7, 0, "test_accuracy"),
		measure("test loss", 10, 96, "test_loss"),
		measure("train loss", 11, 126, "train_loss"),
		measure("robust risk", 12, 138, "robust_risk"),
		measure("dual gap", 9, 148, "dual_gap"),
		measure("images/s", 9, 158, "images_per_second"),
	}
}

// byNumber puts what applies first, the better before the worse. NaN, of what
// does not apply, is less than any number.
func byNumber(a, b runner.Number, higher bool) int {
	if higher {
		return cmp.Compare(b.Float(), a.Float())
	}
	return cmp.Compare(-b.Float(), -a.Float())
}

// runsLayout is where the parts of the Runs page are.
type runsLayout struct {
	list, details kit.Rect
	top, rows     int // the first row of a run, and how many there are
}

func layRuns(w, h int) runsLayout {
	l := runsLayout{list: kit.Area(0, 0, w, h)}
	if h >= 20 {
		rows := 9 // a line for each of the details and one more, in a box
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
	title := "Details"
	if r := p.current(); r != nil {
		title = cell.Clean(r.Meta.ID)
	}
	list := func(w, h int) []string { return p.viewList(w, h, lay.rows) }
	return kit.Compose(w, h, []kit.Placed{p.Theme.Place(lay.list, "Runs", p.count(), true, box, list),
		p.Theme.Place(lay.details, title, "", false, box, p.viewDetails)})
}

// count counts what there is.
func (p *Page) count() string {
	words := []string{kit.Plural(len(p.all), "run")}
	if p.folded {
		words = append(words, kit.Plural(len(p.shown), "line")+", seeds together: mean ± deviation")
	} else if len(p.shown) != len(p.all) {
		words = append(words, fmt.Sprintf("%d shown", len(p.shown)))
	}
	if len(p.chosen) > 0 {
		words = append(words, fmt.Sprintf("%d selected", len(p.chosen)))
	}
	if len(p.problems) > 0 {
		words = append(words, fmt.Sprintf("%d unreadable", len(p.problems)))
	}
	return strings.Join(words, ", ")
}

// first is the first run that is shown in so many rows: the cursor's is about
// in the middle.
func (p *Page) first(rows int) int {
	return max(0, min(p.at-(rows-1)/2, len(p.shown)-rows))
}

func (p *Page) viewList(w, h, rows int) []string {
	t := p.Theme
	columns, room := p.layColumns(w)
	head := kit.Blanks(listMark)
	for _, c := range columns {
		head += p.head(c, room)
	}
	lines := []string{p.viewFilter(w), head}
	if len(p.shown) == 0 {
		return append(lines, " "+t.Dim.Paint(p.empty()))
	}
	first := p.first(rows)
	for i := first; i < len(p.shown) && i < first+rows; i++ {
		lines = append(lines, p.row(i, columns, room, w))
	}
	return kit.Fill(lines, w, h)
}

// empty says why nothing is listed.
func (p *Page) empty() string {
	switch {
	case !p.loaded:
		return "reading " + cell.Clean(p.Config.RunsDir)
	case len(p.all) == 0:
		return "no runs in " + cell.Clean(p.Config.RunsDir) + " yet: start some on page 1"
	}
	return "no run is so: Esc shows all"
}

// viewFilter is the line above the heads.
func (p *Page) viewFilter(w int) string {
	t := p.Theme
	switch {
	case p.filtering:
		room := w - 3
		message := ""
		if p.problem != nil {
			message = "  " + cell.Cut(t.Greek(cell.OneLine(p.problem.Error())), w/2)
			room = max(10, room-cell.Width(message))
		}
		return t.Key.Paint(" /") + p.line.View(t.Text, room) + t.Bad.Paint(message)
	case p.line.String() != "":
		return t.Key.Paint(" /") + cell.Cut(p.line.String(), w-24) + t.Dim.Paint("  Esc shows all")
	}
	if w < 46 {
		return t.Dim.Paint(" / filters, as in  algo:sfk -failed")
	}
	return t.Dim.Paint(" / filters, as in  algo:sfk rho>=0.5 -failed")
}

// presetCells is the least width of a preset's name.
const presetCells = 7

// listMark is the room for cursor, selection and state.
const listMark = 5

// methodCells is the least width of a method's name.
const methodCells = 6

// layColumns returns the columns that fit. What room is left method and preset
// grow into, the method first.
func (p *Page) layColumns(w int) (columns []runColumn, room int) {
	room = w - listMark
	for _, c := range p.columns {
		if w+2 >= c.least {
			columns = append(columns, c)
			room -= c.w
		}
	}
	longest := func(of func(line) string) (n int) {
		for _, r := range p.shown {
			n = max(n, cell.Width(of(p.lineOf(r))))
		}
		return n
	}
	for i := range columns {
		if c := &columns[i]; c.head == "method" {
			more := max(0, min(room, longest(c.cell)-methodCells))
			c.w += more
			room -= more
		}
	}
	preset := longest(func(l line) string { return cell.Clean(l[0].Meta.Preset) })
	return columns, max(0, min(room, preset-presetCells, 24))
}

func (c *runColumn) place(text string, room int) string {
	w := c.w
	if c.head == "preset" {
		w += room
	}
	if c.left {
		return kit.Left(text, w-1) + " "
	}
	return kit.Right(text, w-1) + " "
}

// head is a column's, with an arrow in the gap where the list is sorted by it.
func (p *Page) head(c runColumn, room int) string {
	t := p.Theme
	text := c.place(t.Greek(c.head), room)
	if c.head != p.columns[p.by].head {
		return t.Dim.Paint(text)
	}
	arrow := "↓"
	switch {
	case t.ASCII:
		arrow = "<"
	case p.reversed:
		arrow = "↑"
	}
	align := kit.Right
	if c.left {
		align = kit.Left
	}
	return t.Accent.Paint(align(t.Greek(c.head)+arrow, cell.Width(text)))
}

func (p *Page) row(i int, columns []runColumn, room, w int) string {
	t, r := p.Theme, p.shown[i]
	glyph, state := lab.State(t, r.Status())
	cursor, chosen := " ", " "
	if i == p.at {
		cursor = t.Cursor
	}
	if p.chosen[r.Meta.ID] {
		chosen = t.On
	}
	// The selected row is painted as a whole, so its parts are not.
	paint := func(st kit.Style, s string) string { return st.Paint(s) }
	if i == p.at {
		paint = func(_ kit.Style, s string) string { return s }
	}
	s := cursor + paint(t.Accent, chosen) + " " + paint(state, glyph) + " "
	for _, c := range columns {
		cell := c.place(t.Greek(c.cell(p.lineOf(r))), room)
		switch {
		case c.head == "state":
			cell = paint(state, cell)
		case c.head == "started" || c.head == "epochs":
			cell = paint(t.Dim, cell)
		}
		s += cell
	}
	if i == p.at {
		return t.Selected.Paint(kit.Left(s, w))
	}
	return kit.Left(s, w)
}

// cameTo lists the last measures that apply, but those that the list has: the
// method's own first.
func cameTo(s *runner.Summary, list []runColumn) string {
	var own, rest []string
	for _, m := range runner.SummaryMeasures() {
		there := slices.ContainsFunc(list, func(c runColumn) bool { return c.measure == m.Name })
		if n := s.Of(m.Name); !m.Main || m.IsList() || there || !n.Applies() {
			continue
		} else if m.OfStep() {
			own = append(own, m.Title+" "+lab.Write(m, n))
		} else {
			rest = append(rest, m.Title+" "+lab.Write(m, n))
		}
	}
	if len(own)+len(rest) == 0 {
		return "–"
	}
	return strings.Join(append(own, rest...), ", ")
}

// selected is what the validation split selects, beside the last step's figures.
func selected(m *runner.Meta, s *runner.Summary) string {
	if s.Selected == nil {
		return ""
	}
	worst := m.Fit("worst_class_accuracy")
	return fmt.Sprintf("worst %s %s %%, selected @epoch %.4g by %s: worst %s %%, mean %s %%; ", m.Part(),
		lab.Percent(s.Of(worst)), s.Selected.Epoch, s.Selected.By, lab.Percent(s.Selected.Of(worst)),
		lab.Percent(s.Selected.Of("test_accuracy")))
}

// perPart is the test accuracy of each class or group, in percent.
func perPart(m *runner.Meta, s *runner.Summary) string {
	list, names := s.ByGroup.Of(m.Fit("class_accuracy")), m.Names(m.Main())
	if len(list) == 0 {
		return "–"
	}
	var words []string
	for i, a := range list {
		name := fmt.Sprint(i)
		if i < len(names) {
			name = names[i]
		}
		words = append(words, name+"\u00a0"+lab.Percent(a)) // no line is broken there
	}
	return strings.Join(words, "  ")
}

// viewDetails says what made the run under the cursor and what it came to.
func (p *Page) viewDetails(w, h int) (lines []string) {
	t, r := p.Theme, p.current()
	if len(p.problems) > 0 {
		h--
	}
	if r != nil {
		m, s := &r.Meta, r.Summary()
		shown, _ := p.layColumns(w)
		state := fmt.Sprintf("%s at step %d of %d", r.Status(), s.Steps, m.Steps)
		if s.Cause != "" {
			state += ": " + cell.OneLine(s.Cause)
		}
		if m.Parent != "" {
			state += ", a fork of " + cell.OneLine(m.Parent)
		}
		trains := fmt.Sprintf("%s on %s, %s of %d, lr %g, %s, %s coordinates", m.Spec.Model, m.Spec.Dataset,
			kit.Plural(m.Spec.Epochs, "epoch"), m.Spec.Batch, m.Spec.LR,
			strings.Replace(m.Spec.Radius(), ", ", " at ρ ", 1), m.Coordinates)
		made := fmt.Sprintf("%s by drolab %s on %s, kernel %s, %s", m.Created.Format("2006-01-02 15:04:05 MST"),
			m.Host.Version, m.Host.CPU, m.Host.Kernel, kit.Plural(m.Host.Threads, "thread"))
		parts := "Classes"
		if m.Main() == runner.PerGroup {
			parts = "Groups"
		}
		if uses := lab.Explain(m); uses != "" {
			state += "; its method " + uses
		}
		if label := r.Label().String(); label != "" {
			state = label + "; " + state
		}
		lines = t.Points([]kit.Point{
			{Name: "State", Text: cell.Clean(state)},
			{Name: "Trains", Text: cell.Clean(trains)},
			{Name: "Came to", Text: cell.Clean(selected(m, s)) + cameTo(s, shown)},
			{Name: parts, Text: cell.Clean(perPart(m, s)), Whole: true},
			{Name: "Folder", Text: cell.Clean(r.Dir)},
			{Name: "Made", Text: cell.Clean(made)},
		}, 10, w, h)
	}
	if len(p.problems) > 0 {
		lines = append(lines, t.Warn.Paint(" ! "+cell.Cut(t.Greek(cell.OneLine(p.problems[0].Error())), w-4)))
	}
	return lines
}
