// Package record is the run directory: it writes the files of a run and reads them back, while the
// run lives, after it ended, and after it crashed.
//
//	<id>/run.json        runner.Meta: what made the run; it never changes
//	<id>/events.jsonl    whose it is, then one event a line, one write each; the truth
//	<id>/checkpoints/    step-0000000120.safetensors (weights), then .json (the rest);
//	                     an empty step-0000000120.pin marks a checkpoint that stays;
//	                     step-0000000120.program, in place of tensors, is what a program saved
//	<id>/system.jsonl    what the machine did, bounded; no other file depends on it (machine.go)
//	<id>/program.log     what a program printed, bounded; <id>/scratch is its folder meanwhile
//	<id>/summary.json    runner.Summary: the results of the run, rewritten after a resume
//	<id>/events.index.gz a long log in short, for curves: derived, and made anew if need be
//	<id>/label.json      what people say of the run: note, tags, archived
//	<id>/claims.json     the claims of studies that took the run over; run.json has those of the
//	                     study that started it
//	<id>/mirrored.json   only in a mirror: what the run's own machine says of it
//	<id>/lock            held for as long as a process records the run, or deletes it
//
// The writing side is a Store, the Recorder that it makes, the pins, the label and the claims of a
// Run, and Delete. The reading side is Run, Tail, Lineage and Progress. They share nothing but the
// files. Any number of readers may watch, none can slow or block a writer, and the same code reads
// a run on another machine's shared disk. Readers treat every file as hostile: they skip what is
// torn, damaged or of a newer program, their memory is bounded, and no content of a file makes them
// panic. Run.PassedOver says what they skipped. Whoever reads a checkpoint holds it meanwhile
// (pin.go).
//
// The order of writes decides what a crash leaves. A file that is replaced is written aside, synced
// and renamed. A line of the log counts once it is whole. A new state or setting of the run is
// announced once its line is on the disk. A checkpoint counts once its JSON is there, which is
// written last and holds the checksum of the weights beside it. A directory gets its name once it
// is complete, and loses the name before it is removed. A fork's directory is complete when it
// holds the checkpoint that the fork continues from. The log says how a run ended once the summary
// is there.
//
// Every line, JSON file and weights file has a checksum (runner/disk). Every file says whose it
// is, and a checkpoint and the summary say how much of the log they go with (owner.go, verify.go).
// Viewers pass over what was changed since it was written. A resume, and whoever prints figures,
// fails with an error that names the file and the line (runner/eventlog/audit.go). Files are opened
// only by their names in the run's folder, and never through links: a run may come from anybody.
// Examine looks after a folder of runs (doctor.go). disk.Files keeps the files that concern many
// runs in the same manner, such as a sweep's list.
//
// The log alone says how a run stands: History folds its events from the first one on, or from the
// last one backward, with the same result.
//
// A finished run packs into one small file (packed.go), which is read by the same code: its log is
// a Tail, too.
//
// The package is not a database: what it knows of runs is what the directories say at that moment.
// A Catalogue remembers what it has read of runs that have ended, for as long as their files stay
// unchanged. The package decides nothing about training.
//
// Every file operation of a writer goes through the interface atomicfile.Disk. Tests replace it by
// a disk that fails, is killed or loses its power at each of these operations (atomicfiletest,
// points_test.go).
//
// Two packages beside it hold parts, and neither knows the whole folder of a run: runner/disk has
// files, locks and seals, runner/eventlog the log.
//
// Start reading at store.go for writing and at run.go for reading.
//
// # Who writes which file
//
//	run.json               writeFirstFiles, store.go
//	events.jsonl           recorder.Append, recorder.go (the lines: runner/eventlog/writer.go);
//	                       warnings of a resume: recorder.warn, store.go
//	checkpoints/*.json     writeCheckpoint, checkpoint.go (method state: methodstate.go)
//	*.safetensors          writeTensors, tensors.go
//	*.program              opaque.go
//	*.pin                  pinCheckpoint, pin.go
//	summary.json           recorder.Finish, recorder.go; a lost one: summarise, doctor.go;
//	                       read by readsummary.go
//	events.index.gz        runner/eventlog/indexer.go, at the calls of recorder.go
//	system.jsonl           recorder.Observe, machine.go
//	program.log, scratch   program.go
//	label.json             Relabel, label.go
//	claims.json            TakeOver, claims.go
//	mirrored.json          Mirror.Put, mirrorwriter.go
//	lock                   lockRun and writeFirstFiles, store.go (runner/disk/lock.go)
//	RUN.tar.gz             Pack, packed.go
//	.import.lock           importing.go
//	.set-aside             moveAside, doctor.go
//
// # Checkpoints
//
// A checkpoint counts once its JSON is there, which is written last and holds the checksum of the
// large file beside it. Whatever the files hold, reading them ends in an error or in tensors within
// their size.
//
// # Files
//
//	store.go        new runs and resumed ones: the run's folder, run.json, the lock, the
//	                checkpoint of a fork
//	recorder.go     while a run trains: events, checkpoints, summary.json at its end; a run whose
//	                files are gone
//	run.go          a run as it was read: status, steps, checkpoints, the state of a step, what
//	                was passed over, lost lines
//	importing.go    the lock of imports, by which a log that is imported twice is one run
//	find.go         a run by its name, the start of its name, its path or "latest"; the list of a
//	                folder
//	owner.go        run.json as it is read; whose a file is; formats of other programs
//	verify.go       whether log, summary and checkpoints belong together, before figures are
//	                printed
//	readsummary.go  summary.json as it is read, and one measure of it, out of ten thousand runs
//	measures.go     which measures runs have, and those of their programs; evaluations; mean of
//	                the last ones, as the paper reports it
//	names.go        names of files, and the name of a new run: preset, method, seed, date
//	delete.go       drolab delete: a run removed for good; directories that a crash left
//
//	checkpoint.go   the two files of a step, JSON and tensors, written and read; the newest that
//	                can be read
//	tensors.go      the weights, in the safetensors format
//	methodstate.go  the state of the method (dual variables, flags), as a part of the JSON
//	opaque.go       what a program saved, in place of tensors
//	pin.go          drolab checkpoint: which checkpoints stay (pins, newest, selected), and which
//	                go; Hold, for readers
//
//	label.go    drolab label: note, tags, archived
//	claims.go   the claims of studies that are sealed with a run
//	lineage.go  the log of a fork, its parents' events first
//	alerts.go   the alerts of runs, from their logs; the one that a run was interrupted, which
//	            others write
//	machine.go  system.jsonl: what the machine did
//	program.go  what a user's program printed, and its scratch folder
//
//	catalogue.go      the list of a folder of runs, remembered, so that runs that have ended are
//	                  not read again
//	cataloguefile.go  the file of the catalogue in the cache; its check and removal
//	doctor.go         drolab doctor and --mend: every check of a folder of runs and every repair
//	packed.go         drolab record: a finished run as one .tar.gz, unpacked and restored
//	packedlog.go      the shorter log of a packed run: thinned steps, rounded values
//
//	mirror.go        a mirror, which shows the runs of another machine: what it has of a run, and
//	                 what that machine says of the run
//	mirrorwriter.go  Mirror: the one process that writes a mirror; bounds of what comes from there
package record
