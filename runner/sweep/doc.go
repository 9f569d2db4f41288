// Package sweep is many runs that differ in some settings: a file says which,
// and its folder is a runs folder like any other, in which they lie as ordinary
// runs. It starts what is missing, here or on a Slurm cluster, tells how far it
// has come, and chooses a setting for each method on the validation split.
//
//	sweep.yaml --Parse--> File --Expand--> []Setting, a Spec each --> List --> DIR/sweep.json
//	DIR --Work--> queue.Queue (this machine) ─┐
//	    --Task--> one run of the list (a job)  ├─> DIR/<run>/ --Look--> states --Choose--> Table
//	    --Scripts--> sbatch, which calls Task ─┘
//
// A run's name has the hash of its resolved Spec. The file system therefore says whether a run
// exists, and lets only one process make it. Anybody who sees the disk may repeat any step here,
// and a repeat does only the work that is missing. Beside the runs' folders, two things are
// remembered: the decisions of rungs (halving.go) and the Slurm jobs.
//
// The sweep's own files are the list, a copy of the person's file and what is below .sweep. Each
// is whole at every moment and has a checksum (damage.go). One lock guards changes of the list,
// of the engine's orders and of the submitted jobs, so that simultaneous starts in one folder
// make one sweep (Folder.Alone).
//
// It is not a scheduler: here queue.Queue is one, and on a cluster Slurm is. It
// trains nothing and measures nothing.
//
// Start at file.go for the sweep file, at work.go and task.go for the training, and at choose.go
// for the result.
package sweep
