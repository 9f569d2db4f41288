//go:build unix

package source

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"drolab/dro/testsize"
	"drolab/runner/data"
)

// TestOnlyFiles opens things that are not files as a dataset. Each is refused at once; otherwise a
// pipe would be waited for, and a device read without end.
func TestOnlyFiles(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "train-images-idx3-ubyte")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"csv:" + pipe, "csv:/dev/zero", "csv:/dev/null", "csv:" + dir, "idx:" + dir,
		"csv:example?test=" + pipe,
	} {
		want := "not a regular file"
		if name == "csv:"+dir {
			want = "is a folder"
		}
		if _, err := Open(name, data.Options{}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}

// TestEndlessFile checks that a file is read to the size that it had when it was opened.
func TestEndlessFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(path, []byte("12345"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := data.OpenInput(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.WriteFile(path, []byte("1234567890"), 0o600); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 20)
	n, _ := f.Read(b)
	if more, _ := f.Read(b[n:]); n+more != 5 {
		t.Errorf("%d bytes are read of 5", n+more)
	}
}

// TestEndlessLine checks that a line without end, in quotes or not, is refused before it fills the
// memory. The files are holes.
func TestEndlessLine(t *testing.T) {
	for _, head := range testsize.Few(1, "", "a,label\n\"", "a,label\n") {
		path := filepath.Join(t.TempDir(), "a.csv")
		if err := os.WriteFile(path, []byte(head), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, 1<<40); err != nil {
			t.Skip(err)
		}
		if _, err := Open("csv:"+path, data.Options{}); err == nil ||
			!strings.Contains(err.Error(), "a line of more") {
			t.Errorf("after %q: %v", head, err)
		}
	}
}
