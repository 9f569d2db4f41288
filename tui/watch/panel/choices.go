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
func (b *Board) Choices() lab.Choices {
	smooth := lists.Map(smoothings(), func(s smoothing) string { return s.key })
	return lab.Choices{
		lab.OneOf("style", styleNames(), &b.style, func() {}),
		lab.OneOf("axis", axisNames(), &b.Axis, b.newAxis),
		lab.OneOf("smoothing", smooth, &b.smooth, b.smoothAll),
		{Name: "scales", Get: b.chosenScales, Set: b.chooseScales},
		{Name: "views", Get: b.chosenViews, Set: b.chooseViews},
	}
}

// chosenScales returns the quantities whose scale is not the usual one, each followed by its scale.
func (b *Board) chosenScales() (list []string) {
	for _, q := range slices.Sorted(maps.Keys(b.scales)) {
		if kind := b.scales[q].kind; kind != usualScale(q) {
			list = append(list, q, scaleNames()[kind])
		}
	}
	return list
}

func (b *Board) chooseScales(list []string) {
	for q, y := range b.scales {
		*y = yAxis{kind: usualScale(q)}
	}
	for i := 0; i+1 < len(list); i += 2 {
		if kind := slices.Index(scaleNames(), list[i+1]); kind >= 0 {
			b.scales[list[i]] = &yAxis{kind: plot.ScaleKind(kind)}
		}
	}
	b.Refit()
}

// chosenViews returns the panels that show another view than their first, each followed by the
// index of that view.
func (b *Board) chosenViews() (list []string) {
	for _, p := range b.Panels {
		if p.View > 0 {
			list = append(list, p.Title, strconv.Itoa(p.View))
		}
	}
	return list
}

func (b *Board) chooseViews(list []string) {
	for i := range b.Panels {
		p := &b.Panels[i]
		p.View = 0
		for k := 0; k+1 < len(list); k += 2 {
			if view, err := strconv.Atoi(list[k+1]); list[k] == p.Title && err == nil {
				p.View = max(0, min(view, len(p.Views)-1))
			}
		}
	}
}
