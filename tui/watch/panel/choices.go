package panel

import (
	"maps"
	"slices"
	"strconv"

	"drolab/runner/lists"
	"drolab/tui/lab"
	"drolab/tui/plot"
)

// Choices returns the user's choices about the board: style, axis, smoothing, scales and views.
func (w *Board) Choices() lab.Choices {
	smooth := lists.Map(smoothings(), func(s smoothing) string { return s.name })
	return lab.Choices{
		lab.OneOf("style", styleNames(), &w.style, func() {}),
		lab.OneOf("axis", axisNames(), &w.Axis, w.newAxis),
		lab.OneOf("smoothing", smooth, &w.smooth, w.smoothAll),
		{Name: "scales", Get: w.chosenScales, Set: w.chooseScales},
		{Name: "views", Get: w.chosenViews, Set: w.chooseViews},
	}
}

// chosenScales returns the quantities whose scale is not the usual one, each followed by its scale.
func (w *Board) chosenScales() (list []string) {
	for _, q := range slices.Sorted(maps.Keys(w.scales)) {
		if kind := w.scales[q].kind; kind != usualScale(q) {
			list = append(list, q, scaleNames()[kind])
		}
	}
	return list
}

func (w *Board) chooseScales(list []string) {
	for q, y := range w.scales {
		*y = yAxis{kind: usualScale(q)}
	}
	for i := 0; i+1 < len(list); i += 2 {
		if kind := slices.Index(scaleNames(), list[i+1]); kind >= 0 {
			w.scales[list[i]] = &yAxis{kind: plot.ScaleKind(kind)}
		}
	}
	w.Refit()
}

// chosenViews returns the panels that show another view than their first, each followed by the
// index of that view.
func (w *Board) chosenViews() (list []string) {
	for _, p := range w.Panels {
		if p.View > 0 {
			list = append(list, p.Title, strconv.Itoa(p.View))
		}
	}
	return list
}

func (w *Board) chooseViews(list []string) {
	for i := range w.Panels {
		p := &w.Panels[i]
		p.View = 0
		for k := 0; k+1 < len(list); k += 2 {
			if view, err := strconv.Atoi(list[k+1]); list[k] == p.Title && err == nil {
				p.View = max(0, min(view, len(p.Views)-1))
			}
		}
	}
}
