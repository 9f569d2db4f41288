package launch

import "drolab/tui/kit"

// launchLayout is where the parts of the Launch page are; on a narrow screen
// one of presets and settings has no size.
type launchLayout struct{ welcome, presets, settings, plan kit.Rect }

// layLaunch divides w by h cells, the focus being on the settings or not, with so many lines of
// welcome.
func layLaunch(w, h int, onSettings bool, welcome int) launchLayout {
	rows := 7 // of the plan, with its box
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

// layout is where the parts are on a page of w by h cells.
func (l *Page) layout(w, h int) launchLayout {
	return layLaunch(w, h, l.right, len(l.welcome(w, h)))
}

// welcome is said as long as the folder has no run, where there is room, with a blank line below.
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
