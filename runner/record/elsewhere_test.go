package record

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"

	"drolab/runner/disk"
	"drolab/runner/eventlog"
	"drolab/runner/internal/atomicfile"
)

// TestRunTakenOverElsewhere checks that a recorder that has lost its lease writes nothing more.
func TestRunTakenOverElsewhere(t *testing.T) {
	s := newStore(t)
	r := create(t, s, newMeta(1))
	path := filepath.Join(r.in.Path, eventlog.LockName)
	must(t, r.lock.Release())
	var err error
	none := func(atomicfile.File, bool) error { return syscall.ENOLCK }
	r.lock, err = disk.AcquireBy(none, path, 2)
	must(t, err)
	must(t, r.Append(stepEvent(1)))
	write(t, []byte("elsewhere.example\n"), path)
	if err := r.Append(stepEvent(2)); !errors.Is(err, errGone) {
		t.Errorf("Append without the lease: %v, want %v", err, errGone)
	}
}
