package record

import (
	"testing"

	"drolab/runner/record/internal/disk"
	"drolab/runner/record/recordtest/eventtest"
)

// The state of tests.
var (
	newState2 = eventtest.State
	must2     = eventtest.Must
)

// in opens a folder.
func inFolder(t testing.TB, path string) *disk.Folder {
	t.Helper()
	f, err := disk.OpenFolder(nil, path)
	must2(t, err)
	t.Cleanup(func() { f.Close() })
	return f
}
