package presets

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drolab/runner/spec"
)

// TestFilesAreUTF8: a file that is not UTF-8 is refused with the line of the error. The parser
// would replace every invalid byte by the same character.
func TestFilesAreUTF8(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"Latin-1", "# how\ndataset: csv:pr\xe9nom.csv\n",
			":2: byte 21 of the text (0xe9) is not UTF-8"},
		{"UTF-16", "\xff\xfed\x00", ":1: is UTF-16"},
		{"the first Macs", "doc: x\rrho: 1\r", ":1: ends in a carriage return alone (byte 6)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "p.yaml")
			if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := Load(path); err == nil || !strings.Contains(err.Error(), path+c.want) {
				t.Errorf("preset: %v, want %q", err, c.want)
			}
			_, err := Entries(path, []byte(c.text))
			if err == nil || !strings.Contains(err.Error(), path+c.want) {
				t.Errorf("entries: %v, want %q", err, c.want)
			}
		})
	}
	t.Run("an assignment", func(t *testing.T) {
		s := spec.Defaults()
		err := Set(&s, "dataset=csv:pr\xe9nom.csv")
		if err == nil || !strings.Contains(err.Error(), "(0xe9) is not UTF-8") {
			t.Error(err)
		}
	})
	t.Run("the file's name", func(t *testing.T) {
		_, err := parse("pr\xe9.yaml", []byte("rho: 1\n"))
		if err == nil || !strings.Contains(err.Error(),
			`the name "pr\xe9" is not UTF-8: rename the file`) {
			t.Error(err)
		}
	})
}
