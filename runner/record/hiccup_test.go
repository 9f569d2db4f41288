package record

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"drolab/runner"
	"drolab/runner/disk"
	"drolab/runner/eventlog"
	"drolab/runner/internal/atomicfile"
)

// TestFolderAwayForAMoment renames the whole folder of a run away and back while it is recorded and
// watched, as the hiccup of a network file system does. The recorder goes on in the folder that it
// holds, a viewer gets one error and later all the rest, and nothing is lost.
func TestFolderAwayForAMoment(t *testing.T) {
	s := newStore(t)
	m := newMeta(1)
	r := create(t, s, m)
	dir := r.in.Path
	must(t, r.Append(status(0, runner.Running)))
	appendSteps(t, r, 1, 2)
	seen := &eventlog.Tail{Path: filepath.Join(dir, eventlog.LogName)}
	read, err := seen.Read()
	must(t, err)
	must(t, os.Rename(dir, dir+".away"))
	appendSteps(t, r, 3, 4)
	save(t, r, newState(4))
	must(t, r.Append(status(4, runner.Paused)))
	if events, err := seen.Read(); !errors.Is(err, os.ErrNotExist) || len(events) > 0 {
		t.Errorf("while it is away, a viewer reads %d events, %v, want that it is missing",
			len(events), err)
	}
	if runs, problems := List(s.dir); len(runs)+len(problems) > 1 {
		t.Errorf("while it is away, %d runs and %v are listed, want at most one line", len(runs),
			problems)
	}
	must(t, os.Rename(dir+".away", dir))
	appendSteps(t, r, 5, 6)
	must(t, r.Append(status(6, runner.Done)))
	must(t, r.Finish(m.Ended(runner.Done, "", 6, newState(6))))
	must(t, r.Close())
	rest, err := seen.Read()
	must(t, err)
	if n := len(read) + len(rest); n != 6+3 {
		t.Errorf("the viewer has %d events, want 6 steps and 3 states", n)
	}
	runs, problems := List(s.dir)
	if len(problems) > 0 || len(runs) != 1 || runs[0].Status() != runner.Done {
		t.Fatalf("afterwards %d runs, %v, want one that is done", len(runs), problems)
	}
	if steps, err := runs[0].Checkpoints(); err != nil || len(steps) != 1 || steps[0] != 4 {
		t.Errorf("checkpoints %v, %v, want that of step 4", steps, err)
	}
	if found, _, err := Examine(s.dir, false); err != nil || len(found) > 0 {
		t.Errorf("the doctor found %s, %v, want nothing", findings(found), err)
	}
}

// TestFrozenRecorder: a recorder that was frozen for 150 s on a disk without locks goes on if
// nobody took its run. Beside another machine that has taken the run, it writes nothing more, with
// one line, and leaves what was recorded.
func TestFrozenRecorder(t *testing.T) {
	for _, taken := range []bool{false, true} {
		s := newStore(t)
		r := create(t, s, newMeta(1))
		path := filepath.Join(r.in.Path, eventlog.LockName)
		must(t, r.lock.Release())
		var err error
		none := func(atomicfile.File, bool) error { return syscall.ENOLCK }
		r.lock, err = disk.AcquireBy(none, path, 2)
		must(t, err)
		appendSteps(t, r, 1, 3)
		save(t, r, newState(3))
		before := read(t, r.in.Path, eventlog.LogName)
		then := time.Now().Add(-150 * time.Second) // by the disk's clock
		must(t, os.Chtimes(path, then, then))
		if taken {
			write(t, []byte(`{"host":"elsewhere.example"}`+"\n"), path)
		}
		appended := r.Append(stepEvent(4))
		_, saved := r.Checkpoint(newState(4))
		finished := r.Finish(&runner.Summary{Status: runner.Done})
		for what, err := range map[string]error{"logs": appended, "saves": saved,
			"finishes": finished} {
			if errors.Is(err, errGone) != taken || !taken && err != nil {
				t.Errorf("taken %v: thawed, it %s: %v", taken, what, err)
			}
		}
		if after := read(t, r.in.Path, eventlog.LogName); taken != (len(after) == len(before)) {
			t.Errorf("taken %v: the log had %d bytes and has %d", taken, len(before), len(after))
		}
		if err := r.Close(); err != nil {
			t.Errorf("taken %v: %v", taken, err)
		}
	}
}
