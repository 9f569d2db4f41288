package tui

import (
	"fmt"

	"drolab/runner/data"

	tea "charm.land/bubbletea/v2"
)

// Keys implements page.
func (l *launch) Keys() []Key {
	const page = 10
	end := len(settings())
	return []Key{
		{Keys: On("enter"), Hint: "start", Help: "start the runs and watch them", Why: l.noStart, Do: l.begin, Alters: true},
		{Keys: On("space"), Hint: "change", Help: "choose a method or seed, take the next value, or type one",
			Why: l.noSetting, Do: Just(l.space)},
		{Keys: On("e"), Hint: "type", Help: "type the value of a setting", Why: l.noSetting, Do: Just(l.edit)},
		{Keys: On("u"), Hint: "undo", Help: "set a setting back to what the preset says", Why: l.noUndo, Do: Just(l.undo)},
		{Keys: On("up", "k"), Help: "up", Do: By(l.move, -1), Moves: true},
		{Keys: On("down", "j"), Help: "down", Do: By(l.move, 1), Moves: true},
		{Keys: On("left", "h"), Help: "left", Why: l.noSetting, Do: By(l.side, -1), Moves: true},
		{Keys: On("right", "l"), Help: "right", Why: l.noSetting, Do: By(l.side, 1), Moves: true},
		{Keys: On("esc"), Help: "go back", Do: Just(l.back)},
		{Keys: On("home", "g"), Help: "first", Do: By(l.move, -end), Moves: true},
		{Keys: On("end", "G"), Help: "last", Do: By(l.move, end), Moves: true},
		{Keys: On("pgup"), Help: "a page up", Do: By(l.move, -page), Moves: true},
		{Keys: On("pgdown"), Help: "a page down", Do: By(l.move, page), Moves: true},
		{Keys: On("tab"), Hint: "panel", Help: "next panel", Do: Just(l.flip)},
		{Keys: On("shift+tab"), Help: "panel before", Do: Just(l.flip)},
	}
}

// noStart says why Enter cannot start the runs.
func (l *launch) noStart() string {
	if l.starting {
		return "the runs are being started"
	}
	if e, ok := l.entries[l.spec().Dataset]; ok && !e.Available {
		return l.lacks(e)
	}
	return ""
}

// lacks says how to get a dataset that is not here.
func (l *launch) lacks(e data.Entry) string {
	return fmt.Sprintf("%s is not here: drolab data fetch %s loads %.0f MB", e.Name, e.Name, float64(e.Download)/1e6)
}

func (l *launch) noSetting() string {
	if !l.right {
		return "go to the settings first, with " + keyName("tab", l.env.ascii)
	}
	return ""
}

func (l *launch) noUndo() string {
	if why := l.noSetting(); why != "" || l.edited(l.key()) {
		return why
	}
	return l.key() + " is as the preset has it"
}

// begin starts the runs.
func (l *launch) begin() tea.Cmd {
	l.starting = true
	return l.start(l.request())
}

// flip goes from the presets to the settings, or back.
func (l *launch) flip() { l.right, l.problem = !l.right, nil }

func (l *launch) back() { l.right, l.problem = false, nil }
