package box

import (
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

// TestFullDiskHere: while the disk of this machine is full, the link says so, and goes on by itself
// once there is room.
func TestFullDiskHere(t *testing.T) {
	testsize.NotShort(t, "waits for a second link")
	if os.Geteuid() != 0 {
		t.Skip("mounts a small disk: needs root")
	}
	disk := t.TempDir()
	must(t, syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=1m"))
	defer syscall.Unmount(disk, syscall.MNT_DETACH)
	h := newHistory(t, 1)
	h.create()
	h.end("run-1", runner.Done)
	dir := filepath.Join(disk, "mirror")
	must(t, os.MkdirAll(dir, 0o700))
	must(t, openMirror(t, dir).Close())
	filler := filepath.Join(disk, "filler")
	f, err := os.Create(filler)
	must(t, err)
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	must(t, f.Close())
	p := &piped{side: &FarSide{RunsDir: h.store.Dir(), Now: time.Now}}
	l := NewLink("gpu1", dir, p.dial)
	startLink(t, l)
	const word = "this machine cannot write the mirror: "
	await(t, l, "full", func(s State) bool { return strings.HasPrefix(s.Word, word) })
	must(t, os.Remove(filler))
	await(t, l, "with room", func(s State) bool { return s.Linked && s.Complete })
	if _, err := record.Find(dir, "run-1"); err != nil {
		t.Errorf("the run is not here: %v", err)
	}
}
