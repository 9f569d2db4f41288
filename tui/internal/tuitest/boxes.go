package tuitest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"drolab/runner/box"
	"drolab/runner/eventlog"
	"drolab/runner/record"
	"drolab/runner/record/recordtest/eventtest"
)

// NewBox returns a box that cannot be reached, as ssh says. Its mirror has the runs of the folder
// dir as they are now, and was last brought up to date at a time by the clock of the script.
func NewBox(t testing.TB, name, dir string, known time.Time) box.Linked {
	t.Helper()
	mirror := filepath.Join(t.TempDir(), name, "runs")
	fill(t, mirror, name, dir)
	eventtest.Must(t, os.Chtimes(filepath.Join(mirror, "mirror.lock"), known, known))
	link := box.NewLink(name, mirror, func(context.Context) (box.Conn, error) {
		return nil, errors.New("connect to host " + name + " port 22: No route to host")
	})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		link.Run(ctx)
		close(ended)
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	link.Await(ctx, func(box.State) bool { return false }) // until there is no link
	return box.Linked{Name: name, Dir: mirror, Link: link}
}

// fill puts the runs of a folder into the mirror of a box, with their logs.
func fill(t testing.TB, mirror, name, dir string) {
	t.Helper()
	m, err := record.OpenMirror(mirror, name)
	eventtest.Must(t, err)
	runs, _ := record.List(dir)
	for _, r := range runs {
		head, err := r.Head()
		eventtest.Must(t, err)
		eventtest.Must(t, m.Put(head))
		log, err := os.ReadFile(filepath.Join(r.Dir, eventlog.LogName))
		eventtest.Must(t, err)
		_, _, err = m.Append(head.ID, record.LogState{}, log)
		eventtest.Must(t, err)
	}
	m.Heard()
	eventtest.Must(t, m.Close())
}
