package record

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"drolab/runner"
	"drolab/runner/eventlog"
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

func asJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	must(t, err)
	return string(b)
}
