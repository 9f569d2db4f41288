package launch

import (
	"drolab/runner/data/source"
	"drolab/tui/kit"
)

// The messages of the page to itself (tea.Msg): what its commands bring. Messages between pages are
// in tui/lab.

// beginMsg says that the reviewed runs are to be started.
type beginMsg struct{}

// datasetsMsg brings the datasets found in the data folder, by name.
type datasetsMsg struct{ entries map[string]source.Entry }

// warningsMsg says what the runs of a review would warn of.
type warningsMsg struct {
	of *kit.Overlay
	warnings
}
