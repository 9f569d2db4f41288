package tui

import (
	"drolab/runner/record"
	"drolab/tui/kit"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
)

// The interface begins with what is live. Whether anything is takes a look at the folder, which
// comes after the first frame.

// liveMsg says how many runs of the folder have not ended, of how many.
type liveMsg struct{ live, all int }

// seekLive counts the runs that have not ended.
func (m *Model) seekLive() tea.Cmd {
	s := m.Source
	return func() tea.Msg {
		runs, _ := s.List()
		return liveMsg{countLive(runs), len(runs)}
	}
}

func countLive(runs []*record.Run) (n int) {
	for _, r := range runs {
		if !r.Status().Ended() {
			n++
		}
	}
	return n
}

// seekBegin finds out, where the interface begins with Launch, whether runs are live.
func (m *Model) seekBegin() tea.Cmd {
	if m.at != launchPage || m.Config.Kept != nil {
		return nil
	}
	return m.seekLive()
}

// begin turns to Watch where runs are live, unless a key was pressed meanwhile.
func (m *Model) begin(runs liveMsg) tea.Cmd {
	m.live, m.Newcomer = runs.live, runs.all == 0
	if runs.live == 0 || m.at != launchPage || !m.pressed.IsZero() || m.overlay != nil {
		return nil
	}
	return kit.Send(lab.Watch{})
}
