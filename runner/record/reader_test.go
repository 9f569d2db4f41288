package record

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drolab/runner"
	"drolab/runner/disk"
	"drolab/runner/eventlog"
)

// newTail writes a log and returns a reader of it.
func newTail(t testing.TB, log []byte) *eventlog.Tail {
	t.Helper()
	path := filepath.Join(t.TempDir(), eventlog.LogName)
	if err := os.WriteFile(path, log, 0o644); err != nil {
		t.Fatal(err)
	}
	return &eventlog.Tail{Path: path}
}

func line(seq, step int64, kind, more string) string {
	const format = `{"seq":%d,"type":%q,"time":"2026-11-21T09:15:02Z","step":%d%s}`
	return string(disk.SealLine(fmt.Appendf(nil, format, seq, kind, step, more))) + "\n"
}

// TestTailByBytes checks that each event comes once, however the log grows.
func TestTailByBytes(t *testing.T) {
	log := line(1, 0, "status", `,"status":"running"`) + line(2, 1, "step", `,"loss":"NaN"`) +
		line(3, 1, "eval", "")
	tail := newTail(t, nil)
	var got []runner.Event
	for n := range len(log) + 1 {
		write(t, []byte(log[:n]), tail.Path)
		events, err := tail.Read()
		must(t, err)
		ended := "\n"[:strings.Count(log[n-min(n, 1):n], "}")] // a line may lack its newline
		want := strings.Count(log[:n]+ended, "\n") - len(got)
		if len(events) != want {
			t.Fatalf("after %d bytes: %d events, want %d", n, len(events), want)
		}
		got = append(got, events...)
	}
	s := got[1].(*runner.StepEvent)
	if s.Seq != 2 {
		t.Errorf("the step event has seq %d, want 2", s.Seq)
	}
	if loss := s.Named("loss").String(); loss != "NaN" {
		t.Errorf("the loss is %s, want NaN", loss)
	}
	if lambda := s.Named("lambda"); lambda.Applies() {
		t.Errorf("λ is %v, want none", lambda)
	}
}

// TestTailOfTheFuture checks that unknown keys and types do not count as garbage.
func TestTailOfTheFuture(t *testing.T) {
	tail := newTail(t, []byte(line(1, 1, "step", `,"new_key":{"a":[1]},"loss":2`)+
		line(2, 1, "telepathy", "")+line(3, 2, "step", "")))
	events, err := tail.Read()
	must(t, err)
	if len(events) != 2 || tail.Skipped() != 0 {
		t.Fatalf("%d events, %d skipped, want 2 and 0", len(events), tail.Skipped())
	}
	if loss := events[0].(*runner.StepEvent).Named("loss").Float(); loss != 2 {
		t.Errorf("the loss is %v, want 2", loss)
	}
}

func TestTailOfGarbage(t *testing.T) {
	good := line(1, 1, "step", "")
	for name, bad := range map[string]string{
		"NULs":       strings.Repeat("\x00", 5000) + "\n",
		"text":       "segmentation fault\n",
		"empty":      "\n",
		"deep":       strings.Repeat("[", 20000) + "\n",
		"wrong type": string(disk.SealLine([]byte(`{"seq":"one","type":"step"}`))) + "\n",
		"no seal":    `{"seq":1,"type":"step"}` + "\n",
		"long":       strings.Repeat("x", 3*eventlog.MaxLine+17) + "\n",
		"long JSON": `{"seq":9,"type":"warning","message":"` +
			strings.Repeat("y", eventlog.MaxLine) + "\"}\n",
	} {
		tail := newTail(t, []byte(bad+good+bad+good+bad))
		h := history(t, tail)
		if len(h.Steps) != 2 || tail.Skipped() != 3 {
			t.Errorf("%s: %d events and %d lines skipped, want 2 and 3", name, len(h.Steps),
				tail.Skipped())
		}
	}
}

func TestTailOfReplacedLog(t *testing.T) {
	tail := newTail(t, []byte(line(1, 1, "step", "")+line(2, 2, "step", "")))
	history(t, tail)
	write(t, []byte(line(1, 1, "step", "")), tail.Path)
	_, err := tail.Read()
	wantError(t, "a log that is another", err, tail.Path)
	must(t, os.Remove(tail.Path))
	if _, err := tail.Read(); err == nil {
		t.Error("a missing log was read")
	}
}

// TestTailReturnsInParts checks that memory is bounded by a part of the log, not by the run.
func TestTailReturnsInParts(t *testing.T) {
	const lines = 30_000
	var log bytes.Buffer
	for i := range int64(lines) {
		log.WriteString(line(i+1, i+1, "step", ""))
	}
	tail := newTail(t, log.Bytes())
	events, err := tail.Read()
	must(t, err)
	if n := len(events); n == 0 || n >= lines {
		t.Errorf("the first part has %d events, want some of %d", n, lines)
	}
	if h := history(t, tail); len(events)+len(h.Steps) != lines || h.Step != lines {
		t.Errorf("%d and %d events, want %d in all", len(events), len(h.Steps), lines)
	}
}

