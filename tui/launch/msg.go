package launch

import (
	"drolab/runner/data"
)

// datasetsMsg brings what the data folder has, by name.
type datasetsMsg struct{ entries map[string]data.Entry }
