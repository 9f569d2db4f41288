package record

import (
	"cmp"
	"errors"
	"fmt"

	"drolab/runner/data"
	"drolab/runner/disk"
	"drolab/runner/eventlog"
)

// Verify reads the run's log, and checks that all of the run's files belong together. Readers that
// print figures call it.
func (r *Run) Verify() error {
	if r.packed != nil {
		_, _, err := (&packedLog{packedRun: r.packed}).open()
		return err
	}
	if r.mirrored != nil {
		return runError(r.Meta.ID, r.verifyMirrored())
	}
	_, err := r.audit()
	return runError(r.Meta.ID, err)
}

// audit reads the log of a run with files, and checks it against the others.
func (r *Run) audit() (*eventlog.Audit, error) {
	in, err := r.folder()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return verifyLog(in)
}

// VerifyAll returns the error of Verify for each of the runs. A packed run is verified where its
// log is read.
func VerifyAll(runs []*Run) []error {
	errs := make([]error, len(runs))
	data.OnEveryCore(len(runs), func(i int) {
		if runs[i].packed == nil {
			errs[i] = runs[i].Verify()
		}
	})
	return errs
}

// verifyLog reads the log and checks it against the run's other files. It reads these first: a live
// run writes its log before them.
func verifyLog(in *disk.Folder) (*eventlog.Audit, error) {
	list, err := witnesses(in)
	if err != nil {
		return nil, err
	}
	a, err := eventlog.AuditLog(in, list...)
	if err == nil {
		err = a.Err()
	}
	return a, err
}

// witnesses returns the files that say how much of the log they go with. The error is about one
// that belongs elsewhere. A damaged one is left out, since whoever needs it finds that.
func witnesses(in *disk.Folder) ([]eventlog.Witness, error) {
	list, err := checkpointWitnesses(in)
	s, wrong := in.Seal(summaryName)
	switch {
	case wrong == nil && s.Log != nil:
		list = append(list, eventlog.Witness{File: summaryName, Extent: *s.Log})
	case errors.Is(wrong, disk.ErrForeign):
		err = cmp.Or(err, wrong)
	}
	return list, err
}

// checkLength returns an error if the log is shorter than the part that the summary goes with.
func checkLength(in *disk.Folder, s disk.Seal) error {
	size := sizeOf(in, eventlog.LogName)
	if s.Log == nil || size >= s.Log.Bytes {
		return nil
	}
	return fmt.Errorf("%s: has lost lines: it has %d bytes, and %s was written behind byte %d: "+
		"restore it from a copy", in.Join(eventlog.LogName), max(0, size), summaryName, s.Log.Bytes)
}
