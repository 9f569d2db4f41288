package runs

import (
	"slices"

	"drolab/runner/record"
	"drolab/tui/kit"
)

// Finds returns what the search of the interface finds here: the runs. A filter that hides the run
// is cleared.
func (p *Page) Finds() (rows []kit.Key) {
	for _, r := range p.all {
		id := r.Meta.ID
		rows = append(rows, kit.Key{Keys: kit.On(""), Called: []string{id}, Help: "run " + id,
			Act: kit.Just(func() { p.goTo(id) })})
	}
	return rows
}

// goTo puts the cursor on the line of a run.
func (p *Page) goTo(id string) {
	find := func() int {
		return slices.IndexFunc(p.shown, func(l line) bool {
			return slices.ContainsFunc(l, func(r *record.Run) bool { return r.Meta.ID == id })
		})
	}
	if find() < 0 {
		p.line = kit.NewInput("")
		p.refilter()
	}
	p.at = max(0, find())
}
