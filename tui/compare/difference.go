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

// basesIn returns, for each group, the baseline that answers the same question as a column; -1 for
// none. runs has the first run of each group.
func (p *Page) basesIn(column int, runs []*runner.Meta) []int {
	asks, plain := dro.OfNetwork, map[string]int{} // the first plain group, by its question
	if m, ok := measure.FindMeasure(p.table.Columns[column].Name); ok {
		asks = m.Asks
	}
	has := func(i int) bool { return p.table.Rows[i].Cells[column].Mean.Applies() }
	for i, m := range slices.Backward(runs) {
		if has(i) && m.Spec.Algorithm() == dro.Baseline() {
			plain[compare.Question(asks, m)] = i
		}
	}
	bases := make([]int, len(runs))
	for i, m := range runs {
		base, ok := plain[compare.Question(asks, m)]
		bases[i] = -1
		if ok && has(i) && base != i {
			bases[i] = base
		}
	}
	return bases
}

// difference returns the difference between a group's figure and the baseline's, with its sign; ""
// if there is no baseline.
func (p *Page) difference(row, column int) (text string) {
	base := p.bases[column][row]
	if base < 0 {
		return ""
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
	return text
}
