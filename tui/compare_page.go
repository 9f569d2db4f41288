package tui

import tea "charm.land/bubbletea/v2"

// comparePane is the Compare page.
type comparePane struct{ *shared }

func newComparePage(s *shared) page { return &comparePane{s} }

func (*comparePane) title() string          { return "Compare" }
func (*comparePane) enter() tea.Cmd         { return nil }
func (*comparePane) blocked(action) string  { return "the Compare page shows nothing yet" }
func (*comparePane) do(action) tea.Cmd      { return nil }
func (*comparePane) update(tea.Msg) tea.Cmd { return nil }
func (*comparePane) typing() bool           { return false }
func (*comparePane) view(w, h int) []string { return fill(nil, w, h) }
