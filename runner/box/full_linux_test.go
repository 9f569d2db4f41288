package box

import (
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"drolab/dro/testsize"
	"drolab/runner"
	"drolab/runner/record"
)

// TestFullDiskHere: while the disk of this machine is full, the conversation goes on, and what is
// asked of the box is done. The mirror goes on by itself once there is room.
func TestFullDiskHere(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("mounts a small disk: needs root")
	}
	disk := t.TempDir()
	must(t, syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=1m"))
	defer syscall.Unmount(disk, syscall.MNT_DETACH)
	h := newHistory(t, 1)
	h.create()
	dir := filepath.Join(disk, "mirror")
	m := openMirror(t, dir)
	p := newPairBy(t, h.store.Dir(), m, newMadeVerbs(h))
	clock := time.Now()
	p.near.now = func() time.Time { return clock }
	pingAfter := func(d time.Duration) {
		clock = clock.Add(d)
		must(t, p.near.out.send(&frame{Ping: true}))
		p.settle()
	}
	filler := filepath.Join(disk, "filler")
	f, err := os.Create(filler)
	must(t, err)
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	must(t, f.Close())

	h.create()
	h.end("run-1", runner.Done)
	p.lookAtAll()
	pingAfter(fullPause) // it is full then, too
	p.lookAtAll()
	s := p.near.State()
	const start, end = "this machine cannot write the mirror", ": disk full: free space"
	if !strings.HasPrefix(s.Unwritable, start) || !strings.HasSuffix(s.Unwritable, end) ||
		!s.Linked || s.Complete {
		t.Errorf("with a full disk: %+v, want a link and %q ... %q", s, start, end)
	}
	note := "asked with a full disk"
	must(t, p.ask(&ask{Change: &Change{Run: "run-1", Label: &record.LabelEdit{Note: &note}}}))
	if got := h.find("run-1").Label().Note; got != note {
		t.Errorf("the label on the box is %q, want %q", got, note)
	}

	must(t, os.Remove(filler))
	pingAfter(fullPause - time.Second)
	if s := p.near.State(); s.Unwritable == "" {
		t.Error("the mirror is tried again too early")
	}
	pingAfter(time.Second)
	if s := p.near.State(); s.Unwritable != "" || !s.Complete {
		t.Errorf("with room: %+v, want all runs", s)
	}
	wantSame(t, "with room", h.store.Dir(), dir, []string{"run-2"})
	h.end("run-2", runner.Done)
	p.lookAtAll()
	wantSame(t, "at the end", h.store.Dir(), dir, []string{"run-2"})
}

// TestNoMirror: a box whose mirror cannot be opened has a link all the same, and a line about it.
func TestNoMirror(t *testing.T) {
	testsize.NotShort(t, "a link tries its mirror again after a second: TestFullDiskHere shows a "+
		"mirror that cannot be written")
	h := newHistory(t, 1)
	h.create()
	dir := filepath.Join(t.TempDir(), "mirror")
	must(t, os.WriteFile(dir, nil, 0o600)) // a file in its place
	l := NewLink("gpu1", dir, func(ctx context.Context) (Conn, error) {
		near, far := net.Pipe()
		side := &FarSide{RunsDir: h.store.Dir(), Now: time.Now, Verbs: newMadeVerbs(h)}
		go func() { side.Serve(ctx, far, io.Writer(far)); far.Close() }()
		return near, nil
	})
	startLink(t, l)
	await(t, l, "without a mirror", func(s State) bool { return s.Linked && s.Unwritable != "" })
	note := "asked without a mirror"
	must(t, l.Change(Change{Run: "run-1", Label: &record.LabelEdit{Note: &note}}))
	must(t, os.Remove(dir))
	await(t, l, "with a mirror", func(s State) bool { return s.Complete && s.Unwritable == "" })
}
