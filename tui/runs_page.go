package tui

import tea "charm.land/bubbletea/v2"

// runsPane is the Runs page.
type runsPane struct{ *shared }

func newRunsPage(s *shared) page { return &runsPane{s} }

func (*runsPane) title() string          { return "Runs" }
func (*runsPane) enter() tea.Cmd         { return nil }
func (*runsPane) blocked(action) string  { return "the Runs page shows nothing yet" }
func (*runsPane) do(action) tea.Cmd      { return nil }
func (*runsPane) update(tea.Msg) tea.Cmd { return nil }
func (*runsPane) typing() bool           { return false }
func (*runsPane) view(w, h int) []string { return fill(nil, w, h) }
