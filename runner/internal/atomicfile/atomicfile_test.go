package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestWrite: the file keeps its old content until the new content is complete, and no other file is
// left behind.
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
	if err := Write(filepath.Join(dir, "none", "a"),
		func(io.Writer) error { return nil }); err == nil {
		t.Error("a file was written into no folder")
	}
}

// linkless is a folder of a file system without hard links.
type linkless struct{ Root }

func (linkless) Link(string, string) error { return errors.ErrUnsupported }

// TestNewIn: a file gets the first free name, replaces no file, and appears only when it is
// complete.
func TestNewIn(t *testing.T) {
	for _, links := range []bool{true, false} {
		dir := t.TempDir()
		r, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		in := Disk(Root{r})
		if !links {
			in = linkless{Root{r}}
		}
		broken := errors.New("broken")
		for _, c := range []struct {
			text, name string
			err        error
		}{{"1", "a", nil}, {"half", "", broken}, {"2", "b", nil}, {"3", "", fs.ErrExist}} {
			name, err := NewIn(in, slices.Values([]string{"a", "b"}), 0o600,
				func(w io.Writer) error {
					if _, err := os.Stat(filepath.Join(dir, c.name)); c.name != "" && err == nil {
						t.Errorf("%s is there before it is whole", c.name)
					}
					io.WriteString(w, c.text)
					return c.err
				})
			if name != c.name || !errors.Is(err, c.err) {
				t.Errorf("links %v: %q is in %q, %v", links, c.text, name, err)
			}
		}
		entries, err := os.ReadDir(dir)
		a, _ := os.ReadFile(filepath.Join(dir, "a"))
		b, _ := os.ReadFile(filepath.Join(dir, "b"))
		if err != nil || len(entries) != 2 || string(a) != "1" || string(b) != "2" {
			t.Errorf("links %v: %v, a %q, b %q, %v", links, entries, a, b, err)
		}
	}
}

// TestWritersAtOnce: a file is written while another writer is half way through the same file.
// Neither writer fails, neither renames the other's half, and no other file is left behind.
func TestWritersAtOnce(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	put := func(text string, half func()) error {
		return Write(path, func(w io.Writer) error {
			_, err := io.WriteString(w, text[:2])
			half()
			_, also := io.WriteString(w, text[2:])
			return errors.Join(err, also)
		})
	}
	err := put("first", func() {
		for _, text := range []string{"second", "third"} {
			if err := put(text, func() {}); err != nil {
				t.Errorf("%s: %v", text, err)
			}
			if b, _ := os.ReadFile(path); string(b) != text {
				t.Errorf("%q is there, want %q", b, text)
			}
		}
	})
	b, _ := os.ReadFile(path)
	entries, _ := os.ReadDir(dir)
	if err != nil || string(b) != "first" || len(entries) != 1 {
		t.Errorf("%v; %q is there, want the text of who ended last; %v", err, b, entries)
	}
}
