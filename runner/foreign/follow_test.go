package foreign

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"drolab/runner"
	"drolab/runner/record"
)

// script is what a program does to its log, one action each time that everything has been read.
type script struct {
	actions []func()
}

// follow follows the log at a path while the script goes on, and returns its run.
func follow(t *testing.T, store *record.Store, path string, s script) *record.Run {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	done, err := only(t, path).Follow(ctx, store, options(), Following{Poll: time.Microsecond,
		Read: func() {
			if len(s.actions) == 0 {
				cancel()
				return
			}
			s.actions[0]()
			s.actions = s.actions[1:]
		}})
	if err != nil {
		t.Fatal(err)
	}
	return stored(t, store, done)
}

// appends returns an action that appends a text to a file.
func appends(t *testing.T, path, text string) func() {
	return func() {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// cutting are logs of every kind that is appended to, with the place where the last record begins.
func cutting(t *testing.T) map[string]struct {
	name, whole string
	last        int
} {
	t.Helper()
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join("testdata", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	lines := `{"step": 1, "x": 2}` + "\n" + `{"step": 2, "x": 34}` + "\n"
	table := "step,x\n1,2\n2,34\n"
	events := read("tensorboard/events.out.tfevents.1")
	wandb := read("wandb/run-first.wandb")
	eventAt, chunkAt := 0, 0
	for at := 0; at < len(events); {
		take, _, err := tfRecord([]byte(events[at:]))
		if err != nil {
			t.Fatal(err)
		}
		eventAt, at = at, at+take
	}
	c := &chunks{}
	for at := 0; at < len(wandb); {
		take, piece, err := c.split([]byte(wandb[at:]))
		if err != nil {
			t.Fatal(err)
		}
		if piece != nil {
			chunkAt = at
		}
		at += take
	}
	return map[string]struct {
		name, whole string
		last        int
	}{
		"lines":  {"m.jsonl", lines, strings.Index(lines, `{"step": 2`)},
		"table":  {"m.csv", table, strings.Index(table, "2,34")},
		"events": {"events.out.tfevents.1", events, eventAt},
		"wandb":  {"run.wandb", wandb, chunkAt},
	}
}

// TestHalfARecordWaits: whatever part of the last record is there, nothing is read of it, and once
// it is whole, the run is as of the whole log.
func TestHalfARecordWaits(t *testing.T) {
	for kind, c := range cutting(t) {
		whole := t.TempDir()
		write(t, whole, map[string]string{c.name: c.whole})
		_, r := imports(t, newStore(t), whole, options())
		want := curves(t, r)
		step := 1
		if testing.Short() {
			step = max(1, (len(c.whole)-c.last)/4)
		}
		for cut := c.last; cut < len(c.whole); cut += step {
			dir := t.TempDir()
			path := filepath.Join(dir, c.name)
			write(t, dir, map[string]string{c.name: c.whole[:cut]})
			store := newStore(t)
			r := follow(t, store, path, script{actions: []func(){
				appends(t, path, c.whole[cut:])}})
			got := curves(t, r)
			if len(got) != len(want) {
				t.Errorf("%s cut at byte %d has %d curves, want %d", kind, cut, len(got), len(want))
			}
			for name := range want {
				expect(t, got, name, want[name]...)
			}
		}
	}
}

// TestZerosAreWaitedFor: a network file system shows zeros in the place of what is on its way.
func TestZerosAreWaitedFor(t *testing.T) {
	for kind, c := range cutting(t) {
		dir := t.TempDir()
		path := filepath.Join(dir, c.name)
		zero := c.whole[:c.last] + strings.Repeat("\x00", len(c.whole)-c.last)
		half := (c.last + len(c.whole)) / 2
		write(t, dir, map[string]string{c.name: zero})
		r := follow(t, newStore(t), path, script{actions: []func(){
			func() {
				write(t, dir, map[string]string{c.name: c.whole[:half] + zero[half:]})
			},
			func() { write(t, dir, map[string]string{c.name: c.whole}) }}})
		_, imported := imports(t, newStore(t), path, options())
		got := curves(t, r)
		for name, want := range curves(t, imported) {
			if !equalCurve(got[name], want) {
				t.Errorf("%s: %s is %v, want %v", kind, name, got[name], want)
			}
		}
	}
}

func equalCurve(a, b []at) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !a[i].is(b[i]) {
			return false
		}
	}
	return true
}

// TestFollowReplaced: a table that is rewritten with a new column goes on, and so does a rotated
// one. The log of another run ends the following.
func TestFollowReplaced(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "m.csv")
	write(t, dir, map[string]string{"m.csv": "step,x\n1,1\n2,2\n"})
	r := follow(t, newStore(t), path, script{actions: []func(){
		func() {
			write(t, dir, map[string]string{"m.csv": "step,a,x\n1,,1\n2,,2\n3,9,3\n"})
		},
		func() { // rotated
			if err := os.Rename(path, path+".old"); err != nil {
				t.Fatal(err)
			}
			write(t, dir, map[string]string{"m.csv": "step,a,x\n4,,4\n"})
		},
		appends(t, path, "5,,5\n")}})
	got := curves(t, r)
	expect(t, got, "user.x", at{1, 1}, at{2, 2}, at{3, 3}, at{4, 4}, at{5, 5})
	expect(t, got, "user.a", at{3, 9})
	status(t, r, runner.Stopped)

	write(t, dir, map[string]string{"n.csv": "step,x\n1,1\n2,2\n"})
	other := filepath.Join(dir, "n.csv")
	r = follow(t, newStore(t), other, script{actions: []func(){
		func() { write(t, dir, map[string]string{"n.csv": "step,x\n1,8\n"}) }}})
	expect(t, curves(t, r), "user.x", at{1, 1}, at{2, 2})
	if cause := r.Summary().Cause; !strings.Contains(cause, "another run") {
		t.Errorf("the run ended with %q, want that another run has the place of its log", cause)
	}
}

