package record

import (
	"errors"
	"fmt"
	"path/filepath"

	"drolab/runner"
)

// recorder is the writing side of one run directory. It belongs to one
// goroutine at a time.
type recorder struct {
	dir  string
	keep int // checkpoints
	lock *Lock
	log  *eventLog
}

// Append implements runner.Recorder. After an error the log is what it was
// before, so the caller may go on, or try again.
func (r *recorder) Append(e runner.Event) error { return r.log.append(e) }

// Checkpoint implements runner.Recorder. The log is synced first: a power cut
// must not leave a checkpoint of a step that the log has not reached.
func (r *recorder) Checkpoint(s *runner.State) (string, error) {
	if err := r.log.file.Sync(); err != nil {
		return "", fmt.Errorf("syncing %s: %w", r.log.path, explain(err))
	}
	folder := filepath.Join(r.dir, checkpointsName)
	if err := writeCheckpoint(folder, s); err != nil {
		return "", err
	}
	prune(folder, s.Step, r.keep)
	return checkpointFile(s.Step), nil
}

// Finish implements runner.Recorder.
func (r *recorder) Finish(s *runner.Summary) error {
	if err := r.log.file.Sync(); err != nil {
		return fmt.Errorf("syncing %s: %w", r.log.path, explain(err))
	}
	stored := *s
	stored.Dir = "" // a directory may be moved
	return writeJSON(filepath.Join(r.dir, summaryName), &stored)
}

// Close implements runner.Recorder. The log is synced, since how the run ended
// stands behind its last checkpoint.
func (r *recorder) Close() error {
	return errors.Join(r.log.file.Sync(), r.log.file.Close(), r.lock.Release())
}
