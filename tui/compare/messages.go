package compare

// The sentences that the page shows. A constant's name says when its sentence is shown; a test
// reads all of them.
const (
	noneDone      = "Nothing to compare yet: no run has finished."
	selectThere   = "Select runs on page 3 with the space bar and press c there."
	readingRuns   = "Reading the runs"
	readingCurves = "reading the curves"
	nothingYet    = "Nothing to compare yet. Select finished runs on page 3"
	noOneRule     = "These runs have not all selected a step by the same rule (see the " +
		"setting select)"
	newestAlready = "This is the newest experiment already"
	allLines      = "Every line is in view"
	noMoreLeft    = "No more columns on the left"
	noMoreRight   = "No more columns on the right"
	damagedCurves = ". Its curve lacks that part. The table is of its summary"
	fair          = "Same data, budget, program and seeds."
)
