package lab

import (
	"time"

	"drolab/runner/record"
	"drolab/tui/kit"
)

// Started is the answer to a request to start runs.
type Started struct {
	IDs    []string
	Err    error
	Parent string // of forks, the run that they come from
}

// Answered is the answer to something that was asked of one run: "pause",
// "resume", "stop", "checkpoint" or "knob".
type Answered struct {
	Verb, ID string
	Done     string // what has been done; empty: it was asked for
	Err      error
}

// Watch asks the Watch page to show these runs in place of what it shows; without IDs the newest,
// or all runs of Kept. With Replay they are shown as if they trained now.
type Watch struct {
	IDs    []string
	Replay *Replay
	// Ghost is the one of IDs that the others are raced against; "" is none.
	Ghost string
}

// Failed ends the interface: what it was opened for cannot be shown.
type Failed struct{ Err error }

// MaxWatched is the maximum number of runs that are watched at once: three seeds of as many
// configurations as there are colours.
const MaxWatched = 3 * kit.Colors

// Compare asks the Compare page for a table of these runs, as they stood a moment ago.
type Compare struct{ Runs []*record.Run }

// Listed brings all runs of the folder, newest first.
type Listed struct {
	Runs     []*record.Run
	Problems []error
	Took     time.Duration // time that reading them took
	Changed  time.Time     // when the folder had last changed, before they were read
}

// Fork asks for the form that starts a run from a checkpoint of another: the checkpoint nearest to
// the step Near, or the newest if Near is 0.
type Fork struct {
	Run  *record.Run
	Near int64
}

// Samples asks the Samples page for the samples that weigh most at a run's checkpoint.
type Samples struct{ Run *record.Run }
