package runs

import (
	"fmt"
	"slices"
	"strings"

	"drolab/runner"
	"drolab/runner/measure"
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
			note = fmt.Sprintf(newestOf, n)
			if len(p.foldBy) > 0 {
				note = fmt.Sprintf(newestRun, n)
			}
		}
	}
	list := func(w, h int) []string { return p.viewList(w, h, lay.rows) }
	return kit.Compose(w, h, []kit.Block{
		p.Theme.Place(lay.list, "Runs", p.count(), true, box, list),
		p.Theme.Place(lay.details, title, note, false, box, p.viewDetails)})
}

// count returns the title's note: the numbers of runs, lines, selected and unreadable runs, the
// moment of the values, and the settings that runs are folded by.
func (p *Page) count() string {
	words := []string{kit.Plural(len(p.all), "run")}
	switch {
	case p.together():
		words = append(words, kit.Plural(len(p.shown), "line"))
	case len(p.shown) != len(p.all):
		words = append(words, fmt.Sprintf("%d shown", len(p.shown)))
	}
	if p.value != (moment{}) {
		words = append(words, p.value.String())
	}
	if len(p.chosen) > 0 {
		words = append(words, fmt.Sprintf("%d selected", len(p.chosen)))
	}
	if len(p.problems) > 0 {
		words = append(words, fmt.Sprintf("%d unreadable", len(p.problems)))
	}
	switch {
	case p.together() && len(p.foldBy) > 0:
		words = append(words, fmt.Sprintf(foldedBy, strings.Join(p.foldBy, ", ")))
	case p.together():
		words = append(words, seedsFolded)
	}
	return strings.Join(words, " · ")
}

// first returns the index of the first run shown in a list of this many rows. The cursor is about
// in the middle.
func (p *Page) first(rows int) int {
	rows = max(0, rows) // none on a screen that is too small
	return max(0, min(p.at-(rows-1)/2, len(p.shown)-rows))
}

// inView returns the lines that are shown in so many rows.
func (p *Page) inView(rows int) []line {
	first := p.first(rows)
	return p.shown[first:max(first, min(first+rows, len(p.shown)))]
}

func (p *Page) viewList(w, h, rows int) []string {
	t := p.Theme
	first, inView := p.first(rows), p.inView(rows)
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
	lines := []string{p.viewFilter(w), kit.Blanks(listMark) + head}
	if len(p.shown) == 0 {
		return append(lines, " "+t.Dim.Paint(p.empty()))
	}
	for i, l := range inView {
		lines = append(lines, p.row(first+i, l, grid, i, w))
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
	return noMatch
}

// viewFilter returns the line above the heads, which has the filter.
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
		return t.Key.Paint(" /") + cell.Cut(p.line.String(), w-28) +
			t.Dim.Paint("  Esc clears the filter")
	}
	if w < 46 {
		return t.Dim.Paint(" / filters, as in  algo:sfk -failed")
	}
	return t.Dim.Paint(" / filters, as in  algo:sfk rho>=0.5 -failed")
}

