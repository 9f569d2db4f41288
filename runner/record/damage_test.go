package record

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"drolab/runner"
	"drolab/runner/eventlog"
	"drolab/runner/internal/atomicfile"
	"drolab/runner/internal/atomicfile/atomicfiletest"
	"drolab/runner/measure"
)

// recordKnobs makes a run with a checkpoint of step 5, a knob turned at step 3 and another at step
// 7, and steps up to 9.
func recordKnobs(t *testing.T, s *Store) (id, log string) {
	t.Helper()
	m := newMeta(1)
	r := create(t, s, m)
	must(t, r.Append(status(0, runner.Running)))
	appendSteps(t, r, 1, 3)
	must(t, r.Append(turnedKnob(3, "lr", 0.5)))
	appendSteps(t, r, 4, 5)
	save(t, r, newState(5))
	appendSteps(t, r, 6, 7)
	must(t, r.Append(turnedKnob(7, "c", 9)))
	appendSteps(t, r, 8, 9)
	must(t, r.Close())
	return m.ID, filepath.Join(s.Dir(), m.ID, eventlog.LogName)
}

func turnedKnob(step int64, key string, value float64) *runner.KnobEvent {
	return &runner.KnobEvent{Head: head(step), Key: key, Old: measure.Num(0),
		New: measure.Num(value)}
}

// flip changes the last byte of the given text in a file.
func flip(t *testing.T, path, text string) {
	t.Helper()
	b := read(t, path)
	i := bytes.Index(b, []byte(text))
	if i < 0 {
		t.Fatalf("no %s in %s", text, path)
	}
	b[i+len(text)-1] ^= 1
	write(t, b, path)
}

// TestDamagedLog checks that a loss in the log is reported, with the file and the line.
func TestDamagedLog(t *testing.T) {
	cut := func(at string) func(t *testing.T, log string) {
		return func(t *testing.T, log string) {
			b := read(t, log)
			i := bytes.Index(b, []byte(at))
			write(t, b[:bytes.LastIndexByte(b[:i], '\n')+1], log)
		}
	}
	flipped := func(text string) func(t *testing.T, log string) {
		return func(t *testing.T, log string) { flip(t, log, text) }
	}
	for name, c := range map[string]struct {
		harm func(t *testing.T, log string)
		want string // in the error; empty: it goes on with both knobs
	}{
		"nothing":     {func(*testing.T, string) {}, ""},
		"first line":  {flipped(`"of":"s`), "line 1 checksum differs"},
		"knob behind": {flipped(`"new":9`), "line 11 checksum differs"},
		"step behind": {flipped(`"step":8`), "line 12 checksum differs"},
		"knob before": {flipped(`"new":0.5`), "line 6 checksum differs"},
		"step before": {flipped(`"step":2`), "line 4 checksum differs"},
		"newline behind": {func(t *testing.T, log string) {
			b := read(t, log)
			i := bytes.LastIndex(b, []byte(`{"seq":10,"type":"knob"`))
			b[i-1] = ' '
			write(t, b, log)
		}, "line 10 checksum differs"},
		"cut before the position": {cut(`"step":5`),
			"ends with event 6, and checkpoints/step-0000000005.json was written behind event 7"},
		"garbage behind": {func(t *testing.T, log string) {
			write(t, append(read(t, log), "segmentation fault\n"...), log)
		}, "line 14 checksum differs"},
		"a line removed": {func(t *testing.T, log string) {
			lines := bytes.SplitAfter(read(t, log), []byte{'\n'})
			write(t, bytes.Join(append(lines[:10:10], lines[11:]...), nil), log)
		}, "line 11 1 lines are missing before it"},
		"two lines in another order": {func(t *testing.T, log string) {
			lines := bytes.SplitAfter(read(t, log), []byte{'\n'})
			lines[3], lines[4] = lines[4], lines[3]
			write(t, bytes.Join(lines, nil), log)
		}, "line 4 1 lines are missing before it"},
	} {
		s := newStore(t)
		id, log := recordKnobs(t, s)
		c.harm(t, log)
		harmed := read(t, log)
		r, past, err := s.Reopen(id)
		if c.want != "" {
			wantError(t, name, err, log, c.want, "drolab doctor")
			if !bytes.Equal(read(t, log), harmed) {
				t.Errorf("%s: the log was changed", name)
			}
			continue
		}
		must(t, err)
		wantKnobs(t, name, past, 0.5, 9)
		must(t, r.Close())
		run, err := Find(s.Dir(), id)
		must(t, err)
		if h := history(t, run.Tail()); !bytes.Equal(read(t, log), harmed) && len(h.Warnings) != 1 {
			t.Errorf("%s: the log was mended with the warnings %v, want one", name, h.Warnings)
		}
	}
}

