package runs

import (
	"fmt"
	"strings"

	"drolab/runner/record"

	tea "charm.land/bubbletea/v2"
)

// readPins reads the pins of the runs in view or, if the list is sorted by pins, of all runs.
func (p *Page) readPins() tea.Cmd {
	runs := p.viewedRuns()
	if p.columns[p.by].Head == pinsHead {
		runs = p.all
	}
	return func() tea.Msg {
		m := pinsMsg{}
		for _, r := range runs {
			m[r.Meta.ID], _ = r.Pinned() // none where they cannot be read
		}
		return m
	}
}

const pinsHead = "pins"

// pinText returns the steps of a run's pinned checkpoints.
func (p *Page) pinText(r *record.Run) string {
	return strings.Trim(fmt.Sprint(p.pins[r.Meta.ID]), "[]")
}
