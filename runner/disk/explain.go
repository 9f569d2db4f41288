package disk

import (
	"errors"
	"syscall"

	"drolab/runner"
)

// Explain adds the remedy to an error, where one is known. Where the same write may succeed later,
// the result is a *runner.DiskError.
func Explain(err error) error {
	switch {
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
