package compare

import (
	"slices"

	"drolab/runner/measure"
	"drolab/tui/lab"
)

// Choices returns the choices that the user makes on the page.
func (p *Page) Choices() lab.Choices {
	return lab.Choices{
		lab.OneOf("panel", []string{"table", "curves", "notes"}, &p.part, func() {}),
		{Name: "measure", Get: p.chosenMeasure, Set: p.chooseMeasure},
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
