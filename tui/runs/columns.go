package runs

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"drolab/dro"
	"drolab/runner/compare"
	"drolab/runner/lists"
	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/runner/record"
	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/plot"

	tea "charm.land/bubbletea/v2"
)

// runColumn is a column of the list of runs.
type runColumn struct {
	// Field has the width with the blank after it; the least one of preset and method.
	page.Field[line]
	least int  // width of the screen from which it is shown
	extra bool // shown only if the user chose it
	// value is the value that the list is sorted by, the most interesting line first. A nil value
	// keeps the order of the folder, newest first.
	value func(line) page.Key
}

// name returns the name of the measure of a summary that the column shows, or "".
func (c *runColumn) name() string {
	if c.Measure == nil {
		return ""
	}
	return c.Measure.Name
}

// runColumns returns the columns in their order on the screen. If folded, measures also have a
// deviation. With boxes, a column says where each run is.
func runColumns(folded, boxes bool, value valueOf) []runColumn {
	measure := func(head string, w, least int, name string) runColumn {
		m := lab.InSummary(name)
		c := measureColumn(folded, value, m)
		c.Head, c.least, c.Width = head, least, max(w, measureCells(m, folded))
		return c
	}
	text := textColumn
	epochs := func(l line) string {
		r := l.telling()
		return lab.OfEpochs(&r.Meta, r.Epochs(), 3)
	}
	columns := []runColumn{
		text("preset", presetCells+1, 0, func(r *record.Run) string { return r.Meta.Preset }),
		text("method", methodCells+1, 0, func(r *record.Run) string {
			return string(r.Meta.Spec.Algorithm()) + lab.Mark(&r.Meta)
		}),
		figures("seed", 7, 44, line.seedText, func(l line) page.Key {
			return page.Key{Number: float64(l[0].Meta.Spec.Seed)}
		}),
		stateColumn(func(r *record.Run) string { return string(r.Status()) }),
		figures("epochs", 9, 72, epochs, func(l line) page.Key {
			return page.Key{Number: -l.telling().Epochs()}
		}),
		text("set, ρ", 14, 112, func(r *record.Run) string { return r.Meta.Spec.Radius() }),
		measure("worst %", 8, 0, "worst_class_accuracy"),
		measure("mean %", 7, 0, "test_accuracy"),
		measure("test loss", 10, 96, "test_loss"),
		measure("train loss", 11, 126, "train_loss"),
		measure("robust risk", 12, 138, "robust_risk"),
		measure("dual gap", 9, 148, "dual_gap"),
		measure("mean samples/s", 15, 163, "images_per_second"),
	}
	if boxes {
		const behindMethod = 2
		box := text("box", boxCells+1, 44, compare.BoxOf)
		box.Cell = line.boxText
		columns = slices.Insert(columns, behindMethod, box)
	}
	return columns
}

// boxCells is the width of the names of boxes.
const boxCells = 8

// boxText says where the runs of a line are.
func (l line) boxText() string {
	names := lists.Map(lists.DistinctBy(l, compare.BoxOf), compare.BoxOf)
	if text := strings.Join(names, ","); len(names) == 1 || cell.Width(text) <= boxCells {
		return text
	}
	return fmt.Sprintf("%d places", len(names))
}

// stateHead is the head of the column of states.
const stateHead, stateCells = "state", 12

// stateColumn returns the column of states, with the words for the state of a run.
func stateColumn(words func(*record.Run) string) runColumn {
	c := figures(stateHead, stateCells, 60,
		func(l line) string { return l.stateShare() + words(l.telling()) },
		func(l line) page.Key {
			return page.Key{Number: math.NaN(), Word: string(l.telling().Status())}
		})
	c.Words = true
	return c
}

// stateText writes the state of a run.
func (p *Page) stateText(r *record.Run) string {
	const wide = 120
	return lab.RunWords(&r.Meta, r.Status(), r.Refitting(), p.Silent.Ago(r, r.Status()),
		p.Body.W >= wide)
}