// TestRotatedIsAnotherLog: the run that followed a log over its rotation keeps what it has, also if
// the file that was moved away is the one that it began with.
func TestRotatedIsAnotherLog(t *testing.T) {
	dir, store := t.TempDir(), newStore(t)
	path := filepath.Join(dir, "m.csv")
	write(t, dir, map[string]string{"m.csv": "step,x\n1,1\n2,2\n"})
	followed := follow(t, store, path, script{actions: []func(){func() {
		if err := os.Rename(path, path+".1"); err != nil {
			t.Fatal(err)
		}
		write(t, dir, map[string]string{"m.csv": "step,x\n3,3\n"})
	}}})
	for _, moved := range []string{path, path + ".1"} {
		if _, r := imports(t, store, moved, options()); r.Meta.ID == followed.Meta.ID {
			t.Errorf("%s took the place of the run that has more", moved)
		}
	}
	again, err := record.Find(store.Dir(), followed.Meta.ID)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, curves(t, again), "user.x", at{1, 1}, at{2, 2}, at{3, 3})
}

// TestFollowEvents: further event files of a folder are read on, and a restart takes back what it
// repeats.
func TestFollowEvents(t *testing.T) {
	text := func(n int) string {
		b, err := os.ReadFile(fmt.Sprintf("testdata/tensorboard/events.out.tfevents.%d", n))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	dir := t.TempDir()
	write(t, dir, map[string]string{"events.out.tfevents.0": text(0)})
	r := follow(t, newStore(t), dir, script{actions: []func(){
		func() { write(t, dir, map[string]string{"events.out.tfevents.1": text(1)}) }}})
	_, imported := imports(t, newStore(t), "testdata/tensorboard", options())
	got := curves(t, r)
	for name, want := range curves(t, imported) {
		if name == "user.train/loss" || name == "user.new_style" {
			expect(t, got, name, want...)
		}
	}
}

// TestFollowEnds: the end that a W&B log says ends the following, and so does silence. What grew
// meanwhile is imported on, in the same run.
func TestFollowEnds(t *testing.T) {
	store := newStore(t)
	done, err := only(t, "testdata/wandb").Follow(context.Background(), store, options(),
		Following{})
	if err != nil {
		t.Fatal(err)
	}
	status(t, stored(t, store, done), runner.Done)
	dir := t.TempDir()
	write(t, dir, map[string]string{"m.csv": "step,x\n1,1\n"})
	done, err = only(t, dir).Follow(context.Background(), store, options(),
		Following{Poll: time.Microsecond, Idle: time.Nanosecond})
	if err != nil {
		t.Fatal(err)
	}
	status(t, stored(t, store, done), runner.Done)
	const why = "nothing was written to the log any more"
	if cause := stored(t, store, done).Summary().Cause; done.Why != why ||
		!strings.HasPrefix(cause, why) {
		t.Errorf("it ended since %q, and the run says %q, want %q", done.Why, cause, why)
	}
	write(t, dir, map[string]string{"m.csv": "step,x\n1,1\n2,2\n"})
	again, r := imports(t, store, dir, options())
	if !again.Grown || again.Meta.ID != done.Meta.ID {
		t.Errorf("the grown log is %+v, want the run %s", again, done.Meta.ID)
	}
	expect(t, curves(t, r), "user.x", at{1, 1}, at{2, 2})
}

// TestFollowGroupDRO: epochs are followed as they are written, and end as an import has them.
func TestFollowGroupDRO(t *testing.T) {
	files := groupDROFiles()
	dir := t.TempDir()
	first := map[string]string{}
	var actions []func()
	for _, name := range []string{"train.csv", "val.csv", "test.csv"} {
		at := strings.Index(files[name], "\n1,") + 1
		first[name] = files[name][:at]
		actions = append(actions, appends(t, filepath.Join(dir, name), files[name][at:]))
	}
	write(t, dir, first)
	all := func() {
		for _, one := range actions {
			one()
		}
	}
	r := follow(t, newStore(t), dir, script{actions: []func(){all}})
	_, imported := imports(t, newStore(t), dir, options())
	got := curves(t, r)
	for name, want := range curves(t, imported) {
		if name != "adjusted_accuracy" && name != "val_adjusted_accuracy" {
			expect(t, got, name, want...)
		}
	}
}

// TestFollowTrainer: the state is written anew as a whole, half of it counts for nothing, and its
// planned steps end the following.
func TestFollowTrainer(t *testing.T) {
	state := func(step int, entries string) string {
		return fmt.Sprintf(`{"global_step": %d, "max_steps": 2, "log_history": [%s]}`, step, entries)
	}
	dir, store := t.TempDir(), newStore(t)
	one, two := `{"step": 1, "loss": 1}`, `{"step": 2, "loss": 0.5}`
	write(t, dir, map[string]string{"s.json": state(1, one)})
	r := follow(t, store, dir, script{actions: []func(){
		func() { write(t, dir, map[string]string{"s.json": state(2, one+","+two)[:70]}) },
		func() { write(t, dir, map[string]string{"s.json": state(2, one+","+two)}) }}})
	expect(t, curves(t, r), "loss", at{1, 1}, at{2, .5})
	status(t, r, runner.Done)
}
