//go:build darwin || freebsd || linux

package record

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

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
	if past.From.Step != 6 || past.Meta.ID != m.ID {
		t.Errorf("past of %s at step %d, want %s at 6", past.Meta.ID, past.From.Step, m.ID)
	}
	type turn struct {
		Key  string
		Step int64
	}
	var turns []turn
	for _, k := range past.Log {
		turns = append(turns, turn{k.Key, k.Step})
	}
	if diff := cmp.Diff([]turn{{"lr", 3}, {"c", 7}, {"lr", 9}}, turns); diff != "" {
		t.Errorf("the knobs differ (-want +got):\n%s", diff)
	}
	_, reopened, err := s.Reopen(m.ID)
	must(t, err)
	if len(reopened.Log) != 3 || reopened.From.Step != 8 {
		t.Errorf("reopened with %d knobs at step %d, want 3 at 8", len(reopened.Log),
			reopened.From.Step)
	}
	for id, step := range map[string]int64{m.ID: 7, "nothing": 6, "../" + m.ID: 6} {
		if _, err := s.Load(id, step); err == nil {
			t.Errorf("Load(%s, %d) worked", id, step)
		}
	}
	_, err = s.Load(m.ID, 7)
	wantError(t, "a checkpoint that is not there", err, "it has [6 8]")
}

func TestSaved(t *testing.T) {
	s := newStore(t)
	m := newMeta(1)
	r := create(t, s, m)
	run, err := Find(s.Dir(), m.ID)
	must(t, err)
	_, ok, err := run.Saved()
	must(t, err)
	if ok {
		t.Error("a run without a checkpoint is saved")
	}
	save(t, r, newState(5))
	first, ok, err := run.Saved()
	must(t, err)
	if !ok || first.Step != 5 {
		t.Errorf("Saved() = %+v, %v, want step 5, true", first, ok)
	}
	if !run.Held() {
		t.Error("a run that is recorded is not held")
	}
	must(t, r.Close())
	if run.Held() {
		t.Error("a run that is closed is held")
	}
}
