package lab

import (
	"slices"
	"time"

	"drolab/runner"
	"drolab/runner/record"
	"drolab/tui/kit"

	tea "charm.land/bubbletea/v2"
)

// Listed brings all runs of the folder, newest first.
type Listed struct {
	Runs     []*record.Run
	Problems []error
	Took     time.Duration // time that reading them took
	Changed  time.Time     // when the folder had last changed, before they were read

	boxes int64 // changes of the runs of boxes before that
}

// Unchanged says that the folder has the runs that it had.
type Unchanged struct{}

// Over brings runs that were live and have ended, as they are now.
type Over struct{ Runs []*record.Run }

// Gone says that runs which pages hold are not in their folder any more: they were deleted, here or
// by another program, on this machine or on a box. Every page drops them.
type Gone struct{ Runs []*record.Run }

// Has reports whether a run is gone.
func (g Gone) Has(r *record.Run) bool {
	return slices.ContainsFunc(g.Runs, func(o *record.Run) bool { return o.Dir == r.Dir })
}

// HasID reports whether the run with an ID is gone.
func (g Gone) HasID(id string) bool {
	return slices.ContainsFunc(g.Runs, func(o *record.Run) bool { return o.Meta.ID == id })
}

// Notice says which runs have left the pages.
func (g Gone) Notice() string {
	if len(g.Runs) == 1 {
		return g.Runs[0].Meta.ID + " was deleted. No page shows it any more"
	}
	return kit.Plural(len(g.Runs), "run") + " were deleted. No page shows them any more"
}

// Ended says that a watched run is done or has failed.
type Ended struct {
	Name   string
	Status runner.Status
}

// Started is the answer to a request to start runs.
type Started struct {
	IDs    []string
	Err    error
	Parent string // of forks, the run that they come from
	Box    string // that has them; "" is this machine
}

// Heeded says that runs are to be started, after a question that came before it.
type Heeded struct {
	Starting string // what is asked for, in words
	Begin    tea.Cmd
}

// Answered is the answer to something that was asked of one run: "pause",
// "resume", "stop", "checkpoint" or "knob".
type Answered struct {
	Verb, ID string
	Done     string // what has been done; empty: it was asked for
	Err      error
}

// AllAnswered brings the answers to something that was asked of several runs at once.
type AllAnswered []Answered

// Watch asks the Watch page to show these runs in place of what it shows; without IDs the newest,
// or all runs of Config.FixedRuns. With Replay they are shown as if they trained now.
type Watch struct {
	IDs    []string
	Replay *Replay
	// Parent is the one of IDs that the others are forks of; "" is none.
	Parent string
}

// Film asks for the film, and Prepare asks the Launch page to review the start of a preset.
type (
	Film    struct{}
	Prepare struct{ Preset string }
)

// Failed ends the interface: what it was opened for cannot be shown.
type Failed struct{ Err error }

// Compare asks the Compare page for a table of these runs, as they stood a moment ago.
type Compare struct{ Runs []*record.Run }

// Fork asks for the form that starts a run from a checkpoint of another: the checkpoint nearest to
// the step Near, or the newest if Near is 0.
type Fork struct {
	Run  *record.Run
	Near int64
}

// Samples asks the Samples page for the samples that weigh most at a run's checkpoint.
type Samples struct{ Run *record.Run }
