package sweep

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestAListStaysInItsFolder: a list in somebody else's folder cannot point to a folder of ours.
func TestAListStaysInItsFolder(t *testing.T) {
	f := made(t, tiny)
	for _, id := range []string{"../../x", "/etc", "", ".sweep", `..\x`} {
		f.List.Runs[3].ID = id
		if err := f.files.Write(filepath.Join(f.Dir, listName), f.List); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(f.Dir); err == nil || !strings.Contains(err.Error(), "run 3:") {
			t.Errorf("Open() of a list with a run %q = %v, want an error with run 3", id, err)
		}
	}
	f = made(t, tiny+"halving: {epochs: [1], keep: .5}\n")
	if err := f.files.Write(f.rungPath(1), rung{Kept: []int{1, 8}}); err != nil {
		t.Fatal(err)
	}
	if _, err := NewProgress(f).States(); err == nil ||
		!strings.Contains(err.Error(), "the list has not") {
		t.Errorf("States() with a rung that keeps run 8 of 8 = %v, want an error with %q", err,
			"the list has not")
	}
}
