package engine_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"drolab/runner"
	"drolab/runner/record"

	"golang.org/x/sys/unix"
)

// TestFullDiskOfScript: while its disk is full, a script says in one line why it waits, also in the
// middle of a batch that a pipe cannot hold. It goes on by itself once there is room.
func TestFullDiskOfScript(t *testing.T) {
	disk := t.TempDir()
	if err := unix.Mount("tmpfs", disk, "tmpfs", 0, "size=512k"); err != nil {
		t.Skipf("mounting a small file system needs the superuser: %v", err)
	}
	defer unix.Unmount(disk, unix.MNT_DETACH)
	r := runsDir(filepath.Join(disk, "runs"))
	if err := os.Mkdir(string(r), 0o700); err != nil {
		t.Fatal(err)
	}
	lines, err := r.python(t, "numpy", "full.py")
	if err != nil {
		t.Fatal(err)
	}
	if len(lines) != 2 {
		t.Fatalf("full.py prints %q, want two lines", lines)
	}
	for _, line := range lines {
		id, steps, _ := strings.Cut(line, " ")
		run, err := record.Find(string(r), id)
		if err != nil {
			t.Fatal(err)
		}
		wantStatus(t, line, run, runner.Done)
		events := r.log(t, id)
		for step := range run.Summary().Steps { // no step is lost to the disk
			if name := "step " + strconv.FormatInt(step+1, 10); events[name] == nil {
				t.Errorf("%s: the log has no %s", line, name)
			}
		}
		if got := strconv.FormatInt(run.Summary().Steps, 10); got != steps {
			t.Errorf("%s: the record has %s steps, want %s", line, got, steps)
		}
	}
}
