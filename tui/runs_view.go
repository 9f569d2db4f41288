package tui

import (
	"cmp"
	"fmt"
	"strings"

	"drolab/runner"
	"drolab/runner/record"
)

// runColumn is a column of the list of runs.
type runColumn struct {
	head  string
	w     int  // with the blank before it; of the first columns the least
	left  bool // text, not figures
	least int  // width of the screen from which it is shown
	cell  func(*record.Run) string
	// compare sorts by the column, the most interesting run first; nil keeps
	// the folder's order, newest first.
	compare func(a, b *record.Run) int
}

// runColumns are the columns in their order on the screen.
func runColumns() []runColumn {
	measure := func(of func(*runner.Summary) runner.Number, format func(runner.Number) string, higher bool) (func(*record.Run) string, func(a, b *record.Run) int) {
		return func(r *record.Run) string { return format(of(r.Summary())) },
			func(a, b *record.Run) int { return byNumber(of(a.Summary()), of(b.Summary()), higher) }
	}
	worst, byWorst := measure(func(s *runner.Summary) runner.Number { return s.WorstClassAccuracy }, percent, true)
	mean, byMean := measure(func(s *runner.Summary) runner.Number { return s.TestAccuracy }, percent, true)
	test, byTest := measure(func(s *runner.Summary) runner.Number { return s.TestLoss }, figure, false)
	train, byTrain := measure(func(s *runner.Summary) runner.Number { return s.TrainLoss }, figure, false)
	risk, byRisk := measure(func(s *runner.Summary) runner.Number { return s.RobustRisk }, figure, false)
	gap, byGap := measure(func(s *runner.Summary) runner.Number { return s.DualGap }, figure, false)
	speed, bySpeed := measure(func(s *runner.Summary) runner.Number { return s.ImagesPerSecond }, whole, true)
	text := func(of func(*record.Run) string) (func(*record.Run) string, func(a, b *record.Run) int) {
		return func(r *record.Run) string { return Clean(of(r)) }, func(a, b *record.Run) int { return cmp.Compare(of(a), of(b)) }
	}
	started, _ := text(func(r *record.Run) string { return r.Meta.Created.Format("01-02 15:04") })
	preset, byPreset := text(func(r *record.Run) string { return r.Meta.Preset })
	method, byMethod := text(func(r *record.Run) string { return string(r.Meta.Spec.Algorithm()) })
	status, byStatus := text(func(r *record.Run) string { return string(r.Status()) })
	seed := func(r *record.Run) string { return fmt.Sprint(r.Meta.Spec.Seed) }
	set := func(r *record.Run) string { return setText(&r.Meta.Spec) }
	epochs := func(r *record.Run) string { return fmt.Sprintf("%.3g/%d", r.Summary().Epochs, r.Meta.Spec.Epochs) }
	return []runColumn{
		{"started UTC", 13, true, 85, started, nil},
		{"preset", presetCells + 1, true, 0, preset, byPreset},
		{"method", 7, true, 0, method, byMethod},
		{"seed", 5, false, 0, seed, func(a, b *record.Run) int { return cmp.Compare(a.Meta.Spec.Seed, b.Meta.Spec.Seed) }},
		{"state", 12, true, 60, status, byStatus},
		{"epochs", 9, false, 72, epochs, func(a, b *record.Run) int { return cmp.Compare(b.Summary().Epochs, a.Summary().Epochs) }},
		{"set, ρ", 14, true, 112, set, func(a, b *record.Run) int { return cmp.Compare(set(a), set(b)) }},
		{"worst %", 8, false, 0, worst, byWorst},
		{"mean %", 7, false, 0, mean, byMean},
		{"test loss", 10, false, 96, test, byTest},
		{"train loss", 11, false, 126, train, byTrain},
		{"robust risk", 12, false, 138, risk, byRisk},
		{"dual gap", 9, false, 148, gap, byGap},
		{"images/s", 9, false, 158, speed, bySpeed},
	}
}

func whole(n runner.Number) string {
	if !n.Applies() {
		return n.String()
	}
	return fmt.Sprintf("%.0f", n.Float())
}

