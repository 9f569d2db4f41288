package compare

import (
	"slices"

	"drolab/runner/measure"
	"drolab/tui/lab"
)

// Choices returns the choices that the user makes on the page.
func (p *Page) Choices() lab.Choices {
	return lab.Choices{
		lab.OneOf("panel", []string{"table", "costs", "curves", "notes"}, &p.part, func() {}),
		{Name: "measure", Get: p.chosenMeasure, Set: p.chooseMeasure},
		{Name: "axes", Get: p.chosenAxes, Set: p.chooseAxes},
	}
}

func (p *Page) chosenMeasure() []string {
	if p.measure == 0 {
		return nil
	}
	return []string{p.curves()[p.measure].Name}
}

func (p *Page) chooseMeasure(value []string) {
	p.measure = max(0, slices.IndexFunc(p.curves(), func(m measure.Measure) bool {
		return slices.Equal(value, []string{m.Name})
	}))
}

func (p *Page) chosenAxes() []string {
	if p.axes == (axes{}) {
		return nil
	}
	return []string{p.axes.y, p.axes.x}
}

func (p *Page) chooseAxes(value []string) {
	p.axes = axes{}
	if len(value) == 2 {
		p.axes = axes{value[0], value[1]}
	}
}
