package launch

import (
	"drolab/runner/data/source"
	"drolab/tui/kit"
)

// The messages of the page to itself (tea.Msg): what its commands bring. Messages between pages are
// in tui/lab.

// beginMsg says that the reviewed runs are to be started.
type beginMsg struct{}

// datasetsMsg brings the datasets of a machine, by name, or the reason why they are not known.
type datasetsMsg struct {
	where   string // the name of a box; "" is this machine
	entries map[string]source.Entry
	err     error
}

// warningsMsg says what the runs of a review would warn of.
type warningsMsg struct {
	of *kit.Overlay
	warnings
}