// byNumber puts what applies first, the better before the worse.
func byNumber(a, b runner.Number, higher bool) int {
	switch {
	case !a.Applies() || !b.Applies():
		return cmp.Compare(boolInt(b.Applies()), boolInt(a.Applies()))
	case higher:
		return cmp.Compare(b.Float(), a.Float())
	}
	return cmp.Compare(a.Float(), b.Float())
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// setText names the uncertainty set and its radius as a column has room for.
func setText(s *runner.Spec) string {
	switch {
	case s.Uncertainty == "cvar":
		return fmt.Sprintf("cvar %.3g", s.Mu)
	case s.Uncertainty == "smoothed-cvar":
		return fmt.Sprintf("scvar %.3g, %.3g", s.Mu, s.Rho)
	case s.Uncertainty == "chi2", s.Uncertainty == "cressie-read" && s.K == 2:
		return fmt.Sprintf("χ², %.3g", s.Rho)
	case s.Uncertainty == "cressie-read":
		return fmt.Sprintf("k=%.3g, %.3g", s.K, s.Rho)
	}
	return fmt.Sprintf("%s, %.3g", Clean(s.Uncertainty), s.Rho)
}

// runsLayout is where the parts of the Runs page are.
type runsLayout struct {
	list, details rect
	top, rows     int // the first row of a run, and how many there are
}

func layRuns(w, h int) runsLayout {
	l := runsLayout{list: rect{0, 0, w, h}}
	if h >= 20 {
		rows := 9 // a line for each of the details and one more, in a box
		if h >= 34 {
			rows = 10
		}
		l.list.h = h - rows
		l.details = rect{0, h - rows, w, rows}
	}
	l.top = 3 // below title, filter and heads
	l.rows = l.list.h - l.top
	if boxed(h) {
		l.rows--
	}
	return l
}

func (p *runsPane) view(w, h int) []string {
	lay, box := layRuns(w, h), boxed(h)
	iw, ih := inside(box, lay.list.w, lay.list.h)
	blocks := []placed{{lay.list, p.theme.panel("Runs", p.note(), true, box, p.viewList(iw, ih, lay.rows), lay.list.w, lay.list.h)}}
	if lay.details.h > 0 {
		iw, ih := inside(box, lay.details.w, lay.details.h)
		title := "Details"
		if r := p.current(); r != nil {
			title = Clean(r.Meta.ID)
		}
		blocks = append(blocks, placed{lay.details, p.theme.panel(title, "", false, box, p.viewDetails(iw, ih), lay.details.w, lay.details.h)})
	}
	return compose(w, h, blocks)
}

// note counts what there is.
func (p *runsPane) note() string {
	words := []string{plural(len(p.all), "run")}
	if len(p.shown) != len(p.all) {
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
func (p *runsPane) first(rows int) int {
	return max(0, min(p.at-(rows-1)/2, len(p.shown)-rows))
}

func (p *runsPane) viewList(w, h, rows int) []string {
	t := p.theme
	columns, room := p.layColumns(w)
	head := blanks(listMark)
	for _, c := range columns {
		head += p.head(c, room)
	}
	lines := []string{p.viewFilter(w), head}
	if len(p.shown) == 0 {
		return append(lines, " "+t.dim.paint(p.empty()))
	}
	first := p.first(rows)
	for i := first; i < len(p.shown) && i < first+rows; i++ {
		lines = append(lines, p.row(i, columns, room, w))
	}
	return fill(lines, w, h)
}

// empty says why nothing is listed.
func (p *runsPane) empty() string {
	switch {
	case !p.loaded:
		return "reading " + Clean(p.cfg.RunsDir)
	case len(p.all) == 0:
		return "no runs in " + Clean(p.cfg.RunsDir) + " yet: start some on page 1"
	}
	return "no run is so: Esc shows all"
}

// viewFilter is the line above the heads.
func (p *runsPane) viewFilter(w int) string {
	t := p.theme
	switch {
	case p.filtering:
		room := w - 3
		message := ""
		if p.problem != nil {
			message = "  " + cut(t.greek(OneLine(p.problem.Error())), w/2)
			room = max(10, room-width(message))
		}
		before, under, after := p.line.window(room)
		return t.key.paint(" /") + before + t.caret.paint(under) + after + t.bad.paint(message)
	case len(p.line.text) > 0:
		return t.key.paint(" /") + cut(p.line.String(), w-24) + t.dim.paint("  Esc shows all")
	}
	if w < 46 {
		return t.dim.paint(" / filters, as in  algo:sfk -failed")
	}
	return t.dim.paint(" / filters, as in  algo:sfk rho>=0.5 -failed")
}

// presetCells is the least width of a preset's name.
const presetCells = 7

// listMark is the room for cursor, selection and state.
const listMark = 5

// layColumns returns the columns that fit, and the room that is left for the
// preset's name to grow into.
func (p *runsPane) layColumns(w int) (columns []runColumn, room int) {
	room = w - listMark
	for _, c := range runColumns() {
		if w+2 >= c.least {
			columns = append(columns, c)
			room -= c.w
		}
	}
	longest := 0
	for _, r := range p.shown {
		longest = max(longest, width(Clean(r.Meta.Preset)))
	}
	return columns, max(0, min(room, longest-presetCells, 24))
}

func (c *runColumn) place(text string, room int) string {
	w := c.w
	if c.head == "preset" {
		w += room
	}
	if c.left {
		return left(text, w-1) + " "
	}
	return right(text, w-1) + " "
}

// head is a column's, with an arrow in the gap where the list is sorted by it.
func (p *runsPane) head(c runColumn, room int) string {
	t := p.theme
	text := c.place(t.greek(c.head), room)
	if c.head != runColumns()[p.by].head {
		return t.dim.paint(text)
	}
	arrow := "↓"
	switch {
	case t.ascii:
		arrow = "<"
	case p.reversed:
		arrow = "↑"
	}
	if c.left {
		return t.accent.paint(left(t.greek(c.head)+arrow, width(text)))
	}
	return t.accent.paint(right(t.greek(c.head)+arrow, width(text)))
}

func (p *runsPane) row(i int, columns []runColumn, room, w int) string {
	t, r := p.theme, p.shown[i]
	glyph, state := t.state(r.Status())
	cursor, chosen := " ", " "
	if i == p.at {
		cursor = t.cursor
	}
	if p.chosen[r.Meta.ID] {
		chosen = t.on
	}
	// The selected row is painted as a whole, so its parts are not.
	paint := func(st style, s string) string { return st.paint(s) }
	if i == p.at {
		paint = func(_ style, s string) string { return s }
	}
	s := cursor + paint(t.accent, chosen) + " " + paint(state, glyph) + " "
	for _, c := range columns {
		cell := c.place(t.greek(c.cell(r)), room)
		switch {
		case c.head == "state":
			cell = paint(state, cell)
		case c.head == "started" || c.head == "epochs":
			cell = paint(t.dim, cell)
		}
		s += cell
	}
	if i == p.at {
		return t.selected.paint(left(s, w))
	}
	return left(s, w)
}

// cameTo lists the last measures that apply.
func cameTo(s *runner.Summary) string {
	var words []string
	for _, f := range []struct {
		name  string
		value runner.Number
	}{{"λ", s.Lambda}, {"η", s.Eta}, {"robust risk", s.RobustRisk}, {"dual gap", s.DualGap}, {"full gradient norm", s.FullGradNorm}} {
		if f.value.Applies() {
			words = append(words, f.name+" "+figure(f.value))
		}
	}
	if len(words) == 0 {
		return "–"
	}
	return strings.Join(words, ", ")
}

// perClass is the test accuracy of each class or group, in percent.
func perClass(m *runner.Meta, s *runner.Summary) string {
	if len(s.ClassAccuracy) == 0 {
		return "–"
	}
	var words []string
	for i, a := range s.ClassAccuracy {
		name := fmt.Sprint(i)
		if i < len(m.Groups) {
			name = m.Groups[i]
		}
		words = append(words, name+"\u00a0"+percent(a)) // no line is broken there
	}
	return strings.Join(words, "  ")
}

// viewDetails says what made the run under the cursor and what it came to.
func (p *runsPane) viewDetails(w, h int) (lines []string) {
	t, r := p.theme, p.current()
	if len(p.problems) > 0 {
		h--
	}
	if r != nil {
		m, s := &r.Meta, r.Summary()
		state := fmt.Sprintf("%s at step %d of %d", r.Status(), s.Steps, m.Steps)
		if s.Cause != "" {
			state += ": " + OneLine(s.Cause)
		}
		if m.Parent != "" {
			state += ", a fork of " + OneLine(m.Parent)
		}
		trains := fmt.Sprintf("%s on %s, %s of %d, lr %g, %s, %s coordinates", m.Spec.Model, m.Spec.Dataset,
			plural(m.Spec.Epochs, "epoch"), m.Spec.Batch, m.Spec.LR, strings.Replace(setText(&m.Spec), ", ", " at ρ ", 1), m.Coordinates)
		made := fmt.Sprintf("%s by drolab %s on %s, kernel %s, %s", m.Created.Format("2006-01-02 15:04:05 MST"),
			m.Host.Version, m.Host.CPU, m.Host.Kernel, plural(m.Host.Threads, "thread"))
		lines = t.points([]point{{"State", Clean(state), t.text, false}, {"Trains", Clean(trains), t.text, false},
			{"Came to", cameTo(s), t.text, false}, {"Classes", Clean(perClass(m, s)), t.text, true},
			{"Folder", Clean(r.Dir), t.text, false}, {"Made", Clean(made), t.text, false}}, 10, w, h)
	}
	if len(p.problems) > 0 {
		lines = append(lines, t.warn.paint(" ! "+cut(t.greek(OneLine(p.problems[0].Error())), w-4)))
	}
	return lines
}
