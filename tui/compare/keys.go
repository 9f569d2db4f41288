package compare

import (
	"cmp"
	"slices"
	"strings"

	"drolab/runner/compare"
	"drolab/runner/lists"
	"drolab/tui/kit"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
)

// Keys implements the interface's page.
func (p *Page) Keys() []kit.Key {
	const page, all = 10, 1000
	return []kit.Key{
		{Keys: kit.On("enter"), Hint: "watch", Help: "watch the compared runs",
			Why: p.none, Act: p.watchRuns},
		kit.Move("up", p.noMove, p.move, -1, "up", "k"),
		kit.Move("down", p.noMove, p.move, 1, "down", "j"),
		kit.Move("left", p.noLeft, p.side, -1, "left", "h"),
		kit.Move("right", p.noRight, p.side, 1, "right", "l"),
		{Keys: kit.On("n"), Group: kit.ToStart, Help: "compare the newest experiment",
			Why: p.atNewest, Act: func() tea.Cmd { return p.request(nil) }},
		{Keys: kit.On("y"), Help: "copy the table, as CSV", Why: p.none, Act: p.copy},
		kit.Move("first", p.noMove, p.move, -all, "home", "g"),
		kit.Move("last", p.noMove, p.move, all, "end", "G"),
		kit.Move("a page up", p.noMove, p.move, -page, "pgup"),
		kit.Move("a page down", p.noMove, p.move, page, "pgdown"),
		{Keys: kit.On("tab"), Hint: "panel", Help: "next panel", Why: p.none,
			Act: kit.By(p.turn, 1)},
		{Keys: kit.On("shift+tab"), Help: "previous panel", Why: p.none, Act: kit.By(p.turn, -1)},
		{Keys: kit.On("v"), Hint: "view",
			Help: "table, costs, curves or notes, if they do not fit together",
			Why:  p.none, Act: kit.By(p.turn, 1)},
		{Keys: kit.On("i"), Help: "define the rows", Why: p.none, Act: p.define},
		{Keys: kit.On("m"), Hint: "measure", Help: "the measure that the curves show",
			Why: p.noCurves, Act: kit.Just(p.nextMeasure)},
		{Keys: kit.On("a"), Hint: "axes", Help: "the two measures of What it costs",
			Why: p.noAxes, Act: kit.Just(p.nextAxes)},
		{Keys: kit.On("s"), Hint: "means", HintIn: func(int) string { return p.steps()[0].hint },
			Help: "figures of the last epoch, means as on Watch, or the selected step",
			Why:  p.none, Act: p.nextStep},
		p.Choices().Key(),
	}
}

// none returns the reason why keys do nothing while there is no table.
func (p *Page) none() string {
	if p.table == nil {
		return "Reading the runs"
	}
	return kit.Unless(len(p.table.Rows) > 0,
		"Nothing to compare yet. Select finished runs on page 3")
}

// noCurves says why no measure of curves can be chosen.
func (p *Page) noCurves() string {
	if why := p.none(); why != "" {
		return why
	}
	return kit.Unless(len(p.layout(p.Body.W, p.Body.H).curves) > 0,
		"The curves are not shown. v shows them")
}

// step is what figures can be of.
type step struct{ at, hint, notice string }

// steps returns what figures can be of, in the order of the key, from the one after that which is
// shown.
func (p *Page) steps() []step {
	all := []step{{compare.Last, "last epoch", "figures of the last epoch"},
		{compare.Mean, "means", "means of the last epochs, as on Watch"}}
	if p.selects {
		all = append(all, step{compare.Selected, "selected", "figures of the selected step"})
	}
	shown := slices.IndexFunc(all,
		func(s step) bool { return p.table != nil && s.at == p.table.At })
	return slices.Concat(all[shown+1:], all[:shown+1])
}

// nextStep shows figures of the next of the steps.
func (p *Page) nextStep() tea.Cmd {
	next := p.steps()[0]
	p.at, p.loading = next.at, true
	return tea.Batch(p.makeTable(p.comparison, nil), kit.Notify(next.notice))
}

func (p *Page) atNewest() string {
	return kit.Unless(p.asked, "This is the newest experiment already")
}

// copy copies the figures of the table, with a row for each measure and column.
func (p *Page) copy() tea.Cmd {
	var b strings.Builder
	t := p.table.Exact()
	if err := t.CSV(&b); err != nil {
		return kit.Complain(err)
	}
	return kit.Copy(b.String(), kit.Plural(len(t.Rows), "row"))
}

func (p *Page) turn(by int) { p.part = (p.part + compareParts + comparePart(by)) % compareParts }

// nextMeasure goes on to the next measure that some run can have.
func (p *Page) nextMeasure() {
	list := p.measures(2)
	p.measure = list[len(list)-1]
}

// define shows the definitions of the rows of the table.
func (p *Page) define() tea.Cmd {
	names := lists.Map(p.table.Columns, func(c compare.Column) string { return c.Name })
	return p.Show(p.Defined("Rows", lab.Define(append([]string{"rho"}, names...))))
}

func (p *Page) watchRuns() tea.Cmd {
	names := lists.Map(p.table.Rows, func(row compare.Row) []string { return row.Runs })
	return kit.Send(lab.Watch{IDs: slices.Concat(names...)})
}

// side scrolls the table by a group.
func (p *Page) side(by int) { p.column += by }

func (p *Page) noMove() string {
	if why := p.none(); why != "" {
		return why
	}
	_, most := p.scrollState()
	return kit.Unless(most > 0, "Every line is in view")
}

func (p *Page) noLeft() string {
	return cmp.Or(p.none(), kit.Unless(p.column > 0, "No more columns on the left"))
}

func (p *Page) noRight() string {
	if why := p.none(); why != "" {
		return why
	}
	w, _ := kit.Inside(kit.Boxed(p.Body.H), p.layout(p.Body.W, p.Body.H).table.W, p.Body.H)
	return kit.Unless(p.column+len(p.groups(w)) < len(p.table.Rows), "No more columns on the right")
}
