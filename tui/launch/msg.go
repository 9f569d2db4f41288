package launch

import (
	"drolab/runner/data"
)

// beginMsg says that what was reviewed shall be started.
type beginMsg struct{}

// datasetsMsg brings what the data folder has, by name.
type datasetsMsg struct{ entries map[string]data.Entry }