// TestListReadsOnlyTheEnd uses a log of 64 GiB that is a hole except for its end.
func TestListReadsOnlyTheEnd(t *testing.T) {
	s := newStore(t)
	m := newMeta(1)
	r := create(t, s, m)
	appendSteps(t, r, 1, 1)
	const size = 64 << 30
	if err := os.Truncate(r.log.Path, size); err != nil {
		t.Skipf("no sparse files here: %v", err)
	}
	_, err := r.log.File.Write([]byte("\n" + line(1_000_000, 999, "eval", `,"test_accuracy":0.5`) +
		line(1_000_001, 1000, "step", `,"lambda":2`)))
	must(t, err)
	runs, problems := List(s.Dir())
	if len(runs) != 1 {
		t.Fatalf("%d runs: %v", len(runs), problems)
	}
	got := runs[0].Summary()
	if got.Status != runner.Running || got.Steps != 1000 {
		t.Errorf("the summary is of a %s run at step %d, want %s at 1000", got.Status, got.Steps,
			runner.Running)
	}
	for name, want := range map[string]float64{"test_accuracy": .5, "lambda": 2} {
		if v := got.Named(name).Float(); v != want {
			t.Errorf("%s is %v, want %v", name, v, want)
		}
	}
}

// TestUnreadableDirectories checks that each is named, and that none hides the others.
func TestUnreadableDirectories(t *testing.T) {
	s := newStore(t)
	m := newMeta(1)
	must(t, create(t, s, m).Close())
	meta := read(t, s.Dir(), m.ID, metaName)
	for name, files := range map[string]map[string]string{
		"a-nothing":      {},
		"b-garbage":      {metaName: "\x00\x00", eventlog.LogName: ""},
		"c-no-algorithm": {metaName: "{}", eventlog.LogName: ""},
		"d-no-log":       {metaName: string(meta)},
		"e-wrong-type":   {metaName: `{"spec":{"rho":"high"}}`, eventlog.LogName: ""},
	} {
		must(t, os.Mkdir(filepath.Join(s.Dir(), name), 0o755))
		for file, text := range files {
			write(t, []byte(text), s.Dir(), name, file)
		}
	}
	must(t, os.MkdirAll(filepath.Join(s.Dir(), "f-folder", metaName), 0o755))
	write(t, nil, s.Dir(), "a-file-is-no-run")
	runs, problems := List(s.Dir())
	if len(runs) != 1 || len(problems) != 6 {
		t.Fatalf("%d runs, %d problems, want 1 and 6: %v", len(runs), len(problems), problems)
	}
	for i, name := range []string{"a-nothing", "b-garbage", "c-no-algorithm", "d-no-log",
		"e-wrong-type",
		"f-folder"} {
		if !strings.Contains(problems[i].Error(), name) {
			t.Errorf("problem %v does not name %s", problems[i], name)
		}
	}
	for _, id := range []string{"../" + m.ID, "", ".", "a-nothing"} {
		if _, _, err := s.Reopen(id); err == nil {
			t.Errorf("Reopen(%q) worked", id)
		}
	}
}

func TestUnwritableFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	write(t, nil, file)
	_, err := Open(filepath.Join(file, "runs"))
	wantError(t, "Open below a file", err, "--runs DIR")
	if err != nil && strings.Contains(err.Error(), "\n") {
		t.Errorf("the error %q is not one line", err)
	}
}

func TestNoPermission(t *testing.T) {
	if os.Getuid() <= 0 {
		t.Skip("the superuser may do everything, and Windows has other permissions")
	}
	s := newStore(t)
	m := newMeta(1)
	must(t, create(t, s, m).Close())
	dir := filepath.Join(s.Dir(), m.ID)
	must(t, os.Chmod(filepath.Join(dir, metaName), 0))
	runs, problems := List(s.Dir())
	if len(runs) != 0 || len(problems) != 1 {
		t.Errorf("List: %d runs, problems %v, want 0 and one", len(runs), problems)
	}
	wantError(t, "List", errors.Join(problems...), m.ID)
	must(t, os.Chmod(filepath.Join(dir, metaName), 0o444))
	must(t, os.Chmod(dir, 0o555))
	defer os.Chmod(dir, 0o755)
	run, err := Find(s.Dir(), m.ID) // a reader needs no right to write
	must(t, err)
	if run.Status() != runner.Interrupted {
		t.Errorf("status %s, want %s", run.Status(), runner.Interrupted)
	}
	must(t, os.Chmod(s.Dir(), 0o555))
	defer os.Chmod(s.Dir(), 0o755)
	_, err = Open(s.Dir())
	wantError(t, "Open", err, "--runs DIR")
}

// BenchmarkList lists a run with a million events.
func BenchmarkList(b *testing.B) {
	dir := b.TempDir()
	s, err := Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	r, err := s.Create(newMeta(1), nil)
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	for step := range int64(1_000_000) {
		if err := r.Append(stepEvent(step + 1)); err != nil {
			b.Fatal(err)
		}
	}
	b.ResetTimer()
	for b.Loop() {
		if runs, _ := List(dir); len(runs) != 1 || runs[0].Summary().Steps != 1_000_000 {
			b.Fatal("wrong list")
		}
	}
}
