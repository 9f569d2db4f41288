//go:build linux || darwin || freebsd

package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"drolab/runner"
)

// TestFollowerEnds: a command that follows a log outlives its terminal and the reader of its
// output. What ends it is said there and in the run.
func TestFollowerEnds(t *testing.T) {
	t.Parallel()
	b := newWorkplace(t)
	path := filepath.Join(t.TempDir(), "m.jsonl")
	grow := func(line string) {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		check(t, err)
		_, err = f.WriteString(line + "\n")
		check(t, err)
		check(t, f.Close())
	}
	reached := func(steps int64) func() bool {
		return func() bool {
			runs := b.runs()
			return len(runs) == 1 && runs[0].Summary().Steps == steps
		}
	}
	grow(`{"step": 1, "x": 1}`)
	r, w, err := os.Pipe()
	check(t, err)
	check(t, r.Close()) // nobody reads
	var said bytes.Buffer
	cmd := b.command("import", "--follow", path)
	cmd.Stdout, cmd.Stderr = w, &said
	check(t, cmd.Start())
	check(t, w.Close())
	b.await("the run", reached(1))
	check(t, cmd.Process.Signal(syscall.SIGHUP))
	grow(`{"step": 2, "x": 2}`)
	b.await("the second step", reached(2))
	check(t, cmd.Process.Signal(syscall.SIGTERM))
	check(t, cmd.Wait())
	run := b.runs()[0]
	if run.Status() != runner.Stopped {
		t.Errorf("the run is %s, want it stopped", run.Status())
	}
	const why = "its log is not followed any more: terminated"
	if want := run.Meta.ID + ": stopped: " + why; !strings.Contains(said.String(), want) {
		t.Errorf("the command said %q, want %q", said.String(), want)
	}
	if cause := run.Summary().Cause; !strings.HasPrefix(cause, why) {
		t.Errorf("the run's cause is %q, want %q", cause, why)
	}
}
