package tui

import (
	"drolab/runner/lists"
	"drolab/runner/record"
	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
)

// commonKeys returns the rows of the key table that all pages have.
func (m *Model) commonKeys() []kit.Key {
	leave := "quit; asks while runs of this program are live"
	if m.Config.RunsGoOn {
		leave = "quit; the runs continue, and " + m.Config.Place.Command("drolab attach") +
			" shows them again"
	}
	rows := []kit.Key{
		{Keys: kit.On(":", "ctrl+p"),
			Help: "find a key, page, panel, preset, setting, run or definition",
			Act:  m.openPalette, Moves: true, Group: kit.ToStart},
		m.alertKey(),
		m.boxKey(),
		{Keys: kit.On("?"), Hint: "help", Help: "show these keys", Last: true, Group: kit.ToLook,
			Act: kit.Just(func() { m.open(m.help()) })},
		{Keys: kit.On("q", "ctrl+c"), Hint: "quit", Help: leave, Act: m.askLeave, Last: true},
		{Keys: kit.On("esc"), Group: kit.ToLeave, Help: "back to the page that led here",
			Why: m.noLead, Act: m.goBack},
		{Keys: kit.On("ctrl+z"), Help: "suspend the program; the shell's fg resumes it",
			// from a shared view it would suspend the program of the user who shares
			Act: func() tea.Cmd { return tea.Suspend }, Local: true, Group: kit.ToLeave},
		{Keys: kit.On("X"), Help: "stop all runs of the last start (asks)", Alters: true,
			Why: m.noStopAll, Act: m.stopAll},
		{Keys: kit.On("]"), Help: "next page", Group: kit.ToLeave,
			Act: func() tea.Cmd { return m.turnTo(m.pageAfter(+1)) }},
		{Keys: kit.On("["), Help: "previous page", Group: kit.ToLeave,
			Act: func() tea.Cmd { return m.turnTo(m.pageAfter(-1)) }},
	}
	for i := range m.pages {
		rows = append(rows, kit.Key{Keys: kit.On(string(rune('1' + i))),
			Act: func() tea.Cmd { return m.turnTo(pageID(i)) }})
	}
	return rows
}

// noStopAll says why there are no runs to stop.
func (m *Model) noStopAll() string {
	return kit.Unless(len(m.launched) > 0, "Nothing has been started here")
}

// stopAll asks, and then stops the runs of the last start that have not ended.
func (m *Model) stopAll() tea.Cmd {
	s, launched := m.Source, m.launched
	return m.Opening(func() tea.Msg {
		runs := unfinishedRuns(s, launched)
		if len(runs) == 0 {
			return kit.Notice{Text: "All runs of the last start have ended"}
		}
		ids := lists.Map(runs, func(r *record.Run) string { return r.Meta.ID })
		head := kit.Plural(len(runs), "run")
		if box := m.BoxOf(runs[0].Meta.ID); box != "" {
			head += " on box " + cell.OneLine(box)
		}
		lines := kit.QuestionLines(head+":", lists.Map(runs, lab.Describe),
			"Each saves a checkpoint first, and can be resumed.")
		return kit.Open{Overlay: kit.NewQuestion("Stop all?", lines,
			kit.Answer{Keys: []string{"y"}, Name: "stop", Then: m.AskAll("stop", ids)})}
	})
}

// pageAfter returns the page so many tabs further on; the first follows the last.
func (m *Model) pageAfter(by int) pageID {
	n := len(m.pages)
	return pageID((int(m.current) + by + n) % n)
}

// picker is a page on which runs are selected.
type picker interface{ Chosen() []*record.Run }

// turnTo shows a page that the user asks for by its tab. Compare shows the runs selected on Runs.
func (m *Model) turnTo(id pageID) tea.Cmd {
	if p, ok := m.pages[runsPage].(picker); ok && id == comparePage && m.current != id {
		if runs := p.Chosen(); len(runs) > 0 {
			return m.answer(lab.Compare{Runs: runs})
		}
	}
	delete(m.led, id)
	return m.show(id)
}

// blockReason returns why a row's action cannot be done now; "" when it can. The row itself says
// that it is blocked, or "".
func (m *Model) blockReason(row *kit.Key, blocked string) string {
	replay := m.current == watchPage && m.watch.Replaying() && row.Alters
	switch bar := m.barReason(row); {
	case bar != "":
		return bar
	case replay:
		return "A replay is read-only. R ends it"
	}
	return blocked
}

// barReason returns why this view never does a row's action; "" if it may.
func (m *Model) barReason(row *kit.Key) string {
	switch {
	case m.Config.Shared && (row.Alters || row.Local):
		return "Only the owner of these runs can do this. Your view is shared, for reading"
	case m.Config.ReadOnly && row.Alters:
		return "This view is read-only. Use " + m.Config.Place.Command("drolab attach") +
			" to make changes"
	}
	return ""
}
