package compare

import (
	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/record"
	"drolab/tui/lab"
)

// comparedMsg brings the table of the runs that were asked for.
type comparedMsg struct {
	live   bool   // a run of the folder has not ended; where nothing was selected
	preset string // of what was compared, where nothing was selected
	runs   []*record.Run
	table  *compare.Table
	diffs  []compare.KeyDiff // settings in which the rows differ, a value a row
	logs   []lab.Log         // of the runs
	round  int               // of the question; an older one is stale
}

// curvesMsg brings evaluations, and resumes.
type curvesMsg struct {
	parts []curvePart
	next  int  // the log that is read next
	end   bool // there is no more
	round int
	err   error
}

// Changes is at the end: hundreds of runs cost more to draw than they tell half-way.
func (m curvesMsg) Changes() bool { return m.end }

// News is no run's.
func (curvesMsg) News() bool { return false }

// curvePart is of one run: an index into the runs of comparedMsg.
type curvePart struct {
	run    int
	events []runner.Event
}
