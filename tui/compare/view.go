package compare

import (
	"cmp"
	"fmt"
	"slices"

	"drolab/tui/kit"
)

// heading returns the title of the table, which says what is compared.
func (p *Page) heading() string {
	if p.about != "" {
		return "The newest experiment, " + p.about
	}
	return kit.Plural(len(p.runs), "selected run")
}

// View implements the interface's page.
func (p *Page) View(w, h int) []string {
	if p.table == nil || len(p.table.Rows) == 0 {
		return p.empty(w, h)
	}
	lay, box := p.layout(w, h), kit.Boxed(h)
	note := "by epoch"
	if p.reading {
		note = "reading the curves"
	}
	place := p.Theme.Place
	blocks := []kit.Block{
		place(lay.table, p.heading(), p.tableNote(), p.part == tablePart, box, p.viewTable),
		place(lay.costs, "What it costs", p.clockNote(), p.part == costsPart, box, p.viewCosts),
		place(lay.notes, "Read with care", "", p.part == notesPart, box, p.viewNotes)}
	for k, m := range p.measures(len(lay.curves)) {
		draw := func(w, h int) []string { return p.viewCurves(m, w, h) }
		title := p.Theme.Greek(p.curves()[m].Title)
		blocks = append(blocks,
			place(lay.curves[k], title, note, p.part == curvesPart && k == 0, box, draw))
	}
	slices.SortStableFunc(blocks, func(a, b kit.Block) int { return cmp.Compare(a.X, b.X) })
	return kit.Compose(w, h, blocks)
}

// empty says why there is no table.
func (p *Page) empty(w, h int) []string {
	lines := []string{"No run is done yet, so there is nothing to compare.", "",
		"Select runs on page 3 with the space bar and press c there."}
	switch {
	case p.loading || p.table == nil:
		lines = []string{"Reading the runs"}
	case len(p.runs) == 1:
		lines = []string{"The run is not done. Press 2 for Watch."}
	case len(p.runs) > 1:
		lines = []string{fmt.Sprintf("None of the %d runs is done. Press 2 for Watch.",
			len(p.runs))}
	}
	return p.Theme.EmptyText("Compare", p.Theme.Dim, lines, w, h)
}
