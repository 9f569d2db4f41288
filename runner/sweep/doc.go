// Package sweep is many runs that differ in some settings. A file lists the settings, and
// the sweep's folder is an ordinary runs folder with ordinary runs. The package starts the
// missing runs, here or on a Slurm cluster, reports progress, and chooses a setting for
// each method on the validation split.
//
//	sweep.yaml --Parse--> File --Expand--> []Setting, a Spec each --> List --> DIR/sweep.json
//	DIR --Work--> queue.Queue (this machine) ─┐
//	    --Task--> one run of the list (a job)  ├─> DIR/<run>/ --Progress--> states --Choose--> Table
//	    --Submit--> sbatch, which calls Task  ─┘
//
// A run is identified by the hash of its resolved Spec, which is a part of its name. The
// file system decides whether it exists, and lets one process alone make it. So every
// operation may be repeated, on any machine that sees the disk, and does only the missing
// work. The runs' folders hold all of the sweep's state, except the decisions of rungs
// (halving.go) and the numbers of Slurm jobs.
//
// The sweep's own files are the list, a copy of the user's file, and the files below
// .sweep. Each is whole at every moment and has a checksum (folder.go). One lock guards the
// list, the requests to an engine, and submissions, so that simultaneous starts in one
// folder make one sweep (Folder.WithLock).
//
// It is not a scheduler: queue.Queue schedules runs on this machine, and Slurm on a
// cluster. It trains nothing and measures nothing.
//
// Start at file.go for the file, at work.go and task.go for training, and at choose.go for
// the result.
package sweep
