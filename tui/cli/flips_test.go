package cli

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drolab/dro/testsize"
	"drolab/runner/record"
	"drolab/tui/cli/console"
)

// The long form takes minutes:
//
//	DROLAB_LONG=1 go test -run TestFlips -v -timeout 1h ./tui/cli

// recordedFolder is a folder with runs, their labels and a sweep, and the figures that the commands
// print of it.
type recordedFolder struct {
	env        console.Env
	runs       string
	ids, sweep []string // names of the runs, in the folder and in the sweep
	told       map[string]string
}

// TestFlips changes one byte of a file in a folder of runs. Each command that reads the file then
// prints and writes the same figures as before, or names the file.
func TestFlips(t *testing.T) {
	n := testsize.Pick(4, 60, 2000)
	f := newRecordedFolder(t)
	files := f.files(t)
	kinds := slices.Sorted(maps.Keys(files))
	rng := rand.New(rand.NewPCG(3, 5))
	counts := map[string]map[string]int{}
	for i := range n {
		kind := kinds[i%len(kinds)]
		name := files[kind][rng.IntN(len(files[kind]))]
		path := filepath.Join(f.runs, name)
		good, err := os.ReadFile(path)
		check(t, err)
		bad := bytes.Clone(good)
		at := rng.IntN(len(bad))
		bad[at] ^= byte(1 + rng.IntN(255))
		check(t, os.WriteFile(path, bad, 0o600))
		if counts[kind] == nil {
			counts[kind] = map[string]int{}
		}
		harm := fmt.Sprintf("%s, byte %d from %q to %q", name, at, good[at], bad[at])
		outcome := f.look(t, name, harm)
		counts[kind][outcome]++
		if outcome == unnoticed && !strings.HasSuffix(kind, "lock") {
			t.Errorf("%s: nobody names it, nor does the doctor", harm)
		}
		check(t, os.WriteFile(path, good, 0o600))
	}
	for _, kind := range kinds {
		t.Logf("%-28s %v", kind, counts[kind])
	}
}

// A flipped byte can go unnoticed in a lock, which nobody reads.
const (
	notByDoctor = ", not by doctor"
	unnoticed   = "same" + notByDoctor
)

// kept is the folder of the packed runs, which the list of runs does not show.
const kept = ".kept"

// kindOf returns the name of a file without the parts in which files of one kind differ.
func kindOf(name string) string {
	base := filepath.Base(name)
	if strings.HasPrefix(base, "step-") {
		base = "step" + filepath.Ext(base)
	}
	if strings.HasSuffix(base, record.PackedExt) {
		base = record.PackedExt
	}
	if first, _, _ := strings.Cut(name, string(filepath.Separator)); first == "mine" {
		return "sweep: " + base
	}
	return base
}

func newRecordedFolder(t *testing.T) *recordedFolder {
	f := &recordedFolder{runs: t.TempDir(), told: map[string]string{}}
	f.env = console.Env{DataDir: t.TempDir(), RunsDir: f.runs, RuntimeDir: t.TempDir(),
		SignalContext: func(ctx context.Context, _ func()) (context.Context, context.CancelFunc) {
			return context.WithCancel(ctx)
		}}
	dir := t.TempDir()
	preset, sweep := filepath.Join(dir, "small.yaml"), filepath.Join(dir, "sweep.yaml")
	const settings = "dataset: csv:example\nmodel: linear\nepochs: 3\nbatch: 64\nlog_every: 5\n" +
		"val_fraction: 0.2\nmin_group: 1\n"
	check(t, os.WriteFile(preset, []byte(settings+"algorithms: [sfk, erm]\n"), 0o600))
	check(t, os.WriteFile(sweep, []byte("preset: "+preset+"\ngrid:\n  lr: [0.01, 0.02]\n"), 0o600))
	f.must(t, "run", preset, "--inline")
	f.must(t, "sweep", "start", sweep, "--dir", filepath.Join(f.runs, "mine"), "--inline")
	f.ids, f.sweep = names(t, f.runs), names(t, filepath.Join(f.runs, "mine"))
	f.must(t, "label", f.ids[0], "--note", "a good one", "--tag", "kept")
	f.must(t, "checkpoint", f.ids[0], "--pin")
	f.must(t, "record", f.ids[0], "--into", filepath.Join(f.runs, kept))
	lock := filepath.Join(f.runs, f.ids[0], "checkpoints", "lock")
	check(t, os.WriteFile(lock, []byte(`{"host":"there"}`), 0o600))
	for _, args := range f.commands("") {
		out, problems := f.call(t, args)
		if problems != "" {
			t.Fatalf("before anything is flipped, %v says %s", args, problems)
		}
		f.told[strings.Join(args, " ")] = out
	}
	return f
}

