package compare

import (
	"fmt"
	"slices"
	"strings"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/measure"
	"drolab/tui/plot"
)

// stand compares the figures of a column between the groups: which are the best, which the worst,
// and which baseline each is compared with. It makes no claim: only the star says that a difference
// is significant.
type stand struct {
	best, worst map[int]bool // groups
	base        []int        // by group, the baseline that answers the same question; -1 for none
}

// standings returns the stand of each column.
func (p *Page) standings() []stand {
	list, runs := make([]stand, len(p.table.Columns)), p.rowRuns()
	for c := range p.table.Columns {
		list[c] = p.standing(c, runs)
	}
	return list
}

func (p *Page) standing(column int, runs []*runner.Meta) stand {
	c := &p.table.Columns[column]
	s := stand{best: map[int]bool{}, worst: map[int]bool{}, base: make([]int, len(runs))}
	asks := dro.OfNetwork
	if m, ok := measure.FindMeasure(c.Name); ok {
		asks = m.Asks
	}
	alike := map[string][]int{} // groups that answer the same question
	for i, m := range runs {
		s.base[i] = -1
		if p.table.Rows[i].Cells[column].Mean.Applies() {
			q := compare.Question(asks, m)
			alike[q] = append(alike[q], i)
		}
	}
	for _, groups := range alike {
		plain := slices.IndexFunc(groups, func(i int) bool {
			return runs[i].Spec.Algorithm() == dro.Baseline()
		})
		for _, i := range groups {
			if plain >= 0 && i != groups[plain] {
				s.base[i] = groups[plain]
			}
		}
		if !c.Neutral {
			p.rank(column, groups, &s)
		}
	}
	return s
}

// rank finds the best and the worst of groups by their figures as written. Several groups may share
// the best or the worst figure; if all figures are equal, there is neither.
func (p *Page) rank(column int, groups []int, s *stand) {
	value := func(i int) float64 { return p.table.Rows[i].Cells[column].Mean.Float() }
	least, most := groups[0], groups[0]
	for _, i := range groups {
		if value(i) < value(least) {
			least = i
		}
		if value(i) > value(most) {
			most = i
		}
	}
	best, worst := p.mean(least, column), p.mean(most, column)
	if best == worst {
		return
	}
	if p.table.Columns[column].Higher {
		best, worst = worst, best
	}
	for _, i := range groups {
		text := p.mean(i, column)
		s.best[i], s.worst[i] = text == best, text == worst
	}
}

// difference returns the difference between a group's figure and the baseline's, with its sign.
// better is 1 if the figure is better, -1 if it is worse, else 0. The text is "" if there is no
// baseline.
func (p *Page) difference(row, column int) (text string, better int) {
	base := p.stands[column].base[row]
	if base < 0 {
		return "", 0
	}
	c := &p.table.Columns[column]
	d := p.table.Rows[row].Cells[column].Mean.Float() -
		p.table.Rows[base].Cells[column].Mean.Float()
	text = fmt.Sprintf("%.3f", d)
	switch written := strings.ContainsAny(text, "123456789"); {
	case c.Percent():
		text = fmt.Sprintf("%.1f", 100*d)
	case d != 0 && (!written || len(text) > len("-999.999")):
		text = plot.Format(d)
	}
	if d > 0 {
		text = "+" + text
	}
	switch {
	case c.Neutral || !strings.ContainsAny(text, "123456789"):
		return text, 0
	case (d > 0) == c.Higher:
		return text, 1
	}
	return text, -1
}

// marks returns the parts of the legend that explain weight and sign.
func (p *Page) marks() (parts []string) {
	var best bool
	base := -1
	for _, s := range p.stands {
		best = best || len(s.best) > 0
		for _, i := range s.base {
			base = max(base, i)
		}
	}
	if best {
		parts = append(parts, "bold: best of its row")
	}
	if base >= 0 && p.against() {
		parts = append(parts, "signed: against "+p.table.Rows[base].Title())
	}
	return parts
}
