package watch

import (
	"time"

	"drolab/runner/machine"
	"drolab/tui/kit"
	"drolab/tui/watch/panel"

	tea "charm.land/bubbletea/v2"
)

// machineReader is the state of reading what the machine did during the run under the cursor.
type machineReader struct {
	looked  time.Time
	reading bool
}

// lookMachine is the time between two looks for new samples, of which two come meanwhile.
const lookMachine = 5 * time.Second

// readMachine looks for new samples of the run under the cursor.
func (w *Page) readMachine(now time.Time) tea.Cmd {
	t, m := w.Run(), &w.machine
	if t == nil || m.reading {
		return nil
	}
	if w.Machine.ID != t.ID {
		w.Machine = panel.Machine{ID: t.ID}
	} else if now.Sub(m.looked) < lookMachine {
		return nil
	}
	m.reading, m.looked = true, now
	run, from := t.Run, w.Machine.Next
	return func() tea.Msg {
		list, next, _ := run.Machine(from) // what cannot be read is not there
		return machineMsg{run.Meta.ID, list, next}
	}
}

// machineMsg brings samples that were not read before.
type machineMsg struct {
	id   string
	list []machine.Sample
	next int64
}

// Changes reports whether there are any.
func (m machineMsg) Changes() bool { return len(m.list) > 0 }

// addMachine adds samples, and has the panels drawn that show them.
func (w *Page) addMachine(m machineMsg) {
	w.machine.reading = false
	if w.Machine.ID != m.id || !m.Changes() {
		return
	}
	w.Machine.Samples, w.Machine.Next = append(w.Machine.Samples, m.list...), m.next
	for p := range w.Panels {
		if w.Shows(p).Watches() {
			w.drawn[p].Drawn = kit.Drawn{}
		}
	}
}
