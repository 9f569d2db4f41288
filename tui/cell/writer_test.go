package cell

import (
	"io"
	"os"
	"path/filepath"
	"testing"
)

// A coloured writer to a file cleans text by whatever method it is written.
func TestColouredCleans(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	to := NewWriter(f).ColourWriter()
	if _, err := io.WriteString(to, "\x1b[1mbold\x1b]0;title\a"); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if want := "\x1b[1mbold\\x1b]0;title\\x07"; string(got) != want {
		t.Errorf("the file has %q, want %q", got, want)
	}
}
