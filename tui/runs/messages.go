package runs

// The sentences that the page shows. A constant's name says when its sentence is shown; a test
// reads all of them.
const (
	noMatch        = "No runs match. Esc clears the filter"
	newestOf       = "the newest of %d seeds"
	newestRun      = "the newest of %d runs"
	seedsFolded    = "seeds folded: mean ± deviation"
	foldedBy       = "folded by %s: mean ± deviation over seeds"
	noCheckpoint   = "This run has no checkpoint to fork from"
	branchFrom     = "The branch starts there. The run has %s."
	otherSettings  = "Other settings, as in algorithms=[sfk] rho=1."
	trainingReads  = "The training of %s reads it."
	reportReads    = "Only the report of %s reads it: no training step changes."
	reportOnly     = "report only"
	nothingReads   = "%s does not read it: nothing changes."
	onlyFinished   = "Only finished runs can be compared"
	onlyUnfinished = "Only paused or unfinished runs can be resumed"
	stopFirst      = "A live run cannot be deleted. Stop it first"
	noRun          = "No run here"
	firstRun       = "This is the first run"
	lastRun        = "This is the last run"
	noSeedsAlike   = "No two runs differ only in the seed"
	otherProcess   = "It runs in another process and can only be changed there"
	hasEnded       = "The run has ended"
	aboutFold      = "Runs that agree in the chosen settings share a line. With none chosen " +
		"it is all settings but the seed."
	aboutNote   = "One line kept with the run. Filters find its words."
	aboutTags   = "Words to add; -word removes one. The filter tag:word finds them."
	aboutValues = "last, best (each measure at its own best) or an epoch, such as 12:"
	savesFirst  = "Each saves a checkpoint first, and can be resumed."
	cannotUndo  = "This cannot be undone: curves, checkpoints and figures are deleted."
	archived    = "%s archived (archived:true lists them)"
)
