package sweep

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drolab/runner/record"
)

// written returns a trained sweep with rungs that has one of each file that belongs to a sweep
// itself.
func written(t *testing.T) *Folder {
	t.Helper()
	text := strings.Replace(tiny, "seeds: 2", "seeds: 1", 1) + "halving: {epochs: [2], keep: .5}\n"
	f, err := Make(t.TempDir(), []byte(text), parse(t, text).Expand())
	if err != nil {
		t.Fatal(err)
	}
	work(t, f)
	f.noteRefusal(3, fs.ErrInvalid)
	_, err = f.Request(Here{Parallel: 2, Threads: 1})
	for _, err := range []error{err, f.files.Write(f.limitsPath(0), timeouts{2, 30}),
		f.files.Folder(f.ownPath("slurm")),
		f.noteSubmitted([]Batch{{Job: "40", Tasks: count(4)}})} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return f
}

// ownTexts returns the contents of the sweep's own files that are not empty.
func ownTexts(t *testing.T, f *Folder) map[string][]byte {
	t.Helper()
	names, err := f.ownFiles()
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string][]byte{}
	for _, name := range names {
		if b, err := os.ReadFile(filepath.Join(f.Dir, name)); err == nil && len(b) > 0 {
			texts[name] = b
		}
	}
	if len(texts) != 7 {
		t.Fatalf("%d files, want the sweep's, its list, a rung, limits, a refusal, jobs and here",
			len(texts))
	}
	return texts
}

// shown returns everything that a sweep's folder tells about the sweep: the table, the states, the
// engine's orders and Slurm's jobs; or the error of reading it.
func shown(dir string) (string, error) {
	f, err := Open(dir)
	if err != nil {
		return "", err
	}
	look := NewProgress(f)
	states, err := look.States()
	if err != nil {
		return "", err
	}
	b, err := json.Marshal([]any{look.Table(), Count(states), f.List})
	return string(b), err
}

func flip(t *testing.T, f *Folder, name string, text []byte, at int, by byte, want string) {
	t.Helper()
	path := filepath.Join(f.Dir, name)
	harmed := bytes.Clone(text)
	harmed[at] ^= by
	put(t, path, harmed)
	list, err := Examine(f.Dir, false)
	named := slices.ContainsFunc(list, func(f *record.Finding) bool {
		return f.File == name && f.Remedy != ""
	})
	what := fmt.Sprintf("byte %d of %d is %q, was %q", at, len(text), harmed[at], text[at])
	if err != nil {
		t.Errorf("%s: Examine(): %v", what, err)
	}
	if !named {
		t.Errorf("%s: Examine() finds %v, want %s with a remedy", what, found(list), name)
	}
	if got, err := shown(f.Dir); err == nil && got != want {
		t.Errorf("%s: shows\n%s\nwithout an error", what, got)
	}
	put(t, path, text)
}

func put(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// keptAside reports whether a file with this text was moved out of the way.
func keptAside(t *testing.T, dir string, text []byte) bool {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, ".set-aside", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(paths, func(path string) bool {
		b, err := os.ReadFile(path)
		return err == nil && bytes.Equal(b, text)
	})
}

// TestModes: only their owner can enter a sweep's folders and read its files.
func TestModes(t *testing.T) {
	f := written(t)
	for path, text := range ownTexts(t, f) {
		for ; path != "."; path = filepath.Dir(path) {
			info, err := os.Stat(filepath.Join(f.Dir, path))
			if err != nil {
				t.Fatal(err)
			}
			if mode := info.Mode().Perm(); mode&0o077 != 0 {
				t.Errorf("%s has the mode %v, want one for its owner alone (%d bytes)", path, mode,
					len(text))
			}
		}
	}
	dir := filepath.Join(t.TempDir(), "a", "b")
	if _, err := Make(dir, []byte(fewer), parse(t, fewer).Expand()); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	if mode := info.Mode().Perm(); mode != 0o700 {
		t.Errorf("the sweep's folder has the mode %v, want 0700", mode)
	}
}

// TestSweepFromBeforeFormat1: a list without a format gets one line.
func TestSweepFromBeforeFormat1(t *testing.T) {
	f := made(t, fewer)
	path := filepath.Join(f.Dir, listName)
	put(t, path, []byte(`{"name":"mine","runs":[],"crc":"00000000"}`+"\n"))
	_, err := Open(f.Dir)
	if want := "sweep " + filepath.Base(f.Dir) + " is from before format 1"; err == nil ||
		err.Error() != want {
		t.Errorf("Open() = %v, want %q", err, want)
	}
}
