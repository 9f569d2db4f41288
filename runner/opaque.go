package runner

import "io"

// Opaque is a network's saved state that only its own program can read: bytes, in place of tensors.
type Opaque interface {
	// WriteTo writes all of it as one stream. The error may be about reading it, too, such as a
	// checkpoint whose bytes have changed since they were saved.
	io.WriterTo
	// Release says that nobody needs the bytes any more.
	Release()
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

// ProgramLogName is the file in a run's directory that holds its program's output.
const ProgramLogName = "program.log"
