package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// maxWatched is how many runs are watched at once: as many as there are
// colours.
const maxWatched = colors

// watch is the Watch page.
type watch struct {
	*shared
}

func newWatch(s *shared) *watch { return &watch{shared: s} }

func (*watch) title() string          { return "Watch" }
func (*watch) enter() tea.Cmd         { return nil }
func (*watch) blocked(action) string  { return "no run is watched" }
func (*watch) do(action) tea.Cmd      { return nil }
func (*watch) update(tea.Msg) tea.Cmd { return nil }
func (*watch) typing() bool           { return false }
func (*watch) view(w, h int) []string { return fill(nil, w, h) }
func (*watch) digest() string         { return "" }
func (*watch) read(time.Time) tea.Cmd { return nil }
