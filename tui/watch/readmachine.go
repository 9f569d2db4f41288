package watch

import (
	"time"

	"drolab/tui/watch/panel"

	tea "charm.land/bubbletea/v2"
)

// machineInterval is the time between two looks for new samples, of which two come meanwhile.
const machineInterval = 5 * time.Second

// readMachine looks for new samples of the run under the cursor.
func (w *Page) readMachine(now time.Time) tea.Cmd {
	t, m := w.Runs.Run(), &w.Board.Machine
	switch {
	case t == nil:
		return nil
	case m.ID != t.ID:
		*m = panel.Machine{ID: t.ID}
	case m.Reading || now.Sub(m.Looked) < machineInterval:
		return nil
	}
	m.Reading, m.Looked = true, now
	run, from := t.Run, m.Next
	return func() tea.Msg {
		list, next, _ := run.Machine(from) // what cannot be read is not there
		return machineMsg{run.Meta.ID, list, next}
	}
}

// addMachine adds samples that were read, and has them shown.
func (w *Page) addMachine(more machineMsg) {
	if m := &w.Board.Machine; m.ID == more.run {
		m.Samples, m.Next, m.Reading = append(m.Samples, more.samples...), more.next, false
	}
	if more.Changes() {
		w.touch()
	}
}
