package cli

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"drolab/dro/testsize"

	"github.com/google/go-cmp/cmp"
)

// TestFilesOfAnotherRun puts files of one run into the folder of another, as a restored backup may.
// Each command names a file that does not belong, or gives the run's own figures.
func TestFilesOfAnotherRun(t *testing.T) {
	f := newRecordedFolder(t)
	a, b := filepath.Join(f.runs, f.ids[0]), filepath.Join(f.runs, f.ids[1])
	steps, err := filepath.Glob(filepath.Join(a, "checkpoints", "step-*"))
	check(t, err)
	var saved []string
	for _, path := range steps {
		saved = append(saved, filepath.Join("checkpoints", filepath.Base(path)))
	}
	saved = slices.DeleteFunc(saved, func(name string) bool {
		_, err := os.Stat(filepath.Join(b, name))
		return err != nil
	})
	const log, meta, summary = "events.jsonl", "run.json", "summary.json"
	for _, id := range f.ids {
		f.told["report "+id], _ = f.call(t, []string{"report", id})
	}
	for _, swapped := range testsize.Few(1, []string{log}, saved, []string{log, summary},
		[]string{meta}, []string{summary}, append([]string{log, meta, summary}, saved...)) {
		swap := func() {
			for _, name := range swapped {
				x, y, between := filepath.Join(a, name), filepath.Join(b, name), f.runs+".between"
				check(t, os.Rename(x, between))
				check(t, os.Rename(y, x))
				check(t, os.Rename(between, y))
			}
		}
		swap()
		for _, args := range f.commands("") {
			if slices.Contains(args, filepath.Join(f.runs, "mine")) || strings.Contains(
				strings.Join(args, " "), kept) {
				continue // they read none of these files
			}
			f.trueOrNamed(t, fmt.Sprint("swapped ", swapped), args, append(swapped, "the folder"))
		}
		for _, id := range f.ids {
			f.trueOrNamed(t, fmt.Sprint("swapped ", swapped), []string{"report", id},
				append(swapped, "the folder"))
			f.resumed(t, fmt.Sprint("swapped ", swapped), id, append(swapped, "the folder"))
		}
		swap()
	}
}

// trueOrNamed checks that a command prints what it printed before, or names one of the things.
func (f *recordedFolder) trueOrNamed(t *testing.T, harm string, args, things []string) {
	t.Helper()
	told, problems := f.call(t, args)
	named := slices.ContainsFunc(things, func(s string) bool {
		return strings.Contains(told+problems, filepath.Base(s))
	})
	if want, known := f.told[strings.Join(args, " ")]; !named && (!known || told != want) {
		t.Errorf("%s: %v prints something else, and names nothing: %s\n%.2000s", harm, args,
			problems, told)
	}
}

// resumed checks that a resume names one of the things, or leaves the run with the figures that it
// had. Then the folder is as before.
func (f *recordedFolder) resumed(t *testing.T, harm, id string, things []string) {
	t.Helper()
	was := t.TempDir()
	check(t, os.CopyFS(was, os.DirFS(f.runs)))
	_, problems := f.call(t, []string{"resume", id, "--inline"})
	named := slices.ContainsFunc(append(things, "is done"), func(s string) bool {
		return strings.Contains(problems, filepath.Base(s))
	})
	args := []string{"show", id, "--json"}
	told, _ := f.call(t, args)
	speed := regexp.MustCompile(`"images_per_second": [0-9.e+]+`)
	want := f.told[strings.Join(args, " ")]
	if !named && speed.ReplaceAllString(told, "") != speed.ReplaceAllString(want, "") {
		t.Errorf("%s: resumed, %s: %s\n%.2000s", harm, id, problems, told)
	}
	check(t, os.RemoveAll(f.runs))
	check(t, os.CopyFS(f.runs, os.DirFS(was)))
}