// measureCells returns the least width of the column of a measure.
func measureCells(m measure.Measure, folded bool) int {
	switch {
	case !folded:
		return 0
	case m.Scale == dro.Percent:
		return cell.Width(" 100.0±12.3")
	}
	return 1 + plot.LabelWidth + cell.Width("±") + deviationCells
}

// measureColumn returns the column of a measure.
func measureColumn(folded bool, value valueOf, m measure.Measure) runColumn {
	of := func(r *record.Run) measure.Number { return value(r, r.Meta.MeasureFor(m.Name)) }
	c := figures(m.Head(), max(8, measureCells(m, folded), cell.Width(m.Head())+2), 0,
		func(l line) string { return l.spread(of, m) },
		func(l line) page.Key { return byNumber(l.mean(of), m.Better == dro.Higher) })
	c.Measure = &m.Measure
	return c
}

// figures returns a column of figures.
func figures(
	head string, w, least int, cell func(line) string, value func(line) page.Key,
) runColumn {
	return runColumn{Field: page.Field[line]{Column: page.Column{Head: head, Width: w}, Cell: cell},
		least: least, value: value}
}

// textColumn returns a column of words.
func textColumn(head string, w, least int, of func(*record.Run) string) runColumn {
	c := figures(head, w, least, func(l line) string { return l.common(of) },
		func(l line) page.Key { return page.Key{Number: math.NaN(), Word: of(l[0])} })
	c.Words = true
	return c
}

// extras returns the columns that are shown only if they are chosen: the programs' own values, the
// other measures, the settings in which the runs differ, tags and pins.
func (p *Page) extras(there []runColumn) (list []runColumn) {
	taken := map[string]bool{"algorithms": true, "seed": true}
	for _, c := range there {
		taken[c.name()] = true
	}
	for _, m := range append(record.UserMeasures(p.all...), lab.SummaryNumbers()...) {
		if !taken[m.Name] {
			list = append(list, measureColumn(p.together(), p.value.values(p), m))
		}
	}
	for _, key := range p.keys {
		if !taken[key] {
			c := textColumn(key, max(10, len(key)+2), 0,
				func(r *record.Run) string { return r.Meta.Spec.Text(key) })
			c.value = func(l line) page.Key { return page.KeyOf(l[0].Meta.Spec.Text(key)) }
			list = append(list, c)
		}
	}
	list = append(list, textColumn("tags", 14, 0, func(r *record.Run) string {
		return strings.Join(r.Label().Tags, " ")
	}), textColumn(pinsHead, 14, 0, p.pinText))
	for i := range list {
		list[i].extra = true
	}
	return list
}

// makeColumns makes the columns anew. The list stays sorted by the same column.
func (p *Page) makeColumns() {
	p.nameWidths = nameWidths{}
	head := cmp.Or(p.wanted, p.columns[p.by].Head)
	p.columns = runColumns(p.together(), len(p.Config.Boxes) > 0, p.value.values(p))
	p.columns = slices.Insert(p.columns, 0, p.startedColumn())
	mean := slices.IndexFunc(p.columns,
		func(c runColumn) bool { return c.name() == "test_accuracy" })
	p.columns = slices.Insert(p.columns, mean+1, p.trendColumn())
	p.columns = append(p.columns, p.extras(p.columns)...)
	method := slices.IndexFunc(p.columns, func(c runColumn) bool { return c.Head == "method" })
	name := p.columns[method].Cell
	p.columns[method].Cell = func(l line) string {
		return p.markOf(l) + strings.TrimSpace(name(l)+" "+p.nameOf(l))
	}
	state := slices.IndexFunc(p.columns, func(c runColumn) bool { return c.Head == stateHead })
	p.columns[state] = stateColumn(p.stateText)
	p.by = max(0, slices.IndexFunc(p.columns, func(c runColumn) bool { return c.Head == head }))
}

