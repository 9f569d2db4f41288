package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"drolab/runner"
	"drolab/runner/eventlog"
	"drolab/runner/internal/atomicfile"
)

// TestLife follows a run from its creation to its end, as a viewer sees it.
func TestLife(t *testing.T) {
	s := newStore(t)
	m := newMeta(1)
	r := create(t, s, m)
	if ok, _ := regexp.MatchString(`^shapes-sfk-s1-20261121-091502-[a-z0-9]{4}$`, m.ID); !ok {
		t.Errorf("ID %q", m.ID)
	}
	see := func(want runner.Status, steps int64) *Run {
		t.Helper()
		run, err := Find(s.Dir(), m.ID)
		must(t, err)
		if got := run.Summary(); run.Status() != want || got.Status != want || got.Steps != steps ||
			got.Dir != run.Dir {
			t.Errorf("status %s, summary %s at step %d in %q, want %s at %d", run.Status(),
				got.Status, got.Steps, got.Dir, want, steps)
		}
		return run
	}
	see(runner.Queued, 0)
	must(t, r.Append(status(0, runner.Queued)))
	if standing := see(runner.Queued, 0).Standing(); standing.Eval != nil {
		t.Errorf("before it has begun it is evaluated: %+v", standing.Eval)
	}
	must(t, r.Append(status(0, runner.Running)))
	appendSteps(t, r, 1, 10)
	must(t, r.Append(evalEvent(10)))
	run := see(runner.Running, 10)
	if got := run.Summary(); got.Named("worst_class_accuracy").Float() != 0.5 ||
		got.Named("lambda").Float() != 1.5 || got.Epochs != 1 {
		t.Errorf("derived summary: %+v", got)
	}
	file, err := r.Checkpoint(newState(10))
	must(t, err)
	must(t, r.Append(&runner.CheckpointEvent{Head: head(10), File: file}))
	if _, err := os.Stat(filepath.Join(run.Dir, file)); err != nil {
		t.Error(err)
	}
	must(t, r.Append(status(10, runner.Paused)))
	see(runner.Paused, 10)

	// A crash of the process gives up the lock and writes nothing.
	must(t, r.Close())
	see(runner.Interrupted, 10)

	r, from := reopen(t, s, m.ID)
	if from == nil || from.Step != 10 {
		t.Fatalf("resumed from %+v", from)
	}
	must(t, r.Append(&runner.ResumeEvent{Head: head(10)}))
	see(runner.Queued, 10)
	must(t, r.Append(status(500, runner.Done)))
	must(t, r.Finish(&runner.Summary{ID: m.ID, Status: runner.Done, Steps: 500, Cause: "as asked"}))
	must(t, r.Close())
	if got := see(runner.Done, 500).Summary().Cause; got != "as asked" {
		t.Errorf("summary.json was not used: cause %q", got)
	}
	if _, _, err := s.Reopen(m.ID); err == nil || !strings.Contains(err.Error(), "is done") {
		t.Errorf("reopening a done run: %v", err)
	}
}

// TestStaleSummary checks that the summary of a run that was stopped and resumed is not shown for
// the run that goes on.
func TestStaleSummary(t *testing.T) {
	s := newStore(t)
	m := newMeta(1)
	r := create(t, s, m)
	appendSteps(t, r, 1, 5)
	must(t, r.Append(status(5, runner.Stopped)))
	must(t, r.Finish(&runner.Summary{Status: runner.Stopped, Steps: 5}))
	must(t, r.Close())
	r, _ = reopen(t, s, m.ID) // no checkpoint: from the start
	must(t, r.Append(&runner.ResumeEvent{}))
	must(t, r.Append(status(0, runner.Running)))
	run, err := Find(s.Dir(), "latest")
	must(t, err)
	if got := run.Summary(); got.Status != runner.Running || got.Steps != 0 ||
		got.Named("lambda").Applies() {
		t.Errorf("summary %+v: want a running run at step 0", got)
	}
	appendSteps(t, r, 1, 2)
	h := history(t, run.Tail())
	if len(h.Steps) != 2 || h.Step != 2 || h.Status != runner.Running || h.Resumes != 1 {
		t.Errorf("history: %d steps, progress %d, %s, %d resumes", len(h.Steps), h.Step, h.Status,
			h.Resumes)
	}
}

func TestEventsAreStamped(t *testing.T) {
	s := newStore(t)
	m := newMeta(1)
	r := create(t, s, m)
	appendSteps(t, r, 1, 3)
	must(t, r.Close())
	r, _ = reopen(t, s, m.ID)
	appendSteps(t, r, 4, 5)
	lines := bytes.Split(bytes.TrimSpace(read(t, r.log.Path)), []byte{'\n'})[1:]
	var last runner.Head
	for i, line := range lines {
		var h runner.Head
		must(t, json.Unmarshal(line, &h))
		if h.Seq != int64(i+1) || h.Type != "step" || !h.Time.After(last.Time) ||
			h.Time.Location().String() != "UTC" {
			t.Errorf("line %d: %s", i+1, line)
		}
		last = h
	}
	if len(lines) != 5 {
		t.Errorf("%d lines, want 5", len(lines))
	}
}

func TestLongEventIsRefused(t *testing.T) {
	s := newStore(t)
	r := create(t, s, newMeta(1))
	err := r.Append(&runner.WarningEvent{Message: strings.Repeat("x", eventlog.MaxLine)})
	if err == nil || !strings.Contains(err.Error(), "warning") {
		t.Errorf("error %v", err)
	}
	must(t, r.Append(stepEvent(1)))
	if got := r.log.Seq; got != 1 {
		t.Errorf("seq %d, want 1", got)
	}
}

