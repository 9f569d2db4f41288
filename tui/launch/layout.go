package launch

import "drolab/tui/kit"

// launchLayout holds the areas of the parts of the Launch page. On a narrow screen either the
// presets or the settings have no area.
type launchLayout struct{ welcome, presets, settings, plan kit.Rect }

// layLaunch divides a page of w by h cells. onSettings says whether the settings have the focus,
// and welcome is the number of lines of the welcome.
func layLaunch(w, h int, onSettings bool, welcome int) launchLayout {
	rows := 7 // of the plan, including its box
	switch {
	case !kit.Boxed(h):
		rows = 4
	case h >= 34:
		rows = 8
	}
	top := h - rows
	l := launchLayout{welcome: kit.Area(0, 0, w, welcome), plan: kit.Area(0, top, w, rows)}
	rest := top - welcome
	switch side := min(max(w/4, 26), 40); {
	case w >= 76:
		l.presets = kit.Area(0, welcome, side, rest)
		l.settings = kit.Area(side, welcome, w-side, rest)
	case onSettings:
		l.settings = kit.Area(0, welcome, w, rest)
	default:
		l.presets = kit.Area(0, welcome, w, rest)
	}
	return l
}

// layout returns the areas of the parts on a page of w by h cells.
func (l *Page) layout(w, h int) launchLayout {
	return layLaunch(w, h, l.right, len(l.welcome(w, h)))
}

// welcome returns the lines that welcome a newcomer, and a blank line; nil once the folder has a
// run, or on a page without room for them.
func (l *Page) welcome(w, h int) []string {
	const leastHeight = 20
	if !l.Newcomer || len(l.past) > 0 || h < leastHeight {
		return nil
	}
	lines := kit.Wrap(l.Theme.Greek(welcome), max(1, w-2))
	for i, line := range lines {
		lines[i] = " " + l.Theme.Title.Paint(line)
	}
	return append(lines, "")
}
