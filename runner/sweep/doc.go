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
// A run is known by the hash of its resolved Spec, which is a part of its name:
// that it exists, and that only one process makes it, is the file system's to
// say. So everything here may be done again, by anybody who sees the disk, and
// does only what is missing; nothing is remembered that the runs' folders do not
// say, but what rungs have decided (halving.go) and which Slurm jobs there are.
//
// The sweep's own files are the list, a copy of the person's file and what is below
// .sweep. Each is whole at every moment and has a checksum (damage.go). Who changes the
// list, what an engine is asked for, or what is submitted, holds one lock meanwhile, so
// that starts at once in one folder make one sweep (Folder.Alone).
//
// It is not a scheduler: here queue.Queue is one, and on a cluster Slurm is. It
// trains nothing and measures nothing.
//
// Start at file.go for what is swept, at work.go and task.go for how it is done,
// and at choose.go for what comes out.
package sweep
