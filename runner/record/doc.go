// Package record is the run directory: it writes what a run leaves behind and
// reads it back, while the run lives, after it ended, and after it crashed.
//
//	<id>/run.json        runner.Meta: what made the run
//	<id>/events.jsonl    one event a line, appended with one write each; the truth
//	<id>/checkpoints/    step-0000000120.safetensors (weights), then .json (the rest)
//	                     and an empty step-0000000120.pin beside those that stay; what a
//	                     program saved is in step-0000000120.program, in place of tensors
//	<id>/program.log     what a program printed, bounded; <id>/scratch is its folder meanwhile
//	<id>/summary.json    runner.Summary: what it came to, rewritten after a resume
//	<id>/events.index.gz a long log in small, for curves: derived, and made anew
//	<id>/label.json      what people say of the run: note, tags, archived
//	<id>/lock            held for as long as a process records the run, or deletes it
//
// A Store, the Recorder it makes, a Run's pins and label and Delete are the writing side;
// Run, Tail, Lineage and Progress are the reading side. They share nothing but
// the files: any number of readers may watch, none can slow or block a writer,
// and a run on another machine's shared disk is read by the same code. Readers
// take every file for hostile: what is torn, damaged or of a newer program is
// skipped, memory is bounded, and nothing a file says makes them panic. What they skip
// they say (Run.PassedOver), and whoever reads a checkpoint holds it meanwhile (pin.go).
//
// What a crash leaves is decided by the order of writes. Files that are
// replaced are written aside, synced and renamed. A line of the log counts
// once it is whole; that a run has another state or setting is said once its
// line is on the disk. A checkpoint counts once its JSON is there, which
// holds the checksum of the weights beside it and is written last. A directory
// has its name once it is complete, a fork's with the checkpoint that it goes on
// from, and loses it before it is removed. A log says how a run ended once the
// summary is there.
//
// Every line, JSON file and weights file has a checksum (internal/disk); a checkpoint
// says how far the log had come and what was turned by then. What was changed
// since it was written is passed over by viewers, and by a resume where that
// cannot matter for what follows: elsewhere it is an error that names the line
// (internal/eventlog/audit.go). Files are opened by their names in the run's folder and nowhere
// else, and never through links: a run may come from anybody. Examine
// and Mend look after a folder of runs (doctor.go). Files keeps what concerns many
// runs in the same manner, a sweep's list for one.
//
// How a run stands is told from its log alone: History folds the events from the first
// on, and comes to the same from the last ones.
//
// A finished run packs into one small file (packed.go), which is read by the same
// code: its log is a Tail, too.
//
// It is not a database: what it knows of runs is what the directories say at that moment. A
// Catalogue remembers what it has read of runs that have ended, for as long as their files stay
// as they are. It decides nothing about training.
//
// Everything that a writer does to files goes through the interface aside.Disk; tests
// put one that fails, is killed or loses its power at each of these things
// (aside/asidetest, points_test.go).
//
// Three packages below know nothing of runs' folders: internal/disk has files, locks and
// seals, internal/eventlog the log, internal/checkpoint the checkpoints. What others use of
// them has its name here (disk.go, events.go).
//
// Start reading at store.go for writing and at run.go for reading.
package record
