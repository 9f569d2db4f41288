package runner

import (
	"io"

	"drolab/runner/machine"
)

// A Store keeps runs; the store of runner/record is a folder with one directory per run.
type Store interface {
	// Create makes the record of a new run, under an ID of its own choosing, which it writes into
	// m. The record of a fork holds from the start the checkpoint that the fork continues from; for
	// other runs from is nil.
	Create(m *Meta, from *State) (Recorder, error)
	// Reopen continues the record of an unfinished run, with its newest checkpoint. It refuses a
	// fork without a checkpoint.
	Reopen(id string) (Recorder, *Past, error)
	// Load reads a run as it was at a checkpoint that was kept.
	Load(id string, step int64) (*Past, error)
	// Hold keeps all existing checkpoints of a run until it is released.
	Hold(id string) (release func())
	// Pin keeps a checkpoint that newer ones would push out.
	Pin(id string, step int64) error
	// Delete removes a run that nobody is recording.
	Delete(id string) error
}

// Past is what is known of a run from which another run or a resume continues.
type Past struct {
	Meta *Meta
	From *State      // nil: there is no checkpoint and no parent; start from the beginning
	Log  []KnobEvent // all changes of knobs in the log, in its order
}

// A Recorder records one run. A nil error means that the data survive a crash of this process.
// After Checkpoint, Finish, and Append of a KnobEvent or a StatusEvent, they also survive a crash
// of the machine. After a *DiskError the call can be repeated.
type Recorder interface {
	// Append adds e to the log, filling in its Seq and Time.
	Append(e Event) error
	// Checkpoint saves s and returns the name by which it can be resumed. It reads s only until it
	// returns.
	Checkpoint(s *State) (file string, err error)
	// Finish writes the summary of a run that ended.
	Finish(s *Summary) error
	// Close releases the run's directory.
	Close() error
}

// Workplace is implemented by a Recorder with space for the program that a run trains. It is in the
// run's directory, so that it is removed with the run.
type Workplace interface {
	// ProgramLog opens a file that keeps the first and the last part of the program's output.
	ProgramLog() (io.WriteCloser, error)
	// Scratch makes an empty folder for the program, in place of an earlier one, and returns its
	// path. The caller removes it.
	Scratch() (dir string, err error)
}

// Observer is implemented by a Recorder that keeps what the machine does. Observe is called from
// another goroutine than the run's, one call at a time, also after Close.
type Observer interface{ Observe(*machine.Sample) }

// Reread is implemented by a Recorder that can read what the run has logged before.
type Reread interface {
	// Evaluations returns the evaluations that no later resume has taken back.
	Evaluations() ([]*EvalEvent, error)
}

// ProgramLogName is the file in a run's directory that holds its program's output.
const ProgramLogName = "program.log"

// DiskError is a Recorder's error that may be temporary: the disk is full, or fails for now. The
// failed write can be repeated.
type DiskError struct {
	What string // what failed, and the remedy
	Err  error
	// Away says that a folder is missing, as while a disk is mounted elsewhere. It may be back in a
	// moment, so the write is tried again even if nobody resumes the run.
	Away bool
}

func (e *DiskError) Error() string { return e.What + ": " + e.Err.Error() }

// Unwrap returns the system's error.
func (e *DiskError) Unwrap() error { return e.Err }
