package record

import (
	"drolab/runner/record/internal/checkpoint"
	"drolab/runner/record/internal/eventlog"
)

// Names inside a run directory.
const (
	logName         = eventlog.LogName
	lockName        = eventlog.LockName
	metaName        = "run.json"
	summaryName     = "summary.json"
	checkpointsName = checkpoint.FolderName

	deletedPrefix = ".deleted-" // of what is being removed and has no name any more
)
