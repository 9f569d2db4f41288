package record

import (
	"errors"
	"io/fs"
	"os"

	"drolab/runner"
	"drolab/runner/disk"
	"drolab/runner/eventlog"
)

// recorder is the writing side of one run directory. It belongs to one
// goroutine at a time.
type recorder struct {
	in   *disk.Folder
	meta *runner.Meta // says which checkpoints stay
	lock *disk.Lock
	log  *eventlog.Writer

	index eventlog.Indexer
	// spare is a descriptor for the summary: a run's end is recorded even if no other is left.
	spare *os.File

	observed int64 // samples of the machine; Observe's alone
}

// errGone ends a run whose files can no longer be found, or which another machine has taken over.
var errGone = errors.New(
	"some of its files were removed or replaced while it was recorded: it cannot continue")

// present returns errGone unless run.json, the lock and the log are in the folder, and the latter
// two are still those of this recorder.
func (r *recorder) present() error {
	if _, err := r.in.Lstat(metaName); err != nil {
		return errors.Join(errGone, err)
	}
	lock, err := r.in.Lstat(eventlog.LockName)
	if err != nil || !r.lock.Is(lock) || !r.log.InPlace() {
		return errors.Join(errGone, err)
	}
	return nil
}

// Append implements runner.Recorder. After an error the log is as it was before, so the caller may
// go on, or try again.
func (r *recorder) Append(e runner.Event) error {
	if r.log.Removed() {
		return errGone
	}
	if eventlog.Urgent(e) || r.lock.Local() {
		if err := r.present(); err != nil {
			return err
		}
	}
	if err := r.log.Append(e); err != nil {
		return err
	}
	r.index.Grown(r.in, r.log.Bytes)
	return nil
}

// Evaluations implements runner.Reread.
func (r *recorder) Evaluations() ([]*runner.EvalEvent, error) {
	return evaluations(&eventlog.Tail{Path: r.in.Join(eventlog.LogName)})
}

// Checkpoint implements runner.Recorder. The log is synced first: a power cut
// must not leave a checkpoint of a step that the log has not reached.
func (r *recorder) Checkpoint(s *runner.State) (string, error) {
	if err := r.present(); err != nil {
		return "", err
	}
	if err := r.log.Sync(); err != nil {
		return "", err
	}
	in, err := r.in.Within(checkpointsName)
	if errors.Is(err, fs.ErrNotExist) {
		return "", &runner.DiskError{Away: true, Err: err,
			What: r.in.Join(checkpointsName) + " is missing: bring it back and resume"}
	}
	if err != nil {
		return "", disk.Explain(err, r.in.Path)
	}
	defer in.Close()
	if err := writeCheckpoint(in, s, r.log.End()); err != nil {
		return "", err
	}
	pruneCheckpoints(in, s.Step, r.meta)
	return checkpointFile(s.Step), nil
}

// Finish implements runner.Recorder.
func (r *recorder) Finish(s *runner.Summary) error {
	if err := r.present(); err != nil {
		return err
	}
	if err := r.log.Sync(); err != nil {
		return err
	}
	stored := *s
	stored.Dir = "" // the directory may be moved later
	at := r.log.End()
	r.spare.Close() // a second Close, or one of nil, only returns an error
	return r.in.WriteSealed(summaryName, &stored, &at.Extent)
}

// Close implements runner.Recorder. It syncs the log, since the event that says how the run ended
// stands behind the last checkpoint.
func (r *recorder) Close() error {
	r.index.Close()
	r.spare.Close()
	return errors.Join(r.log.Sync(), r.log.File.Close(), r.lock.Release(), r.in.Close())
}
