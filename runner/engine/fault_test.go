//go:build darwin || freebsd || linux

package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/spec"
)

// TestFaults: an error keeps its kind on the way through a socket.
func TestFaults(t *testing.T) {
	err := fmt.Errorf("run a %w", runner.ErrBusy)
	got := errorReply(err).err()
	wantErrorIs(t, "through the socket", got, runner.ErrBusy)
	if got.Error() != err.Error() {
		t.Errorf("%q comes as %q, want the same words", err, got)
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
	wantErrorIs(t, "a shutdown while a run is live", p.Shutdown(false), runner.ErrLive)
	must(t, p.Stop(id))
}
