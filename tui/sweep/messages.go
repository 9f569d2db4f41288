package sweep

import (
	"time"

	"drolab/runner/record"
	"drolab/runner/sweep"
)

// The messages of the page to itself (tea.Msg): what its commands bring. Messages between pages are
// in tui/lab.

// foundMsg brings the folders of the sweeps.
type foundMsg struct{ dirs []string }

// lookedMsg brings the state of a sweep, as of a look.
type lookedMsg struct {
	lookTime time.Duration // of the look
	reader   *reader
	list     *sweep.List
	all      *sweep.Overview
	table    *sweep.Table
	left     time.Duration
	timed    bool // whether left is known
	live     []*record.Run
	over     bool // nothing is left to do
	slurm    bool // jobs were submitted
	note     string
	err      error
}

// stoppedMsg brings the result of stopping a sweep.
type stoppedMsg struct {
	dir string
	err error
}
