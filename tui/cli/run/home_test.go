package run

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drolab/tui/cell"
	"drolab/tui/cli/console"
)

// TestNoteHome: one note names all that is not kept, and a home that can be written is left as it
// is.
func TestNoteHome(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ views, programs, want string }{
		{filepath.Join(dir, "state", "views"), filepath.Join(dir, "state", "programs"), ""},
		{filepath.Join(file, "views"), filepath.Join(file, "state", "programs"),
			"note: not kept: how you look at runs, approvals of programs (" + file +
				" is not a folder): set XDG_STATE_HOME"},
		{filepath.Join(dir, "views"), filepath.Join(file, "programs"),
			"note: not kept: approvals of programs ("},
		{"", "", ""},
	} {
		var said bytes.Buffer
		tr := &Trainer{Console: &console.Console{Stderr: cell.NewWriter(&said),
			Env: console.Env{Views: c.views, Programs: c.programs}}}
		tr.noteHome()
		got := said.String()
		if !strings.HasPrefix(got, c.want) || strings.Count(got, "\n") > 1 ||
			c.want == "" && got != "" {
			t.Errorf("with %q and %q it prints %q, want one line from %q on", c.views, c.programs,
				got, c.want)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("left in the home: %v, %v, want the file alone", entries, err)
	}
}
