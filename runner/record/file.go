package record

// Names inside a run directory.
const (
	metaName        = "run.json"
	logName         = "events.jsonl"
	summaryName     = "summary.json"
	lockName        = "lock"
	checkpointsName = "checkpoints"

	deletedPrefix = ".deleted-" // of what is being removed and has no name any more
)
