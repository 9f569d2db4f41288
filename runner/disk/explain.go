package disk

import (
	"errors"
	"strings"
	"syscall"

	"drolab/runner"
)

// Explain adds the remedy to an error, where one is known. Where the same write may succeed later,
// the result is a *runner.DiskError. The error is of a write at a path, whose disk says which of
// its limits was met: a disk with free bytes may have no inode for one more file.
func Explain(err error, at string) error {
	switch {
	case overQuota(err):
		return &runner.DiskError{What: "disk quota used up: remove what nobody needs and resume",
			Err: err}
	case diskFull(err) && withoutInodes(at):
		return &runner.DiskError{Err: inodeError{err},
			What: "the disk has no inodes left for more files: remove some files and resume"}
	case diskFull(err):
		return &runner.DiskError{What: "disk full: free space and resume", Err: err}
	case diskFails(err):
		return &runner.DiskError{What: "disk fails: repair it and resume", Err: err}
	case errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE):
		return &runner.DiskError{Err: err,
			What: "too many files are open: stop some runs, or raise the limit and resume"}
	}
	return err
}

// Whole is Explain for what is written whole or not at all into the folder at a path, such as a run
// that is imported. There is nothing to resume, and the names of its files aside say nothing.
func Whole(err error, at string) error {
	explained, ok := errors.AsType[*runner.DiskError](Explain(err, at))
	if !ok {
		return err
	}
	cause := explained.Err
	if _, inodes := errors.AsType[inodeError](cause); inodes {
		cause = errors.New(noInodes)
	} else if number, ok := errors.AsType[syscall.Errno](cause); ok {
		cause = number
	}
	what := strings.TrimSuffix(explained.What, " and resume") + " and try again"
	return &runner.DiskError{What: "writing into " + at + ": " + what, Err: cause}
}

// inodeError is the error of a file that could not be made. The system's own words for it are those
// of a disk without free bytes.
type inodeError struct{ error }

// Error implements error.
func (e inodeError) Error() string {
	return strings.ReplaceAll(e.error.Error(), noSpace, noInodes)
}

// Unwrap returns the system's error.
func (e inodeError) Unwrap() error { return e.error }

// noSpace is what Unix systems say where a file cannot grow, or be made.
const noSpace, noInodes = "no space left on device", "no inodes left on device"
