package runner

import "io"

// Opaque is what a network has saved that only its own program can read: bytes, in
// place of tensors.
type Opaque interface {
	// WriteTo writes all of it as one stream. The error is of reading it, too, as of
	// a checkpoint whose bytes are not those that were saved.
	io.WriterTo
	// Release says that nobody asks for it any more.
	Release()
}

// Workplace is what a Recorder is, too, where a run has room for a program that it
// trains: in the run's directory, so that it goes with the run.
type Workplace interface {
	// ProgramLog opens what keeps the first and the last of what the program prints.
	ProgramLog() (io.WriteCloser, error)
	// Scratch makes an empty folder for the program, in place of one that is there
	// still, and returns its path. The caller removes it.
	Scratch() (dir string, err error)
}

// ProgramLogName is the file in a run's directory with what its program printed.
const ProgramLogName = "program.log"
