package compare

import (
	"drolab/runner"
	"drolab/runner/compare"
)

// The messages of the page to itself (tea.Msg): what its commands bring. Messages between pages are
// in tui/lab.

// comparedMsg brings a table of runs.
type comparedMsg struct {
	comparison
	round int // the number of the question; an older answer is stale
}

// curvesMsg brings the evaluations of some runs that stand.
type curvesMsg struct {
	table *compare.Table // of the runs
	from  int            // the first of the runs, by its place in compared
	evals [][]*runner.EvalEvent
	end   bool // all logs are read
	err   error
}

// damagedMsg says whether a damaged log of the table has become another.
type damagedMsg bool

// Changes reports that nothing on the screen has changed by a look.
func (damagedMsg) Changes() bool { return false }
