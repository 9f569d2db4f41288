package checkpoint

import (
	"testing"

	"drolab/runner/record/internal/disk"
	"drolab/runner/record/recordtest/eventtest"
)

// The state of tests.
var (
	newState = eventtest.State
	must     = eventtest.Must
)

// in opens a folder.
func in(t testing.TB, path string) *disk.Folder {
	t.Helper()
	f, err := disk.OpenFolder(nil, path)
	must(t, err)
	t.Cleanup(func() { f.Close() })
	return f
}
