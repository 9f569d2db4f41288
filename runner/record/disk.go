package record

import (
	"os"

	"drolab/runner/record/internal/disk"
)

// The other files in a folder of runs (the engine's lock and log, a sweep's list) are kept in the
// same way as the files of a run.
type (
	Files  = disk.Files
	Holder = disk.Holder
	Lock   = disk.Lock
	Owner  = disk.Owner
)

// Errors of locks and of sealed files.
var (
	ErrHeld   = disk.ErrHeld
	ErrLeased = disk.ErrLeased
	ErrSum    = disk.ErrSum
	ErrBefore = disk.ErrBefore
)

// Acquire is disk.Acquire.
func Acquire(path string) (*Lock, error) { return disk.Acquire(path) }

// Held is disk.Held.
func Held(path string) bool { return disk.Held(path) }

// OpenPlain is disk.OpenPlain.
func OpenPlain(path string) (*os.File, error) { return disk.OpenPlain(path) }

// AppendPlain is disk.AppendPlain.
func AppendPlain(path string, most int64) (*os.File, error) { return disk.AppendPlain(path, most) }
