package aside

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// TestWrite: the file is the old one until the new one is whole, and nothing
// else is left.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	look := func(when, want string) {
		t.Helper()
		if b, err := os.ReadFile(path); err != nil || string(b) != want {
			t.Errorf("%s: %q, %v, want %q", when, b, err, want)
		}
	}
	put := func(text string, then error) error {
		return Write(path, func(w io.Writer) error {
			if _, err := io.WriteString(w, text); err != nil {
				return err
			}
			if text == "new" {
				look("while it is written", "old")
			}
			return then
		})
	}
	broken := errors.New("broken")
	for _, c := range []struct {
		text, want string
		err        error
	}{{"old", "old", nil}, {"half", "old", broken}, {"new", "new", nil}} {
		if err := put(c.text, c.err); !errors.Is(err, c.err) {
			t.Fatal(err)
		}
		look("then", c.want)
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
			t.Errorf("in the folder: %v, %v", entries, err)
		}
	}
	if err := Write(filepath.Join(dir, "none", "a"), func(io.Writer) error { return nil }); err == nil {
		t.Error("a file was written into no folder")
	}
}
