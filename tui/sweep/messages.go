package sweep

// The sentences that the page shows. A constant's name says when its sentence is shown; a test
// reads all of them.
const (
	noSweep       = "No sweep here yet"
	noneBegun     = "No run of this setting has started"
	noneFinished  = "Nothing chosen yet: no setting has finished"
	oneVaries     = "Only one setting varies"
	noOtherSweep  = "No other sweep in the runs folder"
	stopElsewhere = "Stop it with drolab sweep stop"
	sweepOver     = "The sweep has finished"
	writeSweep    = "Write the settings to vary into a file, then start it:"
	exampleSweep  = "drolab help sweep start shows an example."
	readingSweep  = "Reading the sweep"
	stopsRuns     = "Live runs save a checkpoint and end. No more start."
	startsAgain   = "drolab sweep start continues the sweep."
)