// nameOf returns what tells a line from others of its method and preset, or the settings it is
// folded by.
func (p *Page) nameOf(l line) string {
	if !p.folded || len(p.foldBy) == 0 {
		return p.kinds[l[0].Configuration()].name
	}
	var words []string
	for _, key := range p.foldBy {
		if v := settingOf(l[0], key); v != "" && key != presetKey && key != "algorithms" {
			words = append(words, compare.Short(key, v))
		}
	}
	return strings.Join(words, " ")
}

// markOf returns the mark that a line's configuration has in charts; "" on a narrow screen.
func (p *Page) markOf(l line) string {
	const narrow = 70
	switch {
	case p.Body.W < narrow:
		return ""
	case l.isMixed():
		return kit.Blanks(p.markCells + 1)
	}
	return kit.Left(p.Theme.Mark(p.colorOf(l)), p.markCells) + " "
}

// colorOf returns the number of a line's colour. Lines folded by chosen settings have the colour of
// their method.
func (p *Page) colorOf(l line) uint8 {
	n := p.kinds[l[0].Configuration()].color
	if p.folded && len(p.foldBy) > 0 {
		n %= kit.Colors
	}
	return n
}

// shows reports whether a column is to be shown in a list of w cells, if there is room for it.
func (p *Page) shows(c *runColumn, w int) bool {
	if on, chosen := p.chosenColumns[c.Head]; chosen {
		return on
	}
	return !c.extra && w+2 >= c.least
}

// byNumber ranks numbers that apply first, better numbers before worse ones.
func byNumber(n measure.Number, higher bool) page.Key {
	if higher {
		return page.Key{Number: -n.Float()}
	}
	return page.Key{Number: n.Float()}
}

// presetCells is the least width of a preset's name.
const presetCells = 7

// listMark is the width of the cursor, the mark of a selection and the state.
const listMark = 6

// methodCells is the least width of a method's name.
const methodCells = 6

// layColumns returns the columns that fit. Where the mean accuracy would have no room, the epochs
// give up theirs, and then the states, which have glyphs. Where ages stand behind states, the
// presets and seeds do instead.
func (p *Page) layColumns(w int) []runColumn {
	mean := func(c runColumn) bool { return c.name() == "test_accuracy" }
	spared := [][]string{nil, {"epochs"}, {"epochs", stateHead}}
	if len(p.Silent) > 0 {
		spared = [][]string{nil, {"epochs"}, {"epochs", "preset"}, {"epochs", "preset", "seed"}}
	}
	for _, heads := range spared {
		if columns := p.layWithout(w, heads); slices.ContainsFunc(columns, mean) {
			return columns
		}
	}
	return p.layWithout(w, nil)
}

// layWithout returns the columns that fit, without those with the heads spared. Room that is left
// goes to the method, then to the preset. It is kept for them before figures that narrow screens
// lack.
func (p *Page) layWithout(w int, spared []string) (columns []runColumn) {
	room := w - listMark
	const most = 24
	longest := p.measureNames()
	preset := max(0, min(longest.of["preset"]-presetCells, most))
	names := preset + max(0, min(longest.of["method"]-methodCells, most))
	reserved := 0 // for columns that the user chose
	for _, c := range p.columns {
		if p.chosenColumns[c.Head] {
			reserved += c.Width
		}
	}
	full := false // columns shown by default end with the first that has no room
	for _, c := range p.columns {
		switch {
		case c.Head == startedHead && p.Body.W < agoFrom:
			c.Width = shortCells
		case c.Head == stateHead && len(p.Silent) > 0:
			c.Width = max(c.Width, longest.of[stateHead]+1)
		}
		if slices.Contains(spared, c.Head) || !p.shows(&c, w) ||
			full && !c.extra && !p.chosenColumns[c.Head] {
			continue
		}
		if p.chosenColumns[c.Head] {
			reserved -= c.Width
		} else if c.least > 0 && room-reserved < c.Width {
			full = true
			continue
		}
		if room < c.Width || c.Measure != nil && c.least > 0 && room < c.Width+names {
			full = true
			continue
		}
		columns = append(columns, c)
		room -= c.Width
	}
	p.growNames(columns, room, longest.of["method"]-methodCells, preset)
	return columns
}

