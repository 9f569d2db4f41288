//go:build linux || darwin || freebsd

package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"drolab/dro"
	"drolab/dro/testsize"
	"drolab/presets"
	"drolab/runner"
	"drolab/runner/box"
	"drolab/runner/record"
)

// TestFarStart: a run that is started over a link is trained by an engine there, which outlives the
// link, and is stopped and deleted over the next link.
func TestFarStart(t *testing.T) {
	testsize.NotShort(t, "trains a run, and waits for a second link")
	w := newWorkplace(t)
	dir := t.TempDir()
	ssh, pid := filepath.Join(dir, "ssh"), filepath.Join(dir, "pid")
	script := fmt.Sprintf("#!/bin/sh\necho $$ > %s\nDROLAB_RUNS=%s XDG_RUNTIME_DIR= "+
		"exec drolab box-side\n", pid, w.client.RunsDir)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.WriteFile(ssh, []byte(script), 0o700))
	mirror := filepath.Join(dir, "mirror")
	l := box.NewLink("gpu1", mirror, box.SSH(ssh, "gpu1"))
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { l.Run(ctx) })
	defer running.Wait()
	defer cancel()
	await := func(what string, so func(box.State) bool) {
		t.Helper()
		w.await(what, func() bool { return so(l.State()) })
	}
	await("a link", func(s box.State) bool { return s.Complete })

	p, err := presets.Load("shapes")
	must(err)
	s := p.Spec
	s.Algorithms, s.Seeds, s.Epochs = []dro.Algorithm{dro.ERM}, 1, 1000
	ids, err := l.Start(runner.Request{Preset: "shapes", Specs: s.Expand()})
	must(err)
	here := func() *record.Run {
		r, err := record.Find(mirror, filepath.Join(mirror, ids[0]))
		must(err)
		return r
	}
	if r := here(); !r.Held() || r.Status().Ended() {
		t.Fatalf("the started run is %s here, held: %v", r.Status(), r.Held())
	}
	text, err := os.ReadFile(pid)
	must(err)
	far, err := strconv.Atoi(strings.TrimSpace(string(text)))
	must(err)
	must(syscall.Kill(far, syscall.SIGKILL))
	await("the loss of the link", func(s box.State) bool { return !s.Linked })
	await("the next link", func(s box.State) bool { return s.Linked && s.Complete })
	if r := here(); !r.Held() || r.Status().Ended() {
		t.Fatalf("after the loss of the link the run is %s, held: %v", r.Status(), r.Held())
	}
	_, err = l.CarryOut(runner.Order{Verb: runner.Stop, Run: ids[0]})
	must(err)
	w.await("the end of the run", func() bool { return here().Status() == runner.Stopped })
	_, err = l.CarryOut(runner.Order{Verb: runner.Pause, Run: ids[0]})
	if !errors.Is(err, runner.ErrNotRunning) {
		t.Errorf("pausing a run that has ended: %v, want that it does not run", err)
	}
	w.await("the release of the run", func() bool { return !here().Held() })
	must(l.Change(box.Change{Run: ids[0], Delete: true}))
	if _, err := os.Stat(filepath.Join(w.client.RunsDir, ids[0])); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the deleted run there: %v, want none", err)
	}
	if _, err := os.Stat(filepath.Join(mirror, ids[0])); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the deleted run here: %v, want none", err)
	}
}