// wantKnobs checks the values to which the knobs of a resumed run were turned.
func wantKnobs(t *testing.T, what string, past *runner.Past, want ...float64) {
	t.Helper()
	var got []float64
	for _, k := range runner.ValidKnobs(past.Log) {
		got = append(got, k.New.Float())
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s: knobs turned to %v, want %v", what, got, want)
	}
}

// TestLastNewline checks that a knob is turned even if its line lost its newline.
func TestLastNewline(t *testing.T) {
	for name, harm := range map[string]func([]byte) []byte{
		"missing": func(b []byte) []byte { return b[:len(b)-1] },
		"changed": func(b []byte) []byte { b[len(b)-1] ^= 8; return b },
	} {
		s := newStore(t)
		m := newMeta(1)
		r := create(t, s, m)
		must(t, r.Append(turnedKnob(0, "lr", 0.5)))
		must(t, r.Close())
		log := filepath.Join(s.Dir(), m.ID, eventlog.LogName)
		whole := read(t, log)
		write(t, harm(bytes.Clone(whole)), log)
		r2, past, err := s.Reopen(m.ID)
		must(t, err)
		if len(past.Log) != 1 {
			t.Errorf("%s: %d knobs, want 1", name, len(past.Log))
		}
		if got := read(t, log); !bytes.Equal(got, whole) {
			t.Errorf("%s: log %q, want %q", name, got, whole)
		}
		must(t, r2.Close())
	}
}

// TestLogOfNewlines checks that a log that ends in a million empty lines is read without an
// allocation for each, and that the run goes on.
func TestLogOfNewlines(t *testing.T) {
	s, m := newStore(t), newMeta(1)
	before := create(t, s, m)
	appendSteps(t, before, 1, 10)
	save(t, before, newState(10))
	must(t, before.Close())
	dir := filepath.Join(s.Dir(), m.ID)
	log := filepath.Join(dir, eventlog.LogName)
	write(t, append(read(t, log), bytes.Repeat([]byte{'\n'}, 1<<20)...), log)
	var a *eventlog.Audit
	made := testing.AllocsPerRun(1, func() {
		var err error
		a, err = eventlog.AuditLog(in(t, dir))
		must(t, err)
	})
	if made > 500 {
		t.Errorf("an audit makes %v allocations, want at most 500", made)
	}
	if a.Bytes < 1<<20 || len(a.Damaged) > 0 {
		t.Errorf("an audit of %d bytes with %d damaged lines, want a MiB and none", a.Bytes,
			len(a.Damaged))
	}
	r, from := reopen(t, s, m.ID)
	if from.Step != 10 {
		t.Errorf("it goes on from step %d", from.Step)
	}
	must(t, r.Append(stepEvent(11)))
	must(t, r.Close())
	var h *logContent
	made = testing.AllocsPerRun(1, func() { h = history(t, (&Run{Dir: dir}).Tail()) })
	if made > 5000 {
		t.Errorf("reading makes %v allocations, want at most 5000", made)
	}
	if len(h.Steps) != 11 {
		t.Errorf("%d steps, want 11", len(h.Steps))
	}
}

