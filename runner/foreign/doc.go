// Package foreign makes runs of the logs of other programs: group_DRO, Lightning, Transformers,
// TensorBoard, Weights & Biases, DomainBed, and any CSV file or JSON lines with a step or an epoch.
//
//	files -> reader -> Points and settings -> sorted by step -> targets -> runner/record
//
// A reader turns the files of one log into the common form (log.go): Points, settings, parts of
// the data. It reads piece by piece and holds one line or record at a time. Points are sorted on
// the disk where they are many (gather.go). target.go decides which measure a name of the log is,
// setting.go which setting a key is; what is not known becomes a value of the program's own, or a
// note. Only writer.go writes events. A log that is followed goes the same way without sorting:
// the readers are the same, and where a file ends, they wait (source.go, follow.go).
//
// The readers trust nothing. Files are opened below the named folder only, links in it are passed
// over, lines, records, names and settings are bounded, and a damaged place ends the reading with
// a note of where it is. Nothing is unpickled.
//
// Files whose format a library reads well are read by that library: YAML (package presets), JSON
// (encoding/json), the wire format of Protocol Buffers (protowire). What is by hand has no library
// that can wait for half a record: lines of CSV, the frames of TensorFlow's records
// (tensorboard.go) and those of LevelDB's log (wandb.go).
//
// Start reading at log.go.
//
// # Files
//
//	log.go         Point, Log, Kind; the table of kinds; add one here
//	find.go        the logs in files and folders, recognised by their first bytes
//	rotated.go     files that were rotated away from a log, as its beginning
//	source.go      the files of a log, read piece by piece; waiting for more
//	table.go       CSV with a step or an epoch: Lightning's and any other
//	lines.go       JSON lines: DomainBed's and any other; JSON as named numbers
//	trainer.go     trainer_state.json of Transformers
//	groupdro.go    train.csv, val.csv, test.csv and log.txt of group_DRO
//	tensorboard.go event files of TensorBoard
//	wandb.go       .wandb files of Weights & Biases
//	times.go       when the numbers of a log were logged
//	hparams.go     hparams.yaml of Lightning; the file of a mapping
//	gather.go      all points of a log, sorted by step
//	target.go      what becomes of a name of the log
//	setting.go     what becomes of a setting of the log
//	writer.go      events and the summary, written with runner/record
//	import.go      a log as a run; the log that is imported already, and has grown
//	follow.go      a log that is being written
//	plan.go        what becomes of what, for --dry-run
package foreign
