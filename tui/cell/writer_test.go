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
	if got, err := os.ReadFile(path); string(got) != "\x1b[1mbold\\x1b]0;title\\x07" {
		t.Errorf("%q, %v", got, err)
	}
}
