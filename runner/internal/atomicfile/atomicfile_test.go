package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
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

// folderWithoutLinks is a folder of a file system without hard links.
type folderWithoutLinks struct{ Root }

func (folderWithoutLinks) Link(string, string) error { return errors.ErrUnsupported }

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
			in = folderWithoutLinks{Root{r}}
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
			if !errors.Is(err, c.err) {
				t.Errorf("links %v: writing %q: %v, want %v", links, c.text, err, c.err)
			}
			if name != c.name {
				t.Errorf("links %v: %q is in %q, want %q", links, c.text, name, c.name)
			}
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for _, e := range entries {
			b, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			got[e.Name()] = string(b)
		}
		if diff := cmp.Diff(map[string]string{"a": "1", "b": "2"}, got); diff != "" {
			t.Errorf("links %v: the files differ (-want +got):\n%s", links, diff)
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
				t.Errorf("Write of %q: %v", text, err)
			}
			if b, _ := os.ReadFile(path); string(b) != text {
				t.Errorf("%q is there, want %q", b, text)
			}
		}
	})
	if err != nil {
		t.Errorf("Write of %q: %v", "first", err)
	}
	if b, _ := os.ReadFile(path); string(b) != "first" {
		t.Errorf("%q is there, want %q, of the writer that ended last", b, "first")
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("the folder has %v, want one file", entries)
	}
}

// TestExchange: two folders get each other's name, also where one is in a folder below.
func TestExchange(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a/of": "a", "in/b/of": "b"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	in, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	err = in.Exchange("in/b", "a")
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip("this disk cannot exchange names")
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"a/of": "b", "in/b/of": "a"} {
		if b, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(b) != want {
			t.Errorf("%s has %q, %v, want %q", name, b, err, want)
		}
	}
	if err := in.Exchange("a", "missing"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("exchanged with what is missing: %v", err)
	}
	if err := in.Exchange("a", "../outside"); err == nil {
		t.Error("a name leads out of the folder")
	}
}
