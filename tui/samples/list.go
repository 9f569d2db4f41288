package samples

import (
	"strconv"

	"drolab/runner/certificate"
	"drolab/runner/lists"
	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/tui/kit"
)

func (p *Page) fields() page.Fields[*certificate.Sample] {
	list := page.Fields[*certificate.Sample]{
		{Column: page.Column{Head: "row", Spare: 2, Most: 9},
			Cell: func(s *certificate.Sample) string { return strconv.Itoa(s.Row) }},
		{Column: page.Column{Head: "label", Words: true, Most: 16},
			Cell: func(s *certificate.Sample) string { return p.pick.Classes[s.Label] }},
		{Column: page.Column{Head: predictionHead, Words: true, Spare: 1, Most: 16},
			Cell: func(s *certificate.Sample) string { return p.pick.Classes[s.Prediction] }},
		{Column: page.Column{Head: "loss", Spare: 4, Most: 8},
			Cell: func(s *certificate.Sample) string { return formatFigure(s.Loss) }},
		{Column: page.Column{Head: "ratio", Most: 8},
			Cell: func(s *certificate.Sample) string { return formatFigure(s.Ratios[p.rho]) }},
		{Column: page.Column{Head: "group", Words: true, Spare: 3, Most: 40},
			Cell: func(s *certificate.Sample) string {
				return measure.JoinNames(p.pick.Groups, s.Groups)
			}}}
	if p.pick.Groups == nil {
		return list[:len(list)-1]
	}
	return list
}

const predictionHead = "predicted"

// viewList draws the samples as a list.
func (p *Page) viewList(w, h int) []string {
	const gap = 2
	t := p.Theme
	samples := lists.Map(p.shown, func(i int) *certificate.Sample { return &p.pick.Samples[i] })
	grid := t.Grid(p.fields().Table(samples, nil), w, gap)
	lines := []string{t.Dim.Paint(kit.Left(grid.Head(nil), w))}
	for at := p.first(h - 1); at < len(samples) && len(lines) < h; at++ {
		line := grid.Line(at, func(column int, text string) string {
			if samples[at].Wrong() && at != p.at && grid.Columns[column].Head == predictionHead {
				return t.Title.Paint(text)
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