// growNames widens method and preset by so many cells at most, with the room that is left, and then
// with the cells of other columns that no line in the list needs.
func (p *Page) growNames(columns []runColumn, room, method, preset int) {
	longest := p.measureNames()
	grow := func(head string, most int) (lacks int) {
		i := slices.IndexFunc(columns, func(c runColumn) bool { return c.Head == head })
		if i < 0 {
			return 0
		}
		more := max(0, min(room, most))
		columns[i].Width += more
		room -= more
		return max(0, most-more)
	}
	method = grow("method", method)
	preset = grow("preset", preset)
	for i, c := range columns {
		needs := max(longest.of[c.Head], cell.Width(c.Head)+1) + 1 // an arrow, and the gap
		if c.givesRoom() && needs < c.Width {
			less := max(0, min(c.Width-needs, method+preset-room))
			columns[i].Width -= less
			room += less
		}
	}
	grow("preset", preset)
	grow("method", method)
}

// isName reports whether the column has a name, which gets the room that others leave.
func (c *runColumn) isName() bool { return c.Head == "method" || c.Head == "preset" }

// givesRoom reports whether the column may be as narrow as its texts. Measures keep their widths,
// since their values change all the time.
func (c *runColumn) givesRoom() bool {
	return !c.isName() && !c.extra && c.Measure == nil && c.Head != lab.TrendHead
}

// nameWidths holds the greatest widths of the texts of columns in the list, on a screen of a width,
// by the heads of the columns; a width of 0 says that they are unknown.
type nameWidths struct {
	of     map[string]int
	screen int
}

// measureNames returns the widest. It looks at every line, but only once for a list and a screen.
func (p *Page) measureNames() nameWidths {
	if p.nameWidths.screen == p.Body.W && p.Body.W > 0 {
		return p.nameWidths
	}
	p.nameWidths = nameWidths{map[string]int{}, p.Body.W}
	for _, c := range p.columns {
		if !c.isName() && !c.givesRoom() {
			continue
		}
		for _, l := range p.shown {
			p.nameWidths.of[c.Head] = max(p.nameWidths.of[c.Head], cell.Width(c.Cell(l)))
		}
	}
	return p.nameWidths
}

// head draws the head of a column, with an arrow in the gap if the list is sorted by the column.
func (p *Page) head(grid *kit.Grid, column int, text string) string {
	t, head := p.Theme, grid.Columns[column].Head
	if head != p.columns[p.by].Head {
		return t.Dim.Paint(text + " ")
	}
	arrow := "↓"
	switch {
	case t.ASCII:
		arrow = "<"
	case p.reversed:
		arrow = "↑"
	}
	return t.Accent.Paint(grid.InColumn(column, t.Greek(head)+arrow, cell.Width(text)+1))
}

// chooseColumns opens the form that chooses the columns. The list follows at once.
func (p *Page) chooseColumns() tea.Cmd {
	items := func() (list []kit.Item) {
		for i, c := range p.columns {
			name := c.Head
			if i == p.by {
				name += " ↓"
			}
			list = append(list, kit.Item{Name: name, On: p.shows(&c, p.inner())})
		}
		return list
	}
	turn := func(at int) {
		c := &p.columns[at]
		p.chosenColumns[c.Head] = !p.shows(c, p.inner())
	}
	return p.Show(&kit.Overlay{Title: "Columns", Form: &kit.Checklist{Items: items,
		Actions: map[string]func(int){"space": turn,
			"s": func(at int) { p.sortBy(p.columns[at].Head) }},
		Keys: []kit.Key{{Keys: kit.On("space"), Hint: "show or hide"},
			{Keys: kit.On("s"), Hint: "sort by"}}}})
}
