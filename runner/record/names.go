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

	deletedPrefix = ".deleted-" // begins the names of directories that are being removed
)