// TestChangedLogs cuts a log, and moves, repeats and removes its lines. Each command names the log,
// or prints what it printed before.
func TestChangedLogs(t *testing.T) {
	n := testsize.Pick(5, 40, 200)
	f := newRecordedFolder(t)
	path := filepath.Join(f.runs, f.ids[0], "events.jsonl")
	good, err := os.ReadFile(path)
	check(t, err)
	rng := rand.New(rand.NewPCG(5, 8))
	for i := range n {
		lines := bytes.SplitAfter(bytes.Clone(good), []byte{'\n'})
		lines = lines[:len(lines)-1]
		// Without its last line, the run has not ended.
		x, y := rng.IntN(len(lines)-1), rng.IntN(len(lines))
		harm := fmt.Sprintf("log %d of %d lines, lines %d and %d", i%5, len(lines), x+1, y+1)
		switch i % 5 {
		case 0:
			lines = lines[:x]
		case 1:
			lines[x], lines[y] = lines[y], lines[x]
		case 2:
			lines = slices.Delete(lines, x, x+1)
		case 3:
			lines = slices.Insert(lines, y, bytes.Clone(lines[x]))
		case 4:
			lines = slices.Delete(lines, min(x, y), max(x, y))
		}
		text := bytes.Join(lines, nil)
		if bytes.Equal(text, good) {
			continue
		}
		check(t, os.WriteFile(path, text, 0o600))
		for _, args := range append(f.commands(f.ids[0]), []string{"report", f.ids[0]}) {
			f.trueOrNamed(t, harm, args, []string{path})
		}
		f.resumed(t, harm, f.ids[0], []string{path})
	}
	check(t, os.WriteFile(path, good, 0o600))
}

// TestCopiedRun: a copy of a run beside it is not counted twice, and so is a renamed one: the
// command says what to do. A folder from before format 1 gets one line and harms no other run.
func TestCopiedRun(t *testing.T) {
	f := newRecordedFolder(t)
	id := f.ids[0]
	own := filepath.Join(f.runs, id)
	for _, name := range []string{id + "-copy", "other"} {
		dir := filepath.Join(f.runs, name)
		check(t, os.CopyFS(dir, os.DirFS(own)))
		told, problems := f.call(t, []string{"runs", "--json"})
		if diff := cmp.Diff(f.told["runs --json"], told); diff != "" {
			t.Errorf("beside %s, runs --json differs (-want +got):\n%s", name, diff)
		}
		for _, want := range []string{"holds run " + id, "if it is a copy, remove it"} {
			if !strings.Contains(problems, want) {
				t.Errorf("beside %s, runs complains %q, want %q in it", name, problems, want)
			}
		}
		told, problems = f.call(t, []string{"show", name})
		if told != "" {
			t.Errorf("show %s prints %q, want nothing", name, told)
		}
		if want := "holds run " + id; !strings.Contains(problems, want) {
			t.Errorf("show %s complains %q, want %q in it", name, problems, want)
		}
		check(t, os.RemoveAll(dir))
	}
	old := filepath.Join(f.runs, "of-old")
	check(t, os.Mkdir(old, 0o700))
	check(t, os.WriteFile(filepath.Join(old, "run.json"),
		[]byte("{\n  \"id\": \"of-old\",\n  \"crc\": \"00000000\"\n}\n"), 0o600))
	for _, args := range [][]string{{"runs", "--json"}, {"show", "of-old"},
		{"resume", "of-old", "--inline"}, {"delete", "of-old", "--yes"}} {
		told, problems := f.call(t, args)
		const want = "run of-old is from before format 1"
		if strings.Count(problems, want) != 1 || strings.Count(problems, "\n") != 1 {
			t.Errorf("drolab %v complains %q, want one line with %q", args, problems, want)
		}
		if diff := cmp.Diff(f.told[strings.Join(args, " ")], told); diff != "" {
			t.Errorf("drolab %v prints otherwise than without it (-want +got):\n%s", args, diff)
		}
	}
}
