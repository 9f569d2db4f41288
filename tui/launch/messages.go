package launch

import "drolab/runner/data/source"

// The messages of the page to itself (tea.Msg): what its commands bring. Messages between pages are
// in tui/lab.

// beginMsg says that the reviewed runs are to be started.
type beginMsg struct{}

// datasetsMsg brings the datasets found in the data folder, by name.
type datasetsMsg struct{ entries map[string]source.Entry }
