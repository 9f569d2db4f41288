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
// # Checkpoints
//
//	checkpoint.go    the two files of a step, and the newest that can be read
//	pin.go           which checkpoints stay, and which go
//	tensors.go       the weights, in the safetensors format
//	methodstate.go   the state of the method, as a part of the JSON
//	opaque.go        what a program saved, in place of tensors
//
// A checkpoint counts once its JSON is there, which is written last and holds the checksum of the
// large file beside it. Whatever the files hold, reading them ends in an error or in tensors within
// their size.
package record
