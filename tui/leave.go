package tui

import (
	"fmt"
	"slices"

	"drolab/tui/kit"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
)

// askLeave leaves, or finds out first which runs of this program go on.
func (m *Model) askLeave() tea.Cmd {
	if m.Config.RunsGoOn {
		return tea.Quit
	}
	s, started := m.Source, m.Lab.Started()
	return func() tea.Msg { return leaveMsg{unfinishedRuns(s, started)} }
}

// leaveMsg says which runs of this process are live when leaving is asked for.
type leaveMsg struct{ live []string }

// unfinishedRuns returns those of the runs that have not ended.
func unfinishedRuns(s lab.Source, ids []string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		r, err := s.Find(id)
		return err != nil || r.Status().Ended()
	})
}

// leave ends the program; it asks first if runs of the program go on.
func (m *Model) leave(msg leaveMsg) tea.Cmd {
	if len(msg.live) == 0 {
		return tea.Quit
	}
	head := fmt.Sprintf(unfinished, kit.Plural(len(msg.live), "run"))
	return kit.Question("Quit?", kit.QuestionLines(head, msg.live, quitStops, resumeLater),
		kit.Answer{Keys: []string{"y", "ctrl+c"}, Name: "stop them and quit", Then: tea.Quit})
}
