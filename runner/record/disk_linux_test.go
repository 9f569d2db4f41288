package record

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"drolab/runner"
)

// TestRealFullDisk fills a small file system. What was recorded stays whole, each error names the
// remedy, and the run goes on once space is free.
func TestRealFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=256k"); err != nil {
		t.Skipf("mounting a small file system needs the superuser: %v", err)
	}
	defer unix.Unmount(dir, unix.MNT_DETACH)
	s, err := Open(dir)
	must(t, err)
	m := newMeta(1)
	r := create(t, s, m)
	save(t, r, newState(1))
	ballast := dir + "/ballast"
	must(t, os.WriteFile(ballast, make([]byte, 64<<10), 0o644))
	step := int64(1)
	for ; step <= 10_000; step++ {
		if err = r.Append(stepEvent(step)); err != nil {
			break
		}
	}
	full := func(err error) {
		t.Helper()
		if !errors.Is(err, unix.ENOSPC) {
			t.Fatalf("error %v, want ENOSPC", err)
		}
		wantError(t, "full", err, "disk full: free space and resume")
	}
	full(err)
	_, err = r.Checkpoint(newState(2))
	full(err)
	full(r.Finish(&runner.Summary{Status: runner.Failed}))
	must(t, r.Close())
	_, err = s.Create(newMeta(2), nil)
	full(err)

	must(t, os.Remove(ballast))
	r, from := reopen(t, s, m.ID)
	if from == nil || from.Step != 1 {
		t.Fatalf("resumed from %+v, want step 1", from)
	}
	must(t, r.Append(stepEvent(step)))
	save(t, r, newState(3))
	tail := (&Run{Dir: r.in.Path}).Tail()
	h := history(t, tail)
	if n := int64(len(h.Steps)); n != step || h.Steps[n-1].Seq != step {
		t.Errorf("%d steps, want %d with the same seq", n, step)
	}
	if n := tail.Skipped(); n != 0 {
		t.Errorf("%d lines skipped, want none", n)
	}
	entries, err := os.ReadDir(dir)
	must(t, err)
	if len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
}

// TestRealDiskWithoutInodes fills the inodes of a small file system that has bytes. The error names
// the inodes, and not the space. What was recorded stays whole, and the run goes on once files are
// gone.
func TestRealDiskWithoutInodes(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=16m,nr_inodes=40"); err != nil {
		t.Skipf("mounting a small file system needs the superuser: %v", err)
	}
	defer unix.Unmount(dir, unix.MNT_DETACH)
	s, err := Open(dir)
	must(t, err)
	m := newMeta(1)
	r := create(t, s, m)
	save(t, r, newState(1))
	var ballast []string
	for err = nil; err == nil; {
		name := fmt.Sprintf("%s/ballast-%d", dir, len(ballast))
		if err = os.WriteFile(name, nil, 0o644); err == nil {
			ballast = append(ballast, name)
		}
	}
	must(t, r.Append(stepEvent(2))) // the log takes bytes
	without := func(err error) {
		t.Helper()
		if !errors.Is(err, unix.ENOSPC) || strings.Contains(err.Error(), "space left") {
			t.Errorf("error %v, want ENOSPC in other words", err)
		}
		wantError(t, "without inodes", err, "the disk has no inodes left for more files: remove "+
			"some files and resume")
	}
	_, err = r.Checkpoint(newState(2))
	without(err)
	without(r.Finish(&runner.Summary{Status: runner.Failed}))
	must(t, r.Close())
	_, err = s.Create(newMeta(2), nil)
	without(err)
	for _, name := range ballast {
		must(t, os.Remove(name))
	}
	r, from := reopen(t, s, m.ID)
	if from == nil || from.Step != 1 {
		t.Fatalf("resumed from %+v, want step 1", from)
	}
	save(t, r, newState(2))
	must(t, r.Close())
}
