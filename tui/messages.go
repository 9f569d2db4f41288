package tui

// The sentences that all pages share. A name says when its sentence is shown; a test reads them
// all.
const (
	findCommand     = "Find a command"
	otherPage       = "%s works on page %d, %s: %s"
	unfinished      = "Unfinished: %s of this program"
	quitStops       = "Quitting saves a checkpoint and stops them."
	resumeLater     = "drolab resume RUN continues from there."
	screenTooSmall  = "too small: %dx%d needed"
	noneStarted     = "Nothing has been started here"
	allEnded        = "All runs of the last start have ended"
	savesFirst      = "Each saves a checkpoint first, and can be resumed."
	replayRefusal   = "A replay is read-only. R ends it"
	viewDamaged     = "The view kept for this folder is damaged and was ignored"
	viewReadOnly    = "This view is read-only: it cannot start, change or delete runs."
	askedTo         = "Asked to "
	noCommand       = "No matching command"
	liveRuns        = "%d live"
	sharedRefusal   = "This shared view reads runs and no other files"
	readOnlyRefusal = "This view is read-only. Use drolab attach to make changes"
)
