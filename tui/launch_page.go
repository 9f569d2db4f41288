package tui

import tea "charm.land/bubbletea/v2"

// launchPane is the Launch page.
type launchPane struct{ *shared }

func newLaunchPage(s *shared) page { return &launchPane{s} }

func (*launchPane) title() string          { return "Launch" }
func (*launchPane) enter() tea.Cmd         { return nil }
func (*launchPane) blocked(action) string  { return "the Launch page shows nothing yet" }
func (*launchPane) do(action) tea.Cmd      { return nil }
func (*launchPane) update(tea.Msg) tea.Cmd { return nil }
func (*launchPane) typing() bool           { return false }
func (*launchPane) view(w, h int) []string { return fill(nil, w, h) }
