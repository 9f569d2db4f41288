package foreign

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drolab/runner"
)

// rotate moves m.jsonl away, as its program does: m.jsonl.1 becomes m.jsonl.2, and so on.
func rotate(t *testing.T, dir string) {
	t.Helper()
	path := filepath.Join(dir, "m.jsonl")
	n := 1
	for plainFile(partName(path, n)) != nil {
		n++
	}
	for ; n > 1; n-- {
		if err := os.Rename(partName(path, n-1), partName(path, n)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Rename(path, partName(path, 1)); err != nil {
		t.Fatal(err)
	}
}

// steps returns JSON lines from a step to another, with the curve that they are.
func steps(from, to int) (text string, curve []at) {
	for step := from; step <= to; step++ {
		text += fmt.Sprintf(`{"step": %d, "x": %d}`+"\n", step, 2*step)
		curve = append(curve, at{int64(step), float64(2 * step)})
	}
	return text, curve
}

// TestRotated: files that Python's logging has rotated are one run, with all numbers in order. More
// than ten of them are told apart by their numbers, and the lines of one step may be in two files.
func TestRotated(t *testing.T) {
	done, r := imports(t, newStore(t), "testdata/rotated", options())
	var loss, accuracy []at
	for step := range 90 {
		loss = append(loss, at{int64(step), 1 / float64(step+1)})
		if step%4 == 3 {
			accuracy = append(accuracy, at{int64(step), float64(step) / 90})
		}
	}
	got := curves(t, r)
	expect(t, got, "user.loss", loss...)
	expect(t, got, "val_accuracy", accuracy...)
	files := done.Meta.Imported.Files
	if len(files) != 13 || filepath.Base(files[0].Path) != "metrics.jsonl.12" ||
		filepath.Base(files[12].Path) != "metrics.jsonl" {
		t.Errorf("the originals are %v, want 13 files, the oldest first", files)
	}
	const note = "it was rotated, and begins in metrics.jsonl.12"
	if notes := strings.Join(done.Meta.Imported.Absent, "; "); !strings.Contains(notes, note) {
		t.Errorf("the notes are %q, want %q", notes, note)
	}
}

// TestRotatedBetweenImports: a log that was rotated since its import is imported on. All kinds that
// are appended to may be rotated, and the new file may be empty still.
func TestRotatedBetweenImports(t *testing.T) {
	for kind, parts := range map[string][2]string{
		"jsonl":     {`{"step": 1, "x": 1}` + "\n", `{"step": 2, "x": 2}` + "\n"},
		"csv":       {"step,x\n1,1\n", "step,y,x\n2,3,2\n"},
		"lightning": {"epoch,step,x\n0,1,1\n", "epoch,step,x\n0,2,2\n"},
		"domainbed": {`{"args": {}, "hparams": {}, "epoch": 1, "step": 1, "x": 1}` + "\n",
			`{"args": {}, "hparams": {}, "epoch": 2, "step": 2, "x": 2}` + "\n"},
	} {
		dir, store := t.TempDir(), newStore(t)
		write(t, dir, map[string]string{"m.jsonl": parts[0]})
		first, _ := imports(t, store, dir, options())
		if got := only(t, dir).Kind(); got != kind {
			t.Errorf("%s is taken for %s", kind, got)
		}
		rotate(t, dir)
		write(t, dir, map[string]string{"m.jsonl": ""})
		again, r := imports(t, store, dir, options())
		if again.Meta.ID != first.Meta.ID {
			t.Errorf("%s: with an empty file it is the run %s, want %s", kind, again.Meta.ID,
				first.Meta.ID)
		}
		expect(t, curves(t, r), "user.x", at{1, 1})
		write(t, dir, map[string]string{"m.jsonl": parts[1]})
		again, r = imports(t, store, dir, options())
		if !again.Grown || again.Meta.ID != first.Meta.ID {
			t.Errorf("%s: rotated it is %+v, want the run %s", kind, again, first.Meta.ID)
		}
		expect(t, curves(t, r), "user.x", at{1, 1}, at{2, 2})
		rotate(t, dir)
		write(t, dir, map[string]string{"m.jsonl": ""})
		if again, r = imports(t, store, dir, options()); again.Meta.ID != first.Meta.ID {
			t.Errorf("%s: two files and an empty one are the run %s, want %s", kind, again.Meta.ID,
				first.Meta.ID)
		}
		expect(t, curves(t, r), "user.x", at{1, 1}, at{2, 2})
	}
}

// TestNotJoined: files whose steps overlap, or of which one is missing or no log, are runs of their
// own, and their notes say why.
func TestNotJoined(t *testing.T) {
	one, _ := steps(1, 3)
	two, _ := steps(4, 6)
	same := strings.ReplaceAll(two, "4", "3")
	for name, c := range map[string]struct {
		files map[string]string
		logs  int
		note  string
	}{
		"another run": {map[string]string{"m.jsonl": one, "m.jsonl.1": one}, 2,
			"m.jsonl.1 goes up to step 3, and m.jsonl begins at step 1"},
		"newest first": {map[string]string{"m.jsonl": one, "m.jsonl.1": two}, 2,
			"m.jsonl.1 goes up to step 6, and m.jsonl begins at step 1"},
		"a step twice": {map[string]string{"m.jsonl": same, "m.jsonl.1": one}, 2,
			"m.jsonl.1 goes up to step 3, and m.jsonl begins at step 3"},
		"gap": {map[string]string{"m.jsonl": two, "m.jsonl.2": one}, 2, "there is no m.jsonl.1"},
		"no log": {map[string]string{"m.jsonl": two, "m.jsonl.1": "\x1f\x8b"}, 1,
			"not joined to m.jsonl.1: m.jsonl.1 is no such log"},
		"another kind": {map[string]string{"m.jsonl": two, "m.jsonl.1": "step,x\n1,1\n"}, 2,
			"m.jsonl.1 is another kind of log"},
		"no log any more": {map[string]string{"m.jsonl": "\x1f\x8b", "m.jsonl.1": one}, 1,
			"not joined to m.jsonl, which is no such log"},
	} {
		dir := t.TempDir()
		write(t, dir, c.files)
		found, err := Find(context.Background(), []string{dir}, "")
		if err != nil || len(found) != c.logs {
			t.Fatalf("%s: %d logs, %v, want %d", name, len(found), err, c.logs)
		}
		for _, f := range found {
			done, err := f.Import(context.Background(), newStore(t), options(), &Seeds{})
			if err != nil {
				t.Fatal(err)
			}
			notes := strings.Join(done.Meta.Imported.Absent, "; ")
			if !strings.Contains(notes, c.note) || len(done.Meta.Imported.Files) != 1 {
				t.Errorf("%s: %s of %d files has the notes %q, want one file and %q", name, f.Path,
					len(done.Meta.Imported.Files), notes, c.note)
			}
		}
	}
}

// TestRotatedByName: a file that is named is read alone, with a note of the others. Where all are
// named, they are one log.
func TestRotatedByName(t *testing.T) {
	one, _ := steps(1, 3)
	two, _ := steps(4, 6)
	dir := t.TempDir()
	write(t, dir, map[string]string{"m.jsonl": two, "m.jsonl.1": one})
	log, part := filepath.Join(dir, "m.jsonl"), filepath.Join(dir, "m.jsonl.1")
	for path, note := range map[string]string{log: "m.jsonl.1 was not named",
		part: "m.jsonl, which was not named"} {
		done, _ := imports(t, newStore(t), path, options())
		notes := strings.Join(done.Meta.Imported.Absent, "; ")
		if len(done.Meta.Imported.Files) != 1 || !strings.Contains(notes, note) {
			t.Errorf("%s is of %d files, with the notes %q, want one and %q", path,
				len(done.Meta.Imported.Files), notes, note)
		}
	}
	found, err := Find(context.Background(), []string{part, log}, "")
	if err != nil || len(found) != 1 || found[0].Path != log || len(found[0].rotated) != 1 {
		t.Errorf("of both names come %+v, %v, want one log", found, err)
	}
	found, err = Find(context.Background(), []string{dir}, "jsonl")
	if err != nil || len(found) != 1 || len(found[0].rotated) != 1 {
		t.Errorf("as jsonl the folder has %+v, %v, want one log", found, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	long, _ := steps(1, 5000)
	write(t, dir, map[string]string{"m.jsonl.1": long})
	if _, err := Find(ctx, []string{dir}, ""); !errors.Is(err, context.Canceled) {
		t.Errorf("the search goes on after its end: %v", err)
	}
}

// TestRotatedMeanwhile: a log that is rotated after it was found is not read with a hole.
func TestRotatedMeanwhile(t *testing.T) {
	one, _ := steps(1, 3)
	two, _ := steps(4, 6)
	dir := t.TempDir()
	write(t, dir, map[string]string{"m.jsonl": two, "m.jsonl.1": one})
	f := only(t, dir)
	rotate(t, dir)
	write(t, dir, map[string]string{"m.jsonl": `{"step": 7, "x": 1}` + "\n"})
	_, err := f.Import(context.Background(), newStore(t), options(), &Seeds{})
	if !errors.Is(err, errMoved) {
		t.Errorf("the import ends with %v, want %v", err, errMoved)
	}
}

// TestFollowRotated: a log that was rotated before is followed from its beginning, and over its
// next rotation. A later import is the same run.
func TestFollowRotated(t *testing.T) {
	text := func(from, to int) string { s, _ := steps(from, to); return s }
	dir, store := t.TempDir(), newStore(t)
	path := filepath.Join(dir, "m.jsonl")
	write(t, dir, map[string]string{"m.jsonl.1": text(1, 3), "m.jsonl": text(4, 5)})
	r := follow(t, store, dir, script{actions: []func(){
		appends(t, path, text(6, 6)),
		func() { // rewritten, with what it had
			write(t, dir, map[string]string{"new": text(4, 7)})
			if err := os.Rename(filepath.Join(dir, "new"), path); err != nil {
				t.Fatal(err)
			}
		},
		func() {
			rotate(t, dir)
			write(t, dir, map[string]string{"m.jsonl": text(8, 8)})
		},
		appends(t, path, text(9, 9)),
		func() { // what comes before a rotation is not lost, and neither is a whole file
			appends(t, path, text(10, 11))()
			rotate(t, dir)
			write(t, dir, map[string]string{"m.jsonl": text(12, 13)})
			rotate(t, dir)
			write(t, dir, map[string]string{"m.jsonl": text(14, 14)})
			rotate(t, dir)
			write(t, dir, map[string]string{"m.jsonl": text(15, 15)})
		},
		appends(t, path, text(16, 16))}})
	_, want := steps(1, 16)
	expect(t, curves(t, r), "user.x", want...)
	status(t, r, runner.Stopped)
	done, again := imports(t, store, dir, options())
	if done.Meta.ID != r.Meta.ID {
		t.Errorf("the import is the run %s, want %s", done.Meta.ID, r.Meta.ID)
	}
	expect(t, curves(t, again), "user.x", want...)
	status(t, again, runner.Done)
}
