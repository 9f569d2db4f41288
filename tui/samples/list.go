package samples

import (
	"strconv"

	"drolab/runner/inspect"
	"drolab/runner/page"
	"drolab/tui/kit"
)

func (p *Page) fields() page.Fields[*inspect.Sample] {
	class := func(i int) string { return p.pick.Classes[i] }
	var list page.Fields[*inspect.Sample]
	add := func(c page.Column, cell func(*inspect.Sample) string) {
		list = append(list, page.Field[*inspect.Sample]{Column: c, Cell: cell})
	}
	add(page.Column{Head: "row", Spare: 2, Most: 9},
		func(s *inspect.Sample) string { return strconv.Itoa(s.Row) })
	add(page.Column{Head: "label", Words: true, Most: 16},
		func(s *inspect.Sample) string { return class(s.Label) })
	add(page.Column{Head: predicted, Words: true, Spare: 1, Most: 16},
		func(s *inspect.Sample) string { return class(s.Prediction) })
	add(page.Column{Head: "loss", Spare: 4, Most: 8},
		func(s *inspect.Sample) string { return figure(s.Loss) })
	add(page.Column{Head: "ratio", Most: 8},
		func(s *inspect.Sample) string { return figure(s.Ratios[p.rho]) })
	if p.pick.Groups != nil {
		add(page.Column{Head: "group", Words: true, Spare: 3, Most: 40},
			func(s *inspect.Sample) string { return p.pick.Groups[s.Group] })
	}
	return list
}

const predicted = "predicted"

// viewList draws the samples as a list.
func (p *Page) viewList(w, h int) []string {
	const gap = 2
	t := p.Theme
	samples := make([]*inspect.Sample, len(p.shown))
	for at, i := range p.shown {
		samples[at] = &p.pick.Samples[i]
	}
	grid := t.Grid(p.fields().Table(samples, nil), w, gap)
	lines := []string{t.Dim.Paint(kit.Left(grid.Head(nil), w))}
	for at := p.first(h - 1); at < len(samples) && len(lines) < h; at++ {
		line := grid.Line(at, func(column int, text string) string {
			if samples[at].Wrong() && at != p.at && grid.Columns[column].Head == predicted {
				return t.Bad.Paint(text)
			}
			return text
		})
		if at == p.at {
			line = t.Accent.Paint(t.Cursor) + t.Selected.Paint(kit.Left(line[1:], w-1))
		}
		lines = append(lines, line)
	}
	return lines
}

// first returns the index of the first sample in view in a list of this many rows.
func (p *Page) first(rows int) int { return kit.First(p.at, len(p.shown), rows) }
