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
		if got := errorReply(err).err(); !errors.Is(got, kind) || got.Error() != err.Error() {
			t.Errorf("%v comes as %v", err, got)
		}
	}
	var key *spec.KeyError
	bad := &spec.KeyError{Key: "lr", Value: -1.5, Want: "more"}
	if got := errorReply(fmt.Errorf("run a: %w", bad)).err(); !errors.As(got, &key) ||
		key.Key != "lr" || key.Error() != "lr: -1.5: want more" {
		t.Errorf("a bad setting comes as %v, %v", got, key)
	}
	var disk *runner.DiskError
	full := &runner.DiskError{What: "disk full", Err: syscall.ENOSPC}
	if got := errorReply(full).err(); !errors.As(got, &disk) || disk.What != "disk full" {
		t.Errorf("a full disk comes as %v, %v", got, disk)
	}
	if got := errorReply(errors.New("other")).err(); got.Error() != "other" ||
		errors.Unwrap(got) != nil {
		t.Errorf("another error comes as %v", got)
	}
	if err := (&reply{}).err(); err != nil {
		t.Errorf("no error comes as %v", err)
	}
}

// TestErrorsOfVerbs: the errors of verbs can be told apart by their kinds.
func TestErrorsOfVerbs(t *testing.T) {
	p := start(t, nil)
	if err := p.Stop("nothing"); !errors.Is(err, runner.ErrNotRunning) {
		t.Errorf("stopping what is not there: %v", err)
	}
	if err := p.Resume("nothing"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("resuming what is not there: %v", err)
	}
	bad := brief(dro.SFK, 1)
	bad.Specs[0].LR = -1
	var key *spec.KeyError
	if _, err := p.Start(bad); !errors.As(err, &key) || key.Key != "lr" {
		t.Errorf("starting with a bad setting: %v", err)
	}
	id := p.launch(t, 5000)
	if err := p.Shutdown(false); !errors.Is(err, errLive) {
		t.Errorf("a shutdown while a run is live: %v", err)
	}
	must(t, p.Stop(id))
}
