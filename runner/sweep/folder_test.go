package sweep

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
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
	for _, err := range []error{err, f.files.Write(f.limitsPath(0), limits{2, 30}),
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

// TestFlips: when any byte of any file of a sweep changes, the file is named. The table is what it
// was, or an error.
func TestFlips(t *testing.T) {
	f := written(t)
	want, err := shown(f.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if list, err := Examine(f.Dir, false); err != nil || len(list) > 0 {
		t.Fatal(err, found(list))
	}
	rng := rand.New(rand.NewPCG(7, 11))
	n := 0
	texts := ownTexts(t, f)
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		text := texts[name]
		t.Run(strings.ReplaceAll(name, "/", "_"), func(t *testing.T) {
			at := count(len(text))
			if !*long {
				rng.Shuffle(len(at), func(i, j int) { at[i], at[j] = at[j], at[i] })
				seal := count(len(text))[len(text)-20:] // every byte of it
				at = append(at[:min(20, len(at))], seal...)
			}
			for _, i := range at {
				n++
				flip(t, f, name, text, i, byte(1+rng.IntN(255)), want)
			}
		})
	}
	t.Logf("%d bytes", n)
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
	if err != nil || !named {
		t.Errorf("%s: not named: %v %v", what, err, found(list))
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

// TestMendLosesNothing: a damaged file is kept unchanged in .set-aside, the next start makes it
// anew, and no finished run is touched.
func TestMendLosesNothing(t *testing.T) {
	f := written(t)
	before := logs(t, f)
	texts := ownTexts(t, f)
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		text := texts[name]
		t.Run(strings.ReplaceAll(name, "/", "_"), func(t *testing.T) {
			harmed := bytes.Replace(text, []byte("e"), []byte("E"), 1)
			put(t, filepath.Join(f.Dir, name), harmed)
			list, err := Examine(f.Dir, true)
			if err != nil || len(list) == 0 {
				t.Fatal(err, list)
			}
			for _, one := range list {
				if !one.Mended {
					t.Error(found(list))
				}
			}
			if !keptAside(t, f.Dir, harmed) {
				t.Error("what was there is lost")
			}
			file := f.List.File
			if f, err = Make(f.Dir, file, parse(t, string(file)).Expand()); err != nil {
				t.Fatal(err)
			}
			work(t, f)
			if list, err := Examine(f.Dir, false); err != nil || len(list) > 0 {
				t.Error(err, found(list))
			}
			if got, _ := os.ReadFile(filepath.Join(f.Dir, fileName)); !bytes.Equal(got, file) {
				t.Errorf("the file is %q", got)
			}
		})
	}
	after := logs(t, f)
	for _, r := range f.List.Runs {
		if strings.Contains(before[r.ID], `"status":"done"`) && before[r.ID] != after[r.ID] {
			t.Errorf("%s was done, and is another", r.ID)
		}
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

// TestAFileThatIsEdited: when a person changes the sweep file in the folder, the file is named and
// the sweep goes on as it was started. A start with the new file adds its runs.
func TestAFileThatIsEdited(t *testing.T) {
	f := made(t, fewer)
	path := filepath.Join(f.Dir, fileName)
	put(t, path, []byte(more))
	list, err := Examine(f.Dir, false)
	if err != nil || len(list) != 1 || list[0].File != fileName ||
		!strings.Contains(list[0].Remedy, "drolab sweep start FILE --dir DIR") {
		t.Fatal(err, found(list))
	}
	if got := counts(t, open(t, f.Dir)); got[Missing] != 4 {
		t.Errorf("the sweep has %v", got)
	}
	if _, err := Make(f.Dir, []byte(more), parse(t, more).Expand()); err != nil {
		t.Fatal(err)
	}
	oneSweep(t, f.Dir, 6, Missing)
}

// TestModes: only their owner can enter a sweep's folders and read its files.
func TestModes(t *testing.T) {
	f := written(t)
	for path, text := range ownTexts(t, f) {
		for ; path != "."; path = filepath.Dir(path) {
			info, err := os.Stat(filepath.Join(f.Dir, path))
			if err != nil || info.Mode().Perm()&0o077 != 0 {
				t.Errorf("%s: %v, %v (%d bytes)", path, info.Mode(), err, len(text))
			}
		}
	}
	dir := filepath.Join(t.TempDir(), "a", "b")
	if _, err := Make(dir, []byte(fewer), parse(t, fewer).Expand()); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info.Mode(), err)
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
		t.Errorf("%v, want %s", err, want)
	}
}

// TestFilesOfAnotherSweep: the files of one sweep in the place of another's are named.
func TestFilesOfAnotherSweep(t *testing.T) {
	text := fewer + "halving: {epochs: [1], keep: .5}\n"
	a, b := made(t, text), made(t, text)
	for _, f := range []*Folder{a, b} {
		if err := f.files.Write(f.rungPath(1), &rung{Epochs: 1, Kept: []int{0, 1}}); err != nil {
			t.Fatal(err)
		}
	}
	other, err := os.ReadFile(b.rungPath(1))
	if err != nil {
		t.Fatal(err)
	}
	put(t, a.rungPath(1), other)
	if _, err := a.rung(1); err == nil || !strings.Contains(err.Error(), b.List.ID) {
		t.Errorf("a rung of another sweep is read: %v", err)
	}
	if list, err := Examine(a.Dir, false); err != nil || len(list) != 1 ||
		!strings.Contains(list[0].What, "belongs elsewhere") {
		t.Error(err, found(list))
	}
	moved := a.Dir + "-moved" // a sweep may have any name
	if err := os.Rename(b.Dir, moved); err != nil {
		t.Fatal(err)
	}
	if r, err := open(t, moved).rung(1); err != nil || len(r.Kept) != 2 {
		t.Errorf("moved: %+v, %v", r, err)
	}
}
