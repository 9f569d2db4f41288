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
// and the numbers of Slurm jobs.
//
// The sweep's own files are the list, a copy of the user's file, and the files below
// .sweep. Each is whole at every moment and has a checksum. One lock guards the
// list, the requests to an engine, and submissions, so that simultaneous starts in one
// folder make one sweep (Folder.WithLock).
//
// It is not a scheduler: queue.Queue schedules runs on this machine, and Slurm on a
// cluster. It trains nothing and measures nothing.
//
// Start at file.go for the file, at work.go and task.go for training, and at choose.go for
// the result.
//
// # Files
//
//	file.go       the sweep file: preset, set, grid, random, seeds, select, halving, sbatch,
//	              setup; its errors by line
//	random.go     settings that are drawn: log, uniform, whole, or of a list
//	expand.go     all settings, with their seeds; settings that no method reads
//	runid.go      the name of a run: readable words and a hash of its settings
//	list.go       List, which sweep.json holds: the resolved runs, their labels, approved programs
//	folder.go     the folder, made, grown and locked: writes sweep.json (update) and sweep.yaml
//	find.go       the sweeps in a folder of runs
//	checkdata.go  before a start: whether settings have a validation split to be chosen by
//
//	work.go        runs trained here, a few at a time; failed ones once more
//	enginetask.go  here.json: what an engine is asked to train, and how many at once (drolab sweep
//	               start, stop)
//	task.go        drolab sweep task: one run in a process of its own, until its stage or time
//	               ends, then requeued; limits-RUN
//	refusal.go     refused-RUN: why a run could not begin
//	halving.go     rungs (successive halving): which settings go on, by validation; rung-N.json
//	choose.go      drolab sweep table: the best setting of each method by validation, test figures
//	               of these, notes on ties
//
//	progress.go  the state of each run: missing, dropped, waiting or its own; its figures
//	overview.go  drolab sweep status: setting by setting, with troubles
//	pace.go      how long a sweep still takes
//	examine.go   drolab doctor for a sweep's own files, and --mend
//
//	batch.go    job arrays: time and memory that runs ask of Slurm, in classes
//	options.go  options of sbatch that a site demands, and which of them a foreign file may give
//	submit.go   sbatch: arguments, jobs.json, a submission that a crash left; times as Slurm writes
//	            them
//	slurm.go    squeue, scontrol and sacct: tasks of a sweep, cancelled, requeued, holders of
//	            leases; the site's size of arrays
package sweep
