package tui

import (
	"drolab/tui/kit"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
)

// The messages that stay in this package; the others are in tui/kit and tui/lab.

// doMsg does what a row of the key table does.
type doMsg struct{ *kit.Key }

// leaveMsg says which runs of this process are live when leaving is asked for.
type leaveMsg struct{ live []string }

// live finds out which of the runs have not ended.
func live(s lab.Source, ids []string) tea.Cmd {
	return func() tea.Msg {
		var m leaveMsg
		for _, id := range ids {
			if r, err := s.Find(id); err == nil && !r.Status().Ended() {
				m.live = append(m.live, id)
			}
		}
		return m
	}
}
