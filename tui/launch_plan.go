package tui

import "slices"

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
	return t.points(points, 9, w, h)
}
