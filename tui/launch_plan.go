package tui

import (
	"slices"
	"strings"
)

// point is something that the plan says.
type point struct {
	name, text string
	style      style
	whole      bool // wrapped, even where others have no room then
}

// viewPlan says what the setting under the cursor means or what is wrong with
// it, and what a start needs: data, time, and the problem with every auto
// derived.
func (l *launch) viewPlan(w, h int) []string {
	t := l.theme
	points := []point{{"Purpose", Clean(l.preset().Doc), t.text, false}}
	if l.right {
		s := settings()[l.row]
		points[0] = point{"Means", s.help, t.text, true}
		if preset := l.fromPreset(s.key); preset != "" && h > 4 {
			points = append(points, point{"Preset", preset, t.text, true})
		}
	}
	if l.problem != nil {
		points[0] = point{"", "! " + OneLine(l.problem.Error()), t.bad, true}
	}
	rest := []point{{"Time", l.time(), t.text, false}, {"Problem", l.resolved(), t.text, false}, {"Budget", l.budget(), t.text, false}}
	if about, there := l.dataset(); there {
		points = slices.Concat(points, rest[:2], []point{{"Data", about, t.text, false}}, rest[2:])
	} else {
		points = slices.Concat(points, []point{{"Data", about, t.warn, true}}, rest)
	}
	return l.viewPoints(points, w, h)
}

// viewPoints draws as many points as h lines have room for, each in a line or,
// as far as there is room, wrapped.
func (l *launch) viewPoints(points []point, w, h int) (lines []string) {
	const indent = 9
	texts, rows := make([][]string, len(points)), make([]int, len(points))
	room := h
	take := func(i, n int) {
		n = min(n, room)
		rows[i] += n
		room -= n
	}
	for i, p := range points {
		cells := w - indent - 1
		if p.name == "" {
			cells = w - 2
		}
		texts[i] = wrap(l.theme.greek(p.text), cells)
		if p.whole {
			take(i, len(texts[i]))
		}
	}
	for i, p := range points {
		if !p.whole {
			take(i, 1)
		}
	}
	for i, p := range points {
		take(i, len(texts[i])-rows[i])
		lines = append(lines, l.viewPoint(p, texts[i], rows[i], indent, w)...)
	}
	return lines
}

// viewPoint draws a point in some lines; the last of them is cut where the
// text has more.
func (l *launch) viewPoint(p point, text []string, rows, indent, w int) (lines []string) {
	for j := range rows {
		s, head := text[j], " "
		if j == rows-1 {
			s = strings.Join(text[j:], " ")
		}
		if p.name != "" {
			head += left(p.name, indent-1)
			p.name = " "
		}
		lines = append(lines, l.theme.dim.paint(head)+p.style.paint(cut(s, w-width(head)-1)))
	}
	return lines
}