func TestPresetName(t *testing.T) {
	for preset, want := range map[string]string{
		"shapes":                 "shapes",
		"paper-k1.5":             "paper-k1.5",
		"/home/me/My Paper.yaml": "my-paper",
		"../..":                  "run",
		"...hidden.yml":          "hidden",
		"":                       "run",
		"été\x1b[2J\n":           "t---2j",
		strings.Repeat("a", 300): strings.Repeat("a", 40),
		".":                      "run",
		`..\..\windows`:          "windows",
	} {
		if got := presetName(preset); got != want {
			t.Errorf("presetName(%q) = %q, want %q", preset, got, want)
		}
	}
}

func TestFind(t *testing.T) {
	s := newStore(t)
	var ids []string
	for seed := range uint64(3) {
		m := newMeta(seed + 1)
		m.Created = m.Created.AddDate(0, 0, int(seed))
		must(t, create(t, s, m).Close())
		ids = append(ids, m.ID)
	}
	for _, c := range []struct{ id, want, err string }{
		{id: ids[1], want: ids[1]},
		{id: "shapes-sfk-s2", want: ids[1]},
		{id: filepath.Join(s.Dir(), ids[0]), want: ids[0]},
		{id: "latest", want: ids[2]},
		{id: "shapes", err: "want more of the name: " + ids[0]},
		{id: "sfk-s3", err: "near it: " + ids[2]},
		{id: "zebra", err: "no run zebra"},
		{id: "../nowhere", err: "nowhere"},
	} {
		run, err := Find(s.Dir(), c.id)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("Find(%q): error %v, want %q", c.id, err, c.err)
			}
			continue
		}
		must(t, err)
		if run.Meta.ID != c.want {
			t.Errorf("Find(%q) = %s, want %s", c.id, run.Meta.ID, c.want)
		}
	}
	runs, problems := List(s.Dir())
	var listed []string
	for _, r := range runs {
		listed = append(listed, r.Meta.ID)
	}
	slices.Reverse(ids)
	if !slices.Equal(listed, ids) || problems != nil {
		t.Errorf("List = %q, %v; want %q", listed, problems, ids)
	}
	if _, err := Find(filepath.Join(s.Dir(), "missing"), "latest"); err == nil {
		t.Error("a run was found in a missing folder")
	}
}

func TestCheckpointRoundTrip(t *testing.T) {
	s := newStore(t)
	m := newMeta(1)
	r := create(t, s, m)
	want := newState(7)
	// A diverged run is saved, too.
	want.Method.Numbers["lambda"], want.Method.Numbers["eta"] = math.Inf(1), math.NaN()
	want.Parameters[0].Data[1] = float32(math.Copysign(0, -1))
	save(t, r, want)
	run, err := Find(s.Dir(), m.ID)
	must(t, err)
	got, err := run.Load(7)
	must(t, err)
	if fmt.Sprint(got.Method) != fmt.Sprint(want.Method) {
		t.Errorf("the method's state is %v, was %v", got.Method, want.Method)
	}
	a, b := asJSON(t, got), asJSON(t, want)
	if a != b {
		t.Errorf("state\n%s\nwant\n%s", a, b)
	}
	for _, pair := range [][2]any{{got.Parameters, want.Parameters},
		{got.Velocities, want.Velocities},
		{got.Buffers, want.Buffers}, {got.Picked, want.Picked}} {
		if a, b := asJSON(t, pair[0]), asJSON(t, pair[1]); a != b {
			t.Errorf("tensors\n%s\nwant\n%s", a, b)
		}
	}
	if _, err := run.Load(8); err == nil {
		t.Error("a checkpoint that was never written was read")
	}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	must(t, err)
	return string(b)
}

func TestCheckpointsKept(t *testing.T) {
	s := newStore(t)
	m := newMeta(1)
	m.Spec.CheckpointKeep = 2
	r := create(t, s, m)
	run, err := Find(s.Dir(), m.ID)
	must(t, err)
	folder := filepath.Join(run.Dir, checkpointsName)
	write(t, nil, folder, atomicfile.Prefix+tensorsName(1))
	write(t, nil, folder, tensorsName(2)) // left by a crash before its JSON
	for _, c := range []struct {
		step int64
		kept []int64
	}{
		{10, []int64{10}}, {20, []int64{10, 20}}, {30, []int64{20, 30}}, {30, []int64{20, 30}},
		{40, []int64{30, 40}},
		{25, []int64{25}}, // a resume has discarded 30 and 40
	} {
		save(t, r, newState(c.step))
		steps, err := run.Checkpoints()
		must(t, err)
		if !slices.Equal(steps, c.kept) {
			t.Errorf("after step %d: %v kept, want %v", c.step, steps, c.kept)
		}
		entries, err := os.ReadDir(folder)
		must(t, err)
		if len(entries) != 2*len(steps)+1 { // and the lock
			t.Errorf("%d files for %d checkpoints: %v", len(entries), len(steps), entries)
		}
	}
}

// TestAGivenName checks that a name is given to one run only; a second run of that name is refused.
func TestAGivenName(t *testing.T) {
	s := newStore(t)
	m := newMeta(1)
	m.ID = "mine-0123"
	create(t, s, m)
	again := newMeta(1)
	again.ID = m.ID
	if _, err := s.Create(again, nil); !errors.Is(err, fs.ErrExist) || again.ID != m.ID {
		t.Errorf("twice: %v, as %s", err, again.ID)
	}
	for _, name := range []string{"../mine", ".mine", "a/b"} {
		bad := newMeta(1)
		bad.ID = name
		if _, err := s.Create(bad, nil); err == nil {
			t.Errorf("%q is made", name)
		}
	}
	if r, err := Find(s.Dir(), m.ID); err != nil || r.Status() != runner.Queued {
		t.Errorf("%v, %v", r, err)
	}
}