// TestDamagedJSON checks that a run does not train with a changed number in run.json or in a state.
func TestDamagedJSON(t *testing.T) {
	s := newStore(t)
	id, _ := recordKnobs(t, s)
	dir := filepath.Join(s.Dir(), id)
	state := filepath.Join(dir, checkpointsName, stateName(5))
	good := read(t, state)
	flip(t, state, `"batches": {
    "kind": "epochs",
    "samples": 0`)
	_, past, err := s.Reopen(id)
	must(t, err)
	if past.From != nil {
		t.Errorf("a state that has changed is resumed from: %+v", past.From)
	}
	write(t, good, state)
	meta := filepath.Join(dir, metaName)
	good = read(t, meta)
	flip(t, meta, `"lr": 0.0`)
	_, err = Find(s.Dir(), id)
	wantError(t, "run.json has changed", err, "checksum differs", metaName)
	write(t, good, meta)
	if _, err := Find(s.Dir(), id); err != nil {
		t.Error(err)
	}
}

// TestFailingSync checks that data that the system once failed to bring to the disk is written
// anew. A knob whose line was not synced is not turned.
func TestFailingSync(t *testing.T) {
	s := newStore(t)
	x := &atomicfiletest.Faults{}
	s.open = x.Open
	m := newMeta(1)
	r := create(t, s, m)
	appendSteps(t, r, 1, 3)
	x.Fail("sync "+eventlog.LogName, errReadOnly)
	if err := r.Append(turnedKnob(3, "lr", 0.5)); !errors.Is(err, errReadOnly) {
		t.Errorf("a knob whose line is not synced: error %v, want %v", err, errReadOnly)
	}
	before, err := os.Stat(r.log.Path)
	must(t, err)
	must(t, r.Append(turnedKnob(3, "c", 9)))
	after, err := os.Stat(r.log.Path)
	must(t, err)
	if os.SameFile(before, after) {
		t.Error("the file that was not synced is believed")
	}
	appendSteps(t, r, 4, 5)
	must(t, r.Close())
	h := history(t, (&Run{Dir: r.in.Path}).Tail())
	_, past, err := s.Reopen(m.ID)
	must(t, err)
	if len(h.Steps) != 5 {
		t.Errorf("%d steps, want 5", len(h.Steps))
	}
	if len(past.Log) != 1 || past.Log[0].Key != "c" {
		t.Errorf("knobs %v, want c alone", past.Log)
	}
}

// TestTooManyFiles checks that a run waits for room among the open files as it does for room on the
// disk.
func TestTooManyFiles(t *testing.T) {
	s := newStore(t)
	x := &atomicfiletest.Faults{}
	s.open = x.Open
	r := create(t, s, newMeta(1))
	for _, thing := range []string{
		"enter " + checkpointsName,
		"create " + atomicfile.Prefix + stateName(3),
	} {
		x.Fail(thing, syscall.EMFILE)
		_, err := r.Checkpoint(newState(3))
		if disk := new(runner.DiskError); !errors.As(err, &disk) {
			t.Errorf("%s fails: %v, want a DiskError", thing, err)
		}
		wantError(t, thing, err, "too many files")
		_, err = r.Checkpoint(newState(3))
		must(t, err)
	}
	must(t, r.Close())
}

// TestCheckpointsAway checks that a folder of checkpoints that is away is an error that a run waits
// for, and that the checkpoint is written once the folder is back.
func TestCheckpointsAway(t *testing.T) {
	s := newStore(t)
	r := create(t, s, newMeta(1))
	there := r.in.Join(checkpointsName)
	must(t, os.Rename(there, there+".away"))
	_, err := r.Checkpoint(newState(3))
	var disk *runner.DiskError
	if !errors.As(err, &disk) || !disk.Away {
		t.Errorf("away: %v, want a DiskError of what is away", err)
	}
	wantError(t, "away", err, there+" is missing: bring it back and resume")
	if err != nil && strings.Contains(err.Error(), "\n") {
		t.Errorf("away: the error %q is not one line", err)
	}
	must(t, os.Rename(there+".away", there))
	_, err = r.Checkpoint(newState(3))
	must(t, err)
	must(t, r.Close())
}

