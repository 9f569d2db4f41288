package watch

import (
	"slices"
	"time"

	"drolab/runner"
	"drolab/runner/eventlog"
	"drolab/runner/machine"
	"drolab/tui/lab"
	"drolab/tui/watch/panel"
)

// The messages of the page to itself (tea.Msg): what its commands bring. The panel of samples has
// its own, panel.Fetched and panel.Next. Messages between pages are in tui/lab.

// openMsg brings the runs that lab.Watch asks for. Problems do not take the place of runs: the runs
// that could be opened are watched, and the first problem is shown.
type openMsg struct {
	request  int            // the number of the request that this answers
	runs     []panel.RunLog // the runs to watch
	found    int            // the number of runs that were found, of which runs has some
	wanted   lab.Watch      // what was asked for
	colors   lab.Colors     // the colours of the folder; nil leaves them as they were
	problems []error        // one for each name or directory
}

// readMsg brings the events that were appended to the logs of the watched runs. Every read is
// answered by one readMsg, even if nothing is new, because it ends the read.
type readMsg struct {
	parts     []runNews
	unread    string    // the run whose log comes next; "": all were read
	round     int       // the number of the set of runs that was read; an older one is stale
	fromStart bool      // whether the logs were read from their start
	tick      time.Time // the time of the tick that asked, by which turns come
	unshown   bool      // whether something read before is not shown everywhere
}

// Changes reports whether the screen may look different. The model keeps the last frame where it
// does not, which makes an idle minute cheap. A part that waits for its turn counts, or the turn
// would pass unseen.
func (m readMsg) Changes() bool { return m.unshown || m.brings() }

// brings reports whether there is something new to show: events, an error, a status from a
// directory, or a run that is read again. Turns are counted by it.
func (m readMsg) brings() bool {
	return m.News() || slices.ContainsFunc(m.parts,
		func(p runNews) bool { return p.err != nil || p.status != "" || p.again != nil })
}

// News reports whether a run logged something. The model looks less often at logs without news for
// a while.
func (m readMsg) News() bool {
	return slices.ContainsFunc(m.parts, func(p runNews) bool { return len(p.events) > 0 })
}

// runNews is the news of one run. It names its run by ID, because a command has no reference into
// the page.
type runNews struct {
	id     string
	events []runner.Event
	status runner.Status // as a fresh look at the directory says; "" without one
	err    error
	log    eventlog.Log  // the log that was read
	again  *panel.RunLog // the run, to be read from its start, if lost lines have come; or nil
}

// followMsg has a column of panels follow the cursor: see follow.
type followMsg struct {
	move   int // the move of the cursor that it belongs to
	column int // from the left
}

// outputMsg brings the output of a program.
type outputMsg struct {
	id, problem string
	lines       []string
	changes     bool
}

// Changes reports whether the output differs from before.
func (m outputMsg) Changes() bool { return m.changes }

// machineMsg brings samples of what the machine did during a run.
type machineMsg struct {
	run     string
	samples []machine.Sample
	next    int64 // the place in the run's record behind the samples
}

// Changes reports whether there is anything to show.
func (m machineMsg) Changes() bool { return len(m.samples) > 0 }
