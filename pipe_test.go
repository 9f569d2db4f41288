//go:build linux || darwin || freebsd

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"drolab/runner"
)

// leaves runs the program with a pipe for its output, or for both of its outputs,
// that nobody reads any more. It returns its state and what it said elsewhere.
func (b *box) leaves(both bool, args ...string) (syscall.WaitStatus, string) {
	b.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	r.Close()
	defer w.Close()
	var said bytes.Buffer
	cmd := b.command(args...)
	cmd.Stdout, cmd.Stderr = w, &said
	if both {
		cmd.Stderr = w
	}
	if err := cmd.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		b.Fatal(err)
	}
	return cmd.ProcessState.Sys().(syscall.WaitStatus), said.String()
}

// TestReaderLeaves: a command ends quietly when nobody reads it any more, and never
// ends a run by that.
func TestReaderLeaves(t *testing.T) {
	b := newBox(t)
	brief := []string{"csv", "--algo", "erm", "--set", "epochs=2"}
	run := func(more ...string) []string { return append(append([]string{"run"}, brief...), more...) }
	for _, both := range []bool{false, true} {
		for _, json := range []string{"--json", "--json=false"} {
			s, said := b.leaves(both, run("--inline", json)...)
			if s != 0 || strings.Contains(said, "pipe") {
				t.Errorf("inline %s: status %#x, said %q", json, s, said)
			}
		}
	}
	for _, args := range [][]string{
		run(), {"show", "latest", "--json"}, {"show", "latest"}, {"compare", "csv"}, {"compare", "csv", "--csv"},
		{"runs"}, {"presets"}, {"--help"},
	} {
		s, said := b.leaves(false, args...)
		if !s.Signaled() || s.Signal() != syscall.SIGPIPE || strings.Contains(said, "pipe") {
			t.Errorf("%v: status %#x, said %q", args, s, said)
		}
	}
	b.leaves(true, run("--set", "epochs=3")...)
	b.await("all runs end", func() bool {
		done := 0
		for _, r := range b.runs() {
			if r.Status() == runner.Done {
				done++
			}
		}
		return done == 6
	})
}
