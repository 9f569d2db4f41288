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
		t.Errorf("ID %q, want shapes-sfk-s1-20261121-091502- and four letters", m.ID)
	}
	see := func(want runner.Status, steps int64) *Run {
		t.Helper()
		run, err := Find(s.Dir(), m.ID)
		must(t, err)
		got := run.Summary()
		if run.Status() != want || got.Status != want {
			t.Errorf("status %s, by the summary %s, want %s", run.Status(), got.Status, want)
		}
		if got.Steps != steps || got.Dir != run.Dir {
			t.Errorf("the summary is of step %d in %q, want %d in %q", got.Steps, got.Dir, steps,
				run.Dir)
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
	must(t, r.Append(&runner.RefitEvent{Head: head(10), Fit: 3, Fits: 25}))
	if fit := see(runner.Running, 10).Refitting(); fit == nil || fit.Fit != 3 || fit.Fits != 25 {
		t.Errorf("the fit that goes on is %+v, want 3 of 25", fit)
	}
	must(t, r.Append(evalEvent(10)))
	run := see(runner.Running, 10)
	if fit := run.Refitting(); fit != nil {
		t.Errorf("behind the refit a fit goes on: %+v", fit)
	}
	derived := run.Summary()
	for name, want := range map[string]float64{"worst_class_accuracy": .5, "lambda": 1.5} {
		if v := derived.Named(name).Float(); v != want {
			t.Errorf("derived summary: %s is %v, want %v", name, v, want)
		}
	}
	if derived.Epochs != 1 {
		t.Errorf("derived summary: %v epochs, want 1", derived.Epochs)
	}
	file, err := r.Checkpoint(newState(10))
	must(t, err)
	must(t, r.Append(&runner.CheckpointEvent{Head: head(10), File: file}))
	if _, err := os.Stat(filepath.Join(run.Dir, file)); err != nil {
		t.Errorf("the checkpoint: %v", err)
	}
	must(t, r.Append(status(10, runner.Paused)))
	see(runner.Paused, 10)
	must(t, r.Append(&runner.RefitEvent{Head: head(10), Fit: 1, Fits: 25}))

	// A crash of the process gives up the lock and writes nothing.
	must(t, r.Close())
	lost := see(runner.Interrupted, 10)
	standing := lost.Standing()
	if a, b := lost.Refitting(), standing.Refitting(); a != nil || b != nil {
		t.Errorf("in a lost run a fit goes on: %+v, %+v", a, b)
	}

	r, from := reopen(t, s, m.ID)
	if from == nil || from.Step != 10 {
		t.Fatalf("resumed from %+v, want step 10", from)
	}
	must(t, r.Append(&runner.ResumeEvent{Head: head(10)}))
	see(runner.Queued, 10)
	must(t, r.Append(status(500, runner.Done)))
	must(t, r.Finish(&runner.Summary{ID: m.ID, Status: runner.Done, Steps: 500, Cause: "as asked"}))
	must(t, r.Close())
	if got := see(runner.Done, 500).Summary().Cause; got != "as asked" {
		t.Errorf("summary.json was not used: cause %q", got)
	}
	_, _, err = s.Reopen(m.ID)
	wantError(t, "reopening a done run", err, "is done")
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
	got := run.Summary()
	if got.Status != runner.Running || got.Steps != 0 {
		t.Errorf("the summary is of a %s run at step %d, want %s at 0", got.Status, got.Steps,
			runner.Running)
	}
	if lambda := got.Named("lambda"); lambda.Applies() {
		t.Errorf("the summary has λ = %v, want none", lambda)
	}
	appendSteps(t, r, 1, 2)
	h := history(t, run.Tail())
	if len(h.Steps) != 2 || h.Step != 2 {
		t.Errorf("history: %d steps up to %d, want 2 up to 2", len(h.Steps), h.Step)
	}
	if h.Status != runner.Running || h.Resumes != 1 {
		t.Errorf("history: %s, %d resumes, want %s, 1", h.Status, h.Resumes, runner.Running)
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
		if h.Seq != int64(i+1) || h.Type != "step" {
			t.Errorf("line %d is a %s with seq %d, want a step with %d", i+1, h.Type, h.Seq, i+1)
		}
		if !h.Time.After(last.Time) {
			t.Errorf("line %d is of %v, want a time after %v", i+1, h.Time, last.Time)
		}
		if zone := h.Time.Location().String(); zone != "UTC" {
			t.Errorf("line %d is in the time zone %s, want UTC", i+1, zone)
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
	wantError(t, "a long warning", err, "warning")
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
