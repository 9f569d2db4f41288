package tui

import tea "charm.land/bubbletea/v2"

// Keys implements page.
func (p *comparePane) Keys() []Key {
	const page, all = 10, 1000
	return []Key{
		{Keys: On("enter"), Hint: "watch", Help: "watch the compared runs", Why: p.none, Do: p.watchRuns},
		{Keys: On("up", "k"), Help: "up", Why: p.none, Do: By(p.move, -1), Moves: true},
		{Keys: On("down", "j"), Help: "down", Why: p.none, Do: By(p.move, 1), Moves: true},
		{Keys: On("left", "h"), Help: "left", Why: p.none, Do: By(p.side, -1), Moves: true},
		{Keys: On("right", "l"), Help: "right", Why: p.none, Do: By(p.side, 1), Moves: true},
		{Keys: On("esc"), Help: "go back", Why: p.noBack, Do: p.back},
		{Keys: On("home", "g"), Help: "first", Why: p.none, Do: By(p.move, -all), Moves: true},
		{Keys: On("end", "G"), Help: "last", Why: p.none, Do: By(p.move, all), Moves: true},
		{Keys: On("pgup"), Help: "a page up", Why: p.none, Do: By(p.move, -page), Moves: true},
		{Keys: On("pgdown"), Help: "a page down", Why: p.none, Do: By(p.move, page), Moves: true},
		{Keys: On("tab"), Hint: "panel", Help: "next panel", Why: p.none, Do: By(p.turn, 1)},
		{Keys: On("shift+tab"), Help: "panel before", Why: p.none, Do: By(p.turn, -1)},
		{Keys: On("v"), Hint: "view", Help: "table, curves or notes, where there is no room for all", Why: p.none, Do: By(p.turn, 1)},
		{Keys: On("m"), Hint: "measure", Help: "the measure that the curves show", Why: p.none, Do: Just(p.nextMeasure)},
	}
}

// none says that there is no table.
func (p *comparePane) none() string {
	if p.table == nil || len(p.table.Rows) == 0 {
		return "nothing to compare yet: select runs that are done on page 3"
	}
	return ""
}

func (p *comparePane) noBack() string {
	if why := p.none(); why != "" || p.asked {
		return why
	}
	return "this is the newest experiment already"
}

func (p *comparePane) turn(by int) { p.part = (p.part + compareParts + comparePart(by)) % compareParts }

func (p *comparePane) nextMeasure() { p.measure = (p.measure + 1) % len(curves()) }

func (p *comparePane) back() tea.Cmd { return p.ask(nil) }

func (p *comparePane) watchRuns() tea.Cmd {
	var names []string
	for _, row := range p.table.Rows {
		names = append(names, row.Runs...)
	}
	return send(watchMsg{names[:min(len(names), maxWatched)]})
}

// side scrolls the table by a group.
func (p *comparePane) side(by int) {
	w, _ := inside(boxed(p.body.h), p.layout(p.body.w, p.body.h).table.w, p.body.h)
	if by < 0 || p.column+len(p.groups(w)) < len(p.table.Rows) {
		p.column = max(0, p.column+by)
	}
}