// row draws line i of the list, a row of the grid.
func (p *Page) row(i int, l line, grid *kit.Grid, row, w int) string {
	t, r := p.Theme, l[0]
	glyph, state := lab.State(t, r.Status())
	cursor, chosen := " ", " "
	if i == p.at {
		cursor = t.Cursor
	}
	if p.chosen[r.Meta.ID] {
		chosen = t.On
	}
	// The row under the cursor is painted as a whole, so its parts are not painted.
	paint := func(st kit.Style, s string) string { return st.Paint(s) }
	if i == p.at {
		paint = func(_ kit.Style, s string) string { return s }
	}
	damaged := " "
	if slices.ContainsFunc(l, func(r *record.Run) bool { return p.damage(r) != "" }) {
		damaged = paint(t.Warn, "!")
	}
	s := cursor + paint(t.Accent, chosen) + " " + paint(state, glyph) + damaged
	s += grid.Line(row, func(k int, text string) string {
		text += " "
		switch head := grid.Columns[k].Head; {
		case head == "state":
			return paint(state, text)
		case head == "method" && !l.mixed():
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

// cameTo returns the run's last measures that apply, except those that the list shows. The method's
// own measures come first.
func cameTo(r *record.Run, list []runColumn) string {
	s := r.Summary()
	var own, rest []string
	for _, m := range record.Measures(r) {
		there := slices.ContainsFunc(list, func(c runColumn) bool { return c.name() == m.Name })
		if n := s.Named(m.Name); !m.Main || m.IsList() || there || !n.Applies() {
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

// selected returns the figures of the step that the validation split selects, after the last step's
// figure; "" if the run has selected no step.
func selected(m *runner.Meta, s *runner.Summary) string {
	if s.Selected == nil {
		return ""
	}
	worst := m.MeasureFor("worst_class_accuracy")
	return fmt.Sprintf("worst %s %s %%, selected @epoch %.4g by %s: worst %s %%, mean %s %%; ",
		m.Part(), page.Points().Text(s.Named(worst)),
		s.Selected.Epoch, s.Selected.By, page.Points().Text(s.Selected.Named(worst)),
		page.Points().Text(s.Selected.Named("test_accuracy")))
}

// perPart returns the test accuracy of each class or group, in percent.
func perPart(m *runner.Meta, s *runner.Summary) string {
	list, names := s.ByGroup.Named(m.MeasureFor("class_accuracy")), m.Names(m.Main())
	if len(list) == 0 {
		return "–"
	}
	var words []string
	for i, a := range list {
		name := fmt.Sprint(i)
		if i < len(names) {
			name = names[i]
		}
		words = append(words, name+"\u00a0"+page.Points().Text(a)) // a line must not break there
	}
	return strings.Join(words, "  ")
}

// viewDetails shows the settings and the origin of the run under the cursor, and its results.
func (p *Page) viewDetails(w, h int) (lines []string) {
	t, r, problem := p.Theme, p.current(), ""
	if len(p.problems) > 0 {
		problem = cell.OneLine(p.problems[0].Error())
	}
	if r != nil && p.damage(r) != "" { // it comes before the trouble of others
		problem = p.damage(r)
	}
	if problem != "" {
		h--
	}
	if r != nil {
		m, s := &r.Meta, r.Summary()
		shown := p.layColumns(w)
		state := fmt.Sprintf("%s at step %d of %d", r.Status(), s.Steps, m.Steps)
		for _, part := range [][2]string{{": ", cell.OneLine(s.Cause)},
			{", pinned at ", p.pinText(r)}, {", a fork of ", cell.OneLine(m.Parent)},
			{"; its method ", lab.Explain(m)}} {
			if part[1] != "" {
				state += part[0] + part[1]
			}
		}
		trains := fmt.Sprintf("%s on %s, %s of %d, lr %g, %s, %s coordinates", m.Spec.Model,
			m.Spec.Dataset, kit.Plural(m.Spec.Epochs, "epoch"), m.Spec.Batch, m.Spec.LR,
			strings.Replace(m.Spec.Radius(), ", ", " at ρ ", 1), m.Coordinates)
		made := m.Created.Format("2006-01-02 15:04:05 MST") + " by drolab " + m.Host.Version
		if m.Imported != nil {
			trains = "nothing: imported from " + m.Imported.File + "; " +
				strings.Join(m.Imported.Absent, "; ")
		} else {
			made += fmt.Sprintf(" on %s, kernel %s, %s", m.Host.CPU, m.Host.Kernel,
				kit.Plural(m.Host.Threads, "thread"))
		}
		parts := "Classes"
		if m.Main() == measure.PerGroup {
			parts = "Groups"
		}
		if label := r.Label().String(); label != "" {
			state = label + "; " + state
		}
		lines = t.Statements([]kit.Statement{
			{Name: "State", Text: state},
			{Name: "Trains", Text: trains},
			{Name: "Result", Text: selected(m, s) + cameTo(r, shown)},
			{Name: parts, Text: perPart(m, s), Whole: true},
			{Name: "Folder", Text: r.Dir},
			{Name: "Made", Text: made},
		}, 10, w, h)
	}
	if problem != "" {
		lines = append(lines, t.Warn.Paint(" ! "+cell.Cut(t.Greek(problem), w-4)))
	}
	return lines
}
