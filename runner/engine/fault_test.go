//go:build darwin || freebsd || linux

package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/spec"
)

// TestFaults: an error keeps its kind on the way through a socket.
func TestFaults(t *testing.T) {
	for _, kind := range codes() {
		err := fmt.Errorf("run a %w: b", kind)
		got := errorReply(err).err()
		wantErrorIs(t, "through the socket", got, kind)
		if got.Error() != err.Error() {
			t.Errorf("%q comes as %q, want the same words", err, got)
		}
	}
	var key *spec.KeyError
	bad := &spec.KeyError{Key: "lr", Value: -1.5, Want: "more"}
	if got := errorReply(fmt.Errorf("run a: %w", bad)).err(); !errors.As(got, &key) {
		t.Fatalf("a bad setting comes as %v, want a KeyError", got)
	}
	if key.Key != "lr" {
		t.Errorf("a bad setting comes with the key %q, want lr", key.Key)
	}
	if got, want := key.Error(), "lr: -1.5: expected more"; got != want {
		t.Errorf("a bad setting comes as %q, want %q", got, want)
	}
	var disk *runner.DiskError
	full := &runner.DiskError{What: "disk full", Err: syscall.ENOSPC}
	if got := errorReply(full).err(); !errors.As(got, &disk) {
		t.Fatalf("a full disk comes as %v, want a DiskError", got)
	}
	if disk.What != "disk full" {
		t.Errorf("a full disk comes as %q, want %q", disk.What, "disk full")
	}
	got := errorReply(errors.New("other")).err()
	if got.Error() != "other" {
		t.Errorf("another error comes as %q, want %q", got, "other")
	}
	if wrapped := errors.Unwrap(got); wrapped != nil {
		t.Errorf("another error wraps %v, want nothing", wrapped)
	}
	if err := (&reply{}).err(); err != nil {
		t.Errorf("no error comes as %v", err)
	}
}

// TestErrorsOfVerbs: the errors of verbs can be told apart by their kinds.
func TestErrorsOfVerbs(t *testing.T) {
	p := start(t, nil)
	wantErrorIs(t, "stopping what is not there", p.Stop("nothing"), runner.ErrNotRunning)
	wantErrorIs(t, "resuming what is not there", p.Resume("nothing"), fs.ErrNotExist)
	bad := brief(dro.SFK, 1)
	bad.Specs[0].LR = -1
	var key *spec.KeyError
	if _, err := p.Start(bad); !errors.As(err, &key) || key.Key != "lr" {
		t.Errorf("starting with a bad setting: error %v, want a KeyError about lr", err)
	}
	id := p.launch(t, 5000)
	wantErrorIs(t, "a shutdown while a run is live", p.Shutdown(false), errLive)
	must(t, p.Stop(id))
}
