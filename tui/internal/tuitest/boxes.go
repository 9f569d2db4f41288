package tuitest

import (
	"context"
	"errors"
	"net"
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
	return linked(t, name, mirror, func(context.Context) (box.Conn, error) {
		return nil, errors.New("connect to host " + name + " port 22: No route to host")
	})
}

// ServeBox returns a box whose far side is in this process, with a link.
func ServeBox(t testing.TB, name string, side *box.FarSide) box.Linked {
	t.Helper()
	side.Now = time.Now
	mirror := filepath.Join(t.TempDir(), name, "runs")
	return linked(t, name, mirror, func(ctx context.Context) (box.Conn, error) {
		near, far := net.Pipe()
		go func() {
			side.Serve(ctx, far, far)
			far.Close()
		}()
		return near, nil
	})
}

// linked returns a box whose link runs until the test ends. It has all runs of the box, or there is
// no link.
func linked(t testing.TB, name, mirror string, dial box.Dial) box.Linked {
	link := box.NewLink(name, mirror, dial)
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
	link.Await(ctx, func(s box.State) bool { return s.Complete })
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