func (f *recordedFolder) must(t *testing.T, args ...string) {
	t.Helper()
	var out bytes.Buffer
	env := f.env
	env.Stdout, env.Stderr = &out, &out
	if Main(t.Context(), env, args) != 0 {
		t.Fatalf("drolab %v fails: %s", args, out.String())
	}
}

// names returns the names of the runs in a folder.
func names(t *testing.T, dir string) (ids []string) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "*", "run.json"))
	check(t, err)
	for _, path := range found {
		ids = append(ids, filepath.Base(filepath.Dir(path)))
	}
	return ids
}

// files returns the files that are not empty, by their kind.
func (f *recordedFolder) files(t *testing.T) (list map[string][]string) {
	t.Helper()
	list = map[string][]string{}
	check(t, filepath.WalkDir(f.runs, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Size() > 0 {
			name, e := filepath.Rel(f.runs, path)
			list[kindOf(name)], err = append(list[kindOf(name)], name), e
		}
		return err
	}))
	return list
}

// commands returns the commands that read a file, or those for all files if name is empty.
func (f *recordedFolder) commands(name string) (list [][]string) {
	first, _, _ := strings.Cut(name, string(filepath.Separator))
	mine := filepath.Join(f.runs, "mine")
	if first == kept || name == "" {
		found, _ := filepath.Glob(filepath.Join(f.runs, kept, "*"))
		list = append(list, []string{"show", found[0], "--json"},
			[]string{"compare", found[0], "--csv"})
	}
	if first != "mine" && first != kept {
		list = append(list, []string{"runs", "--json"}, []string{"doctor"},
			append([]string{"compare", "--json"}, f.ids...))
		for _, id := range f.ids {
			if name == "" || id == first {
				list = append(list, []string{"show", id, "--json"},
					[]string{"export", id, "--to", "csv"}, []string{"export", id, "--to", "onnx"})
			}
		}
	}
	if first == "mine" || name == "" {
		list = append(list, []string{"sweep", "status", mine, "--json"},
			[]string{"sweep", "table", mine}, []string{"runs", "--json", "--runs", mine},
			[]string{"doctor", "--runs", mine})
		for _, id := range f.sweep {
			if name == "" || strings.Contains(name, id) {
				list = append(list, []string{"export", id, "--to", "csv", "--runs", mine})
			}
		}
	}
	return list
}

// call returns the text that a command prints and writes, and its complaints.
func (f *recordedFolder) call(t *testing.T, args []string) (told, problems string) {
	t.Helper()
	var out, complaints bytes.Buffer
	env := f.env
	env.Stdout, env.Stderr = &out, &complaints
	if args[0] == "export" {
		into := filepath.Join(t.TempDir(), "out")
		args = append(slices.Clone(args), "--out", into)
		Main(t.Context(), env, args)
		files, err := filepath.Glob(into + "/*")
		check(t, err)
		for _, path := range append(files, into) {
			b, _ := os.ReadFile(path)
			told += string(b)
		}
		return told, strings.ReplaceAll(complaints.String(), into, "")
	}
	Main(t.Context(), env, args)
	return out.String(), complaints.String()
}

// look runs every command that reads a damaged file, and returns the outcome.
func (f *recordedFolder) look(t *testing.T, name, harm string) string {
	t.Helper()
	outcome, doctor := "same", false
	for _, args := range f.commands(name) {
		told, problems := f.call(t, args)
		named := strings.Contains(told+problems, filepath.Base(name))
		switch {
		case args[0] == "doctor" && named:
			doctor = true
		case named:
			outcome = "named"
		case told != f.told[strings.Join(args, " ")]:
			t.Errorf("%s: %v prints something else, and does not name it: %s\n%.2000s", harm, args,
				problems, told)
			return "silent"
		}
	}
	if !doctor {
		outcome += notByDoctor
	}
	return outcome
}
