package launch

import (
	"cmp"
	"fmt"

	"drolab/runner/data"
	"drolab/tui/cell"
	"drolab/tui/kit"

	tea "charm.land/bubbletea/v2"
)

// Keys implements the interface's page.
func (l *Page) Keys() []kit.Key {
	const page = 10
	end := len(l.settings())
	return []kit.Key{
		{Keys: kit.On("enter"), Hint: "review",
			Help: "review, then start",
			Why:  l.noReview, Do: l.review, Alters: true},
		{Keys: kit.On("space"), Hint: "change",
			Help: "choose a method or seed, take the next value, or type one",
			Why:  l.noSetting, Do: kit.Just(l.space), Local: true},
		{Keys: kit.On("enter"), Why: l.noSetting, Do: kit.Just(l.space), Local: true},
		{Keys: kit.On("e"), Hint: "type", Help: "type the value of a setting", Why: l.noSetting,
			Do: kit.Just(l.edit), Local: true},
		{Keys: kit.On("u"), Hint: "undo", Help: "reset a setting to the value of the preset",
			Why: l.noUndo, Do: kit.Just(l.undo), Local: true},
		{Keys: kit.On("up", "k"), Help: "up", Why: l.noAbove, Do: kit.By(l.move, -1), Moves: true},
		{Keys: kit.On("down", "j"), Help: "down", Why: l.noBelow,
			Do: kit.By(l.move, 1), Moves: true},
		{Keys: kit.On("left", "h"), Help: "left", Why: l.noSetting, Do: kit.By(l.side, -1),
			Moves: true, Local: true},
		{Keys: kit.On("right", "l"), Help: "right", Why: l.noSetting, Do: kit.By(l.side, 1),
			Moves: true, Local: true},
		{Keys: kit.On("esc"), Help: "go back", Why: l.noBack, Do: kit.Just(l.back)},
		{Keys: kit.On("home", "g"), Help: "first", Do: kit.By(l.move, -end), Moves: true},
		{Keys: kit.On("end", "G"), Help: "last", Do: kit.By(l.move, end), Moves: true},
		{Keys: kit.On("pgup"), Help: "a page up", Do: kit.By(l.move, -page), Moves: true},
		{Keys: kit.On("pgdown"), Help: "a page down", Do: kit.By(l.move, page), Moves: true},
		{Keys: kit.On("tab"), Hint: "panel", Help: "next panel", Do: kit.Just(l.flip)},
		{Keys: kit.On("shift+tab"), Help: "previous panel", Do: kit.Just(l.flip)},
	}
}

// cursor returns the row under the cursor in the focused panel, and the number of rows.
func (l *Page) cursor() (at, of int) {
	if l.right {
		return l.row, len(l.settings())
	}
	return l.at, len(l.presets())
}

func (l *Page) noAbove() string {
	at, _ := l.cursor()
	return kit.Unless(at > 0, firstRow)
}

func (l *Page) noBelow() string {
	at, of := l.cursor()
	return kit.Unless(at < of-1, lastRow)
}

func (l *Page) noBack() string {
	return kit.Unless(l.right || l.problem != nil, noWayBack)
}

// noReview says why Enter does not lead to a start. Among the settings it never does, because there
// it changes them.
func (l *Page) noReview() string {
	return cmp.Or(kit.Unless(!l.right, startsAtPresets),
		l.noStart())
}

// noStart says why the runs cannot be started.
func (l *Page) noStart() string {
	if err := l.preset().Problem; err != nil {
		return cell.OneLine(err.Error())
	}
	if e, ok := l.entries[l.spec().Dataset]; ok && !e.Available {
		return l.lacks(e)
	}
	return ""
}

// lacks says how to get a dataset that is not here.
func (l *Page) lacks(e data.Entry) string {
	return fmt.Sprintf(dataMissing, e.Name, e.Name,
		float64(e.Download)/1e6)
}

func (l *Page) noSetting() string {
	return kit.Unless(l.right, tabToSettings)
}

func (l *Page) noUndo() string {
	return cmp.Or(l.noSetting(), kit.Unless(l.edited(l.key()), l.key()+asPreset))
}

// begin starts the runs.
func (l *Page) begin() tea.Cmd {
	l.starting = true
	return l.Start(l.request())
}

// flip goes from the presets to the settings, or back.
func (l *Page) flip() { l.right, l.problem = !l.right, nil }

func (l *Page) back() { l.right, l.problem = false, nil }
