package runner

import "errors"

// The reasons why a verb is refused; each is worded to follow the name of a run.
var (
	ErrNotRunning = errors.New("is not running here")
	ErrElsewhere  = errors.New("is running elsewhere: stop it there first")
	ErrBusy       = errors.New("is still busy with an earlier request; wait for its step to " +
		"end")
	ErrSlow = errors.New("is in the middle of a long step or evaluation: the request follows " +
		"it, and counts once it is logged")
	ErrNothing = errors.New("has nothing to save before it trains")
	ErrDone    = errors.New("is done: there is nothing to resume")
)

// DiskError is a Recorder's error that may be temporary: the disk is full, or fails for now. The
// failed write can be repeated.
type DiskError struct {
	What string // what failed, and the remedy
	Err  error
}

func (e *DiskError) Error() string { return e.What + ": " + e.Err.Error() }

// Unwrap returns the system's error.
func (e *DiskError) Unwrap() error { return e.Err }
