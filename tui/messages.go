package tui

import (
	"drolab/runner/alert"
	"drolab/runner/record"
	"drolab/tui/lab"
)

// The messages of the interface to itself (tea.Msg). Those that all pages understand are in
// tui/kit, and those about runs in tui/lab.

// beatMsg is the end of a beat, with the runs that have ended.
type beatMsg lab.Over

// alertsMsg brings the alerts of some runs. Those that are gone have none any more.
type alertsMsg struct {
	runs, gone []*record.Run
	list       []alert.Alert // the newest first
}

// viewsMsg brings the views that were kept, or says that they were written.
type viewsMsg struct {
	views   lab.Views
	err     error
	written bool
}

// Changes implements changing.
func (m viewsMsg) Changes() bool { return !m.written }

// leaveMsg says which runs of this process are live when leaving is asked for.
type leaveMsg struct{ live []*record.Run }