// TestRemovedWhileRecorded checks that a run ends if its files are removed and nobody can find it.
func TestRemovedWhileRecorded(t *testing.T) {
	for _, names := range [][]string{{metaName}, {eventlog.LogName}, {eventlog.LockName},
		{metaName, eventlog.LogName, eventlog.LockName}, {"."}} {
		s := newStore(t)
		r := create(t, s, newMeta(1))
		appendSteps(t, r, 1, 3)
		for _, name := range names {
			must(t, os.RemoveAll(filepath.Join(r.in.Path, "..", filepath.Base(r.in.Path), name)))
		}
		_, saved := r.Checkpoint(newState(3))
		for what, err := range map[string]error{
			"says":     r.Append(status(4, runner.Paused)),
			"saves":    saved,
			"finishes": r.Finish(&runner.Summary{}),
		} {
			if !errors.Is(err, errGone) {
				t.Errorf("without %v it %s: %v, want %v", names, what, err, errGone)
			}
		}
		if err := r.Append(stepEvent(4)); slices.Contains(names, eventlog.LogName) &&
			!errors.Is(err, errGone) {
			t.Errorf("without %v it logs: %v, want %v", names, err, errGone)
		}
	}
}

// TestClockSetBack sets the clock back by a day while a run is recorded, and before it is resumed.
func TestClockSetBack(t *testing.T) {
	s := newStore(t)
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	s.now = func() time.Time { now = now.Add(time.Second); return now }
	m := newMeta(1)
	r := create(t, s, m)
	must(t, r.Append(status(0, runner.Running)))
	appendSteps(t, r, 1, 5)
	now = now.AddDate(0, 0, -1)
	appendSteps(t, r, 6, 10)
	save(t, r, newState(10))
	must(t, r.Close())
	left := filepath.Join(s.Dir(), ".new-left")
	must(t, os.Mkdir(left, 0o755))
	must(t, os.Chtimes(left, now.AddDate(0, 0, 1), now.AddDate(0, 0, 1)))
	now = now.AddDate(0, 0, -1)
	r, from := reopen(t, s, m.ID)
	must(t, r.Append(&runner.ResumeEvent{Head: head(10)}))
	must(t, r.Append(status(10, runner.Running)))
	appendSteps(t, r, 11, 12)
	must(t, r.Close())
	run, err := Find(s.Dir(), m.ID)
	must(t, err)
	h := history(t, run.Tail())
	if from.Step != 10 {
		t.Errorf("resumed from step %d, want 10", from.Step)
	}
	if len(h.Steps) != 12 || h.Steps[11].Seq != 15 {
		t.Errorf("%d steps, want 12 of which the last has seq 15", len(h.Steps))
	}
	if h.Seconds != 11 {
		t.Errorf("trained for %v s, want 11", h.Seconds)
	}
	must(t, create(t, s, newMeta(2)).Close())
	if _, err := os.Stat(left); err == nil {
		t.Error("what a crash left stays, since it is of tomorrow")
	}
}

// TestFlippedLines checks that every byte of every line is covered; by default it changes each
// fifth byte.
func TestFlippedLines(t *testing.T) {
	s := newStore(t)
	id, log := recordKnobs(t, s)
	good := read(t, log)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := 0; i < len(good); i += everyByte() {
		bad := bytes.Clone(good)
		bad[i] ^= byte(1 + rng.IntN(255))
		write(t, bad, log)
		r, past, err := s.Reopen(id)
		if err != nil {
			continue // named
		}
		wantKnobs(t, fmt.Sprintf("byte %d flipped from %q to %q", i, good[i], bad[i]), past, 0.5, 9)
		must(t, r.Close())
	}
}
