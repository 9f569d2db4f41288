//go:build darwin || freebsd || linux

package record

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drolab/runner"
	"drolab/runner/eventlog"
	"drolab/runner/measure"
)

func knob(step int64, key string, value float64) *runner.KnobEvent {
	return &runner.KnobEvent{Head: head(step), Key: key, Old: measure.Num(0),
		New: measure.Num(value)}
}

// TestPast reads a run as it was at a checkpoint, with every knob of its log.
func TestPast(t *testing.T) {
	s := newStore(t)
	m := newMeta(1)
	r := create(t, s, m)
	must(t, r.Append(knob(3, "lr", 0.5)))
	appendSteps(t, r, 4, 6)
	save(t, r, newState(6))
	must(t, r.Append(knob(7, "c", 9)))
	must(t, r.Append(&runner.WarningEvent{Head: head(7), Message: `"type":"knob"`}))
	save(t, r, newState(8))
	must(t, r.Close())
	log := filepath.Join(s.Dir(), m.ID, eventlog.LogName)
	last := line(7, 9, "knob", `,"key":"lr","old":1,"new":2`) + `{"seq":8,"type":"knob"`
	write(t, slices.Concat(read(t, log), []byte(last)), log) // a torn line does not count

	past, err := s.Load(m.ID, 6)
	must(t, err)
	if past.From.Step != 6 || past.Meta.ID != m.ID || len(past.Log) != 3 {
		t.Fatalf("past of step %d with %d knobs, want 6 and 3", past.From.Step, len(past.Log))
	}
	for i, want := range []struct {
		key  string
		step int64
	}{{"lr", 3}, {"c", 7}, {"lr", 9}} {
		if k := past.Log[i]; k.Key != want.key || k.Step != want.step {
			t.Errorf("knob %d is %+v, want %v", i, k, want)
		}
	}
	_, reopened, err := s.Reopen(m.ID)
	must(t, err)
	if len(reopened.Log) != 3 || reopened.From.Step != 8 {
		t.Errorf("reopened with %d knobs at step %d", len(reopened.Log), reopened.From.Step)
	}
	for id, step := range map[string]int64{m.ID: 7, "nothing": 6, "../" + m.ID: 6} {
		if _, err := s.Load(id, step); err == nil {
			t.Errorf("Load(%s, %d) worked", id, step)
		}
	}
	if _, err := s.Load(m.ID, 7); err == nil || !strings.Contains(err.Error(), "it has [6 8]") {
		t.Errorf("a checkpoint that is not there: %v", err)
	}
}

func TestSaved(t *testing.T) {
	s := newStore(t)
	m := newMeta(1)
	r := create(t, s, m)
	run, err := Find(s.Dir(), m.ID)
	must(t, err)
	if _, ok, err := run.Saved(); ok || err != nil {
		t.Errorf("a run without a checkpoint is saved: %v", err)
	}
	save(t, r, newState(5))
	first, ok, err := run.Saved()
	if !ok || err != nil || first.Step != 5 {
		t.Errorf("saved %+v, %v, %v", first, ok, err)
	}
	if !run.Held() {
		t.Error("a run that is recorded is not held")
	}
	must(t, r.Close())
	if run.Held() {
		t.Error("a run that is closed is held")
	}
}
