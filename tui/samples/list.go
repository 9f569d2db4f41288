package samples

import (
	"strconv"

	"drolab/runner/inspect"
	"drolab/tui/cell"
	"drolab/tui/kit"
)

// column is a column of the list. Where there is no room, the columns with the highest rank are
// left out first.
type column struct {
	head  string
	right bool
	rank  int
	most  int // the greatest width
	text  func(*inspect.Sample) string
	cells int
}

func (p *Page) columns() []column {
	class := func(i int) string { return p.pick.Classes[i] }
	list := []column{
		{head: "row", right: true, rank: 2, most: 9, text: func(s *inspect.Sample) string {
			return strconv.Itoa(s.Row)
		}},
		{head: "label", most: 16, text: func(s *inspect.Sample) string { return class(s.Label) }},
		{head: "predicted", rank: 1, most: 16, text: func(s *inspect.Sample) string {
			return class(s.Prediction)
		}},
		{head: "loss", right: true, rank: 4, most: 8, text: func(s *inspect.Sample) string {
			return figure(s.Loss)
		}},
		{head: "ratio", right: true, most: 8, text: func(s *inspect.Sample) string {
			return figure(s.Ratios[p.rho])
		}},
	}
	if p.pick.Groups != nil {
		list = append(list, column{head: "group", rank: 3, most: 40,
			text: func(s *inspect.Sample) string { return p.pick.Groups[s.Group] }})
	}
	return list
}

// layColumns returns the columns that fit in w cells, with their widths.
func (p *Page) layColumns(w int) []column {
	list, used := p.columns(), 0
	for k := range list {
		c := &list[k]
		c.cells = cell.Width(c.head)
		for _, i := range p.shown {
			c.cells = max(c.cells,
				min(c.most, cell.Width(p.Theme.Greek(c.text(&p.pick.Samples[i])))))
		}
		used += gap + c.cells
	}
	for used > w && len(list) > 2 {
		worst := 0
		for k := range list {
			if list[k].rank > list[worst].rank {
				worst = k
			}
		}
		if over := used - w; list[worst].most > 12 && list[worst].cells-over >= 8 {
			list[worst].cells -= over
			break
		}
		used -= gap + list[worst].cells
		list = append(list[:worst], list[worst+1:]...)
	}
	return list
}

// gap is the number of blanks before a column.
const gap = 2

// viewList draws the samples as a list.
func (p *Page) viewList(w, h int) []string {
	t, columns := p.Theme, p.layColumns(w)
	head := ""
	for _, c := range columns {
		head += kit.Blanks(gap) + c.place(c.head)
	}
	lines := []string{t.Dim.Paint(kit.Left(head, w))}
	for at := p.first(h - 1); at < len(p.shown) && len(lines) < h; at++ {
		s := &p.pick.Samples[p.shown[at]]
		line := ""
		for _, c := range columns {
			text := c.place(t.Greek(c.text(s)))
			if c.head == "predicted" && s.Wrong() && at != p.at {
				text = t.Bad.Paint(text)
			}
			line += kit.Blanks(gap) + text
		}
		if at == p.at {
			line = t.Accent.Paint(t.Cursor) + t.Selected.Paint(kit.Left(line[1:], w-1))
		}
		lines = append(lines, line)
	}
	return lines
}

// place fits a text into the column's width.
func (c *column) place(s string) string {
	if c.right {
		return kit.Right(s, c.cells)
	}
	return kit.Left(s, c.cells)
}

// first returns the index of the first sample in view in a list of this many rows.
func (p *Page) first(rows int) int { return kit.First(p.at, len(p.shown), rows) }
