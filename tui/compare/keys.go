package compare

import (
	"cmp"

	"drolab/runner/compare"
	"drolab/runner/record"
	"drolab/tui/kit"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
)

// Keys implements the interface's page.
func (p *Page) Keys() []kit.Key {
	const page, all = 10, 1000
	return []kit.Key{
		{Keys: kit.On("enter"), Hint: "watch", Help: "watch the compared runs",
			Why: p.none, Do: p.watchRuns},
		{Keys: kit.On("up", "k"), Help: "up", Why: p.noMove, Do: kit.By(p.move, -1), Moves: true},
		{Keys: kit.On("down", "j"), Help: "down", Why: p.noMove,
			Do: kit.By(p.move, 1), Moves: true},
		{Keys: kit.On("left", "h"), Help: "left", Why: p.noLeft,
			Do: kit.By(p.side, -1), Moves: true},
		{Keys: kit.On("right", "l"), Help: "right", Why: p.noRight,
			Do: kit.By(p.side, 1), Moves: true},
		{Keys: kit.On("esc"), Help: "go back", Why: p.noBack, Do: p.back},
		{Keys: kit.On("home", "g"), Help: "first", Why: p.noMove,
			Do: kit.By(p.move, -all), Moves: true},
		{Keys: kit.On("end", "G"), Help: "last", Why: p.noMove,
			Do: kit.By(p.move, all), Moves: true},
		{Keys: kit.On("pgup"), Help: "a page up", Why: p.noMove,
			Do: kit.By(p.move, -page), Moves: true},
		{Keys: kit.On("pgdown"), Help: "a page down", Why: p.noMove,
			Do: kit.By(p.move, page), Moves: true},
		{Keys: kit.On("tab"), Hint: "panel", Help: "next panel", Why: p.none,
			Do: kit.By(p.turn, 1)},
		{Keys: kit.On("shift+tab"), Help: "previous panel", Why: p.none, Do: kit.By(p.turn, -1)},
		{Keys: kit.On("v"), Hint: "view",
			Help: "table, curves or notes, if they do not fit together",
			Why:  p.none, Do: kit.By(p.turn, 1)},
		{Keys: kit.On("i"), Help: "define the rows", Why: p.none, Do: p.define},
		{Keys: kit.On("m"), Hint: "measure", Help: "the measure that the curves show", Why: p.none,
			Do: kit.Just(p.nextMeasure)},
		{Keys: kit.On("s"), Help: "figures of the last step, or of the selected one", Why: p.noStep,
			Do: p.otherStep},
		p.Choices().Key(),
	}
}

// none returns the reason why keys do nothing while there is no table.
func (p *Page) none() string {
	return kit.Unless(p.table != nil && len(p.table.Rows) > 0, nothingYet)
}

// noStep says why the figures of only one step can be shown.
func (p *Page) noStep() string {
	return cmp.Or(p.none(),
		kit.Unless(p.table == nil || p.at != "" || p.table.At == compare.Selected, noOneRule))
}

// otherStep shows the figures of the last step instead of the selected step, or the other way
// round.
func (p *Page) otherStep() tea.Cmd {
	p.at = compare.Last
	if p.table.At == compare.Last {
		p.at = compare.Selected
	}
	p.round++
	p.loading = true
	return tea.Batch(compareRuns(p.Lab, p.chosen(), p.at, p.round),
		kit.Notify("figures of the "+p.at+" step"))
}

// chosen returns the runs that were selected; nil for the newest experiment.
func (p *Page) chosen() []*record.Run {
	if p.asked {
		return p.runs
	}
	return nil
}

func (p *Page) noBack() string {
	return cmp.Or(p.none(), kit.Unless(p.asked, atNewest))
}

func (p *Page) turn(by int) { p.part = (p.part + compareParts + comparePart(by)) % compareParts }

// nextMeasure goes on to the next measure that some run can have.
func (p *Page) nextMeasure() {
	list := p.curves()
	for range list {
		p.measure = (p.measure + 1) % len(list)
		if p.can(&list[p.measure]) {
			return
		}
	}
}

// define shows the definitions of the rows of the table.
func (p *Page) define() tea.Cmd {
	names := []string{"rho"}
	for _, c := range p.table.Columns {
		names = append(names, c.Name)
	}
	return kit.Show(p.Defined("Rows", lab.Define(names)))
}

func (p *Page) back() tea.Cmd { return p.ask(nil) }

func (p *Page) watchRuns() tea.Cmd {
	var names []string
	for _, row := range p.table.Rows {
		names = append(names, row.Runs...)
	}
	return kit.Send(lab.Watch{IDs: names})
}

// side scrolls the table by a group.
func (p *Page) side(by int) { p.column += by }

func (p *Page) noMove() string {
	if why := p.none(); why != "" {
		return why
	}
	_, most := p.scrolled()
	return kit.Unless(most > 0, allLines)
}

func (p *Page) noLeft() string {
	return cmp.Or(p.none(), kit.Unless(p.column > 0, noMoreLeft))
}

func (p *Page) noRight() string {
	if why := p.none(); why != "" {
		return why
	}
	w, _ := kit.Inside(kit.Boxed(p.Body.H), p.layout(p.Body.W, p.Body.H).table.W, p.Body.H)
	return kit.Unless(p.column+len(p.groups(w)) < len(p.table.Rows), noMoreRight)
}
