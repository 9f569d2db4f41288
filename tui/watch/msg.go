package watch

import (
	"slices"
	"time"

	"drolab/runner"
	"drolab/runner/record"
	"drolab/tui/lab"
	"drolab/tui/watch/track"
)

// openMsg brings the runs that lab.Watch asks for. Problems do not take the place of runs: what
// could be opened is watched, and the first problem is shown.
type openMsg struct {
	asked    int            // which question this answers
	runs     []track.Opened // those to watch
	found    int            // how many there are, of which runs are some
	replay   *lab.Replay    // how they are replayed; nil shows them as they are
	colors   lab.Colors     // of the folder; nil as they were
	problems []error        // one for each name or directory
}

// readMsg brings what was appended to the logs of the watched runs. Every read is answered by
// one, also where nothing is new: reading is over with it.
type readMsg struct {
	parts  []part
	unread int       // the run whose log comes next; 0: all were read
	round  int       // of the watched set that was read; an older one is stale
	again  bool      // the logs were read from their start
	at     time.Time // of the tick that asked, by which turns are told
	owed   bool      // something read before is not shown everywhere
}

// part is what is new of one run. It names its run by id, as a command has no
// reference into the page.
type part struct {
	id      string
	events  []runner.Event
	skipped int           // lines of the log that are no events, so far
	share   float64       // of the log that was read, so far
	status  runner.Status // as a fresh look at the directory says; "" without one
	err     error
	tape    *record.Tape // of a replay
	log     lab.Log      // that was read
}

// Changes tells whether the screen may look different. The model keeps the last frame where it
// does not, which makes an idle minute cheap. A part that waits for its turn counts, or the
// turn would pass unseen.
func (m readMsg) Changes() bool {
	return m.owed || m.brings()
}

// brings tells whether there is something to show that was not there before: events, an error, or
// what a directory says. It is what a turn is counted by.
func (m readMsg) brings() bool {
	return m.News() || slices.ContainsFunc(m.parts,
		func(p part) bool { return p.err != nil || p.status != "" })
}

// News tells whether a run logged something. The model looks less often at logs that have had
// none for a while.
func (m readMsg) News() bool {
	return slices.ContainsFunc(m.parts, func(p part) bool { return len(p.events) > 0 })
}
