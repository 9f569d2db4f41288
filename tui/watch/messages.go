package watch

// The sentences that the page shows. Their names say when they are shown; a test reads them all.
const (
	noRunsYet            = "No runs yet"
	readingRuns          = "Reading the runs"
	readingLogs          = "Reading the logs"
	noneInCommon         = ": no evaluation in common yet"
	waitsForRun          = ": waits until a run ends; p on a running one lets it begin"
	asParent             = ", as its parent"
	replayChangesNothing = "A replay changes nothing"
	noRuns               = "No runs to watch. Start some on page 1, or select some on page 3"
	firstRun             = "This is the first run"
	lastRun              = "This is the last run"
	oneView              = "This panel has only one view"
	noValidation         = "No watched run has a validation split (see val_fraction)"
	noVertical           = "This panel has no vertical scale"
	logClosed            = "The log pane is closed. w opens it"
	unreadableSettings   = " has settings that this version cannot read"
	nothingTo            = "%s is %s: nothing to %s"
	elsewhere            = " runs in another process and can only be watched here"
	noReplay             = "No replay is running. R replays the watched runs, " +
		"or those selected on page 3"
	stillReading = "Still reading the runs"
	noSteps      = "This panel has no step axis. Tab goes to one that has"
	wholeAxis    = "The whole axis is in view"
	otherY       = "In a replay y goes to the next checkpoint"
	tooLarge     = "Too much for a clipboard: e writes it to a file"
	aboutSearch  = "Only lines with these words are shown. An empty line shows all."
	noSeedsAlike = "No two runs differ only in the seed"
	tooMany      = "%d runs found. %d are watched: the first seeds of as many settings as " +
		"there are colours"
	splitShown    = "Showing the "
	noBaseline    = "No baseline"
	baselineIs    = "Baseline: "
	changeSetting = "Change a setting of "
	smoothingIs   = "Smoothing: "
	styleIs       = "Curve style: "
	noOutput      = "no output was kept"
	noProgram     = "trains no program"
	marksMean     = "A vertical mark r is a resume from a checkpoint, k a changed setting, " +
		"and f the place where a fork leaves its parent."
	takesEffect = "Takes effect at the next step and is logged."
)
