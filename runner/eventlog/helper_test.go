package eventlog

import (
	"os"
	"path/filepath"
	"testing"

	"drolab/runner/disk"
	"drolab/runner/record/recordtest/eventtest"
)

// The run and the events of tests.
var (
	newMeta   = eventtest.Meta
	head      = eventtest.Head
	status    = eventtest.Status
	stepEvent = eventtest.Step
	evalEvent = eventtest.Eval
	must      = eventtest.Must
	write     = eventtest.Write
)

func newTail(t testing.TB, log []byte) *Tail {
	t.Helper()
	path := filepath.Join(t.TempDir(), LogName)
	if err := os.WriteFile(path, log, 0o644); err != nil {
		t.Fatal(err)
	}
	return &Tail{Path: path}
}

// in opens a folder.
func in(t testing.TB, path string) *disk.Folder {
	t.Helper()
	f, err := disk.OpenFolder(nil, path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}
