package tui

import (
	"fmt"

	"drolab/runner/lists"
	"drolab/runner/record"
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
	return m.Opening(func() tea.Msg { return leaveMsg{unfinishedRuns(s, started)} })
}

// unfinishedRuns returns those of some runs that have not ended.
func unfinishedRuns(s lab.Source, ids []string) (runs []*record.Run) {
	for _, id := range ids {
		if r, err := s.Find(id); err == nil && !r.Status().Ended() {
			runs = append(runs, r)
		}
	}
	return runs
}

// leave ends the program; it asks first if runs of the program go on.
func (m *Model) leave(msg leaveMsg) tea.Cmd {
	if len(msg.live) == 0 {
		return tea.Quit
	}
	head := fmt.Sprintf("Unfinished: %s of this program", kit.Plural(len(msg.live), "run"))
	lines := kit.QuestionLines(head, lists.Map(msg.live, lab.Describe),
		"Quitting saves a checkpoint and stops them.",
		m.Config.Place.Command("drolab resume RUN")+" continues from there.")
	return m.Question("Quit?", lines,
		kit.Answer{Keys: []string{"y", "ctrl+c"}, Name: "stop them and quit", Then: tea.Quit})
}
