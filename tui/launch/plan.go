package launch

import (
	"slices"

	"drolab/tui/cell"
	"drolab/tui/kit"
)

// viewPlan says what the setting under the cursor means or what is wrong with
// it, and what a start needs: data, time, and the problem with every auto
// derived.
func (l *Page) viewPlan(w, h int) []string {
	t := l.Theme
	points := []kit.Point{{Name: "Purpose", Text: l.preset().Doc}}
	if l.right {
		s := l.setting()
		points[0] = kit.Point{Name: "Means", Text: s.Doc, Whole: true}
		if preset := l.fromPreset(s.Key); preset != "" && h > 4 {
			points = append(points, kit.Point{Name: "Preset", Text: preset, Whole: true})
		}
	}
	if l.problem != nil {
		points[0] = kit.Point{Text: "! " + cell.OneLine(l.problem.Error()),
			Style: t.Bad, Whole: true}
	}
	rest := []kit.Point{{Name: "Time", Text: l.time()}, {Name: "Problem", Text: l.resolved()},
		{Name: "Budget", Text: l.budget()}}
	if about, there := l.dataset(); there {
		points = slices.Concat(points, rest[:2], []kit.Point{{Name: "Data", Text: about}}, rest[2:])
	} else {
		points = slices.Concat(points,
			[]kit.Point{{Name: "Data", Text: about, Style: t.Warn, Whole: true}}, rest)
	}
	return t.Points(points, 9, w, h)
}
