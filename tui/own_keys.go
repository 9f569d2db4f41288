package tui

import (
	"slices"

	"drolab/runner/record"
	"drolab/tui/kit"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
)

// ownKeys returns the rows of the key table that all pages have.
func (m *Model) ownKeys() []kit.Key {
	leave := "quit; asks while runs of this program are live"
	if m.Config.RunsGoOn {
		leave = "quit; the runs continue, and drolab attach shows them again"
	}
	rows := []kit.Key{
		{Keys: kit.On(":"), Help: "find a command by name",
			Do: kit.Just(m.openPalette), Moves: true},
		{Keys: kit.On("?"), Hint: "help", Help: "show these keys", Do: kit.Just(m.openHelp),
			Last: true},
		{Keys: kit.On("q", "ctrl+c"), Hint: "quit", Help: leave, Do: m.askLeave, Last: true},
		{Keys: kit.On("ctrl+z"), Help: "suspend the program; the shell's fg resumes it",
			// from a guest it would suspend the program of the user who shares
			Do: func() tea.Cmd { return tea.Suspend }, Local: true},
		{Keys: kit.On("X"), Help: "stop all runs of the last start (asks)", Alters: true,
			Why: func() string {
				return kit.Unless(len(m.launched) > 0, noneStarted)
			},
			Do: func() tea.Cmd { return m.stopAll() }},
		{Keys: kit.On("]"), Help: "next page",
			Do: func() tea.Cmd { return m.turnTo(m.turned(+1)) }},
		{Keys: kit.On("["), Help: "previous page",
			Do: func() tea.Cmd { return m.turnTo(m.turned(-1)) }},
	}
	for i := range m.pages {
		rows = append(rows, kit.Key{Keys: kit.On(string(rune('1' + i))),
			Do: func() tea.Cmd { return m.turnTo(pageID(i)) }})
	}
	return rows
}

// stopAll asks, and then stops the runs of the last start that have not ended.
func (m *Model) stopAll() tea.Cmd {
	find := live(m.Source, m.launched)
	return func() tea.Msg {
		ids := find().(leaveMsg).live
		if len(ids) == 0 {
			return kit.Notice{Text: allEnded}
		}
		var stops []tea.Cmd
		for _, id := range ids {
			stops = append(stops, m.Ask("stop", id))
		}
		lines := slices.Concat([]string{kit.Plural(len(ids), "run") + ":", ""}, kit.Names(ids),
			[]string{"", savesFirst})
		return kit.Question("Stop all?", lines,
			kit.Choice{Keys: []string{"y"}, Name: "stop", Then: tea.Batch(stops...)})()
	}
}

// turned returns the page so many tabs further on; the first follows the last.
func (m *Model) turned(by int) pageID {
	n := len(m.pages)
	return pageID((int(m.at) + by + n) % n)
}

// picker is a page on which runs are selected.
type picker interface{ Chosen() []*record.Run }

// turnTo shows a page that the user asks for by its tab. Compare shows the runs selected on Runs.
func (m *Model) turnTo(id pageID) tea.Cmd {
	if p, ok := m.pages[runsPage].(picker); ok && id == comparePage && m.at != id {
		if runs := p.Chosen(); len(runs) > 0 {
			return kit.Send(lab.Compare{Runs: runs})
		}
	}
	return m.show(id)
}

func (m *Model) openPalette() { m.open((&palette{m: m, line: kit.NewInput("")}).overlay()) }

func (m *Model) openHelp() { m.open(m.help()) }

// askLeave leaves, or finds out first which runs of this program go on.
func (m *Model) askLeave() tea.Cmd {
	if m.Config.RunsGoOn {
		return tea.Quit
	}
	return live(m.Source, m.Lab.Started())
}

// blocked returns why a row's action cannot be done now; "" when it can.
func (m *Model) blocked(row *kit.Key) string {
	if why := m.barred(row); why != "" {
		return why
	}
	if m.at == watchPage && m.watch.Replaying() && row.Alters {
		return replayReadOnly
	}
	return row.Blocked()
}

// barred returns why this view never does a row's action; "" if it may.
func (m *Model) barred(row *kit.Key) string {
	switch {
	case m.Config.ReadOnly && row.Alters:
		return readOnly
	case m.Config.Guest && row.Local:
		return guest
	}
	return ""
}

// The messages that stay in this package; the others are in tui/kit and tui/lab.

// doMsg asks for the action of a row of the key table, on its page.
type doMsg struct {
	*kit.Key
	page pageID // the page of the key
}

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
