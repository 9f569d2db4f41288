package runs

import (
	"slices"
	"time"
)

// sortOrder is the order of the list.
type sortOrder struct {
	by       int    // the column, an index of columns
	wanted   string // the column's head, even while there is no such column
	reversed bool
	days     []int     // the lines with which a day begins; nil without heads
	now      time.Time // as of the minute
}

// sortNext sorts by the next column that the screen has room for.
func (p *Page) sortNext() {
	columns := p.layColumns(p.inner())
	for i := range p.columns {
		head := p.columns[(p.by+1+i)%len(p.columns)].Head
		if slices.ContainsFunc(columns, func(c runColumn) bool { return c.Head == head }) {
			p.sortBy(head)
			return
		}
	}
}

// sortBy sorts by a column, or reverses the sort if the list is sorted by that column already.
func (p *Page) sortBy(head string) {
	by := slices.IndexFunc(p.columns, func(c runColumn) bool { return c.Head == head })
	p.reversed = by == p.by && !p.reversed
	p.by, p.wanted = by, head
	p.arrange()
}

func (p *Page) sortBack() {
	p.reversed = !p.reversed
	p.arrange()
}
