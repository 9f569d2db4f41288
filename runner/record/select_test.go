package record

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drolab/runner"
	"drolab/runner/measure"
)

// selecting returns a checkpoint of a step in which the given step is the selected one.
func selecting(step, selected int64) *runner.State {
	s := newState(step)
	s.Selected = evalEvent(selected)
	s.Selected.Selected = true
	return s
}

// The selected checkpoint stays, however many newer ones there are. The checkpoint that it replaces
// goes with the last checkpoint that still refers to it.
func TestSelectedCheckpointStays(t *testing.T) {
	s := newStore(t)
	m := newMeta(1)
	m.Spec.CheckpointKeep, m.Spec.Select = 2, "val_loss"
	r := create(t, s, m)
	run, err := Find(s.Dir(), m.ID)
	must(t, err)
	for _, c := range []struct {
		selected int64
		want     []int64
	}{{1, []int64{1}}, {1, []int64{1, 2}}, {1, []int64{1, 2, 3}}, {1, []int64{1, 3, 4}},
		{5, []int64{1, 4, 5}}, {5, []int64{5, 6}}, {5, []int64{5, 6, 7}}, {5, []int64{5, 7, 8}}} {
		step := c.want[len(c.want)-1]
		save(t, r, selecting(step, c.selected))
		run.wants(t, c.want, nil)
	}
	must(t, run.Pin(5))
	must(t, run.Unpin(5)) // it is selected: it stays
	run.wants(t, []int64{5, 7, 8}, nil)
	must(t, r.Close())

	again, from := reopen(t, s, m.ID)
	if from.Selected == nil {
		t.Fatal("resumed without a selection, want step 5")
	}
	if from.Selected.Step != 5 || !from.Selected.Selected {
		t.Errorf("resumed with step %d, selected: %v, want 5, selected", from.Selected.Step,
			from.Selected.Selected)
	}
	must(t, again.Close())
	got, err := run.Load(5)
	must(t, err)
	if x := got.Parameters[0].Data[0]; x != 5 {
		t.Errorf("the selected checkpoint is that of step %v, want 5", x)
	}
	// Without the newest two, only the log still refers to step 5.
	write(t, []byte("{"), filepath.Join(run.Dir, checkpointsName, stateName(8)))
	again, from = reopen(t, s, m.ID)
	if from.Step != 7 || from.Selected.Step != 5 {
		t.Errorf("resumed from %d with the selection of step %d, want 7 and 5", from.Step,
			from.Selected.Step)
	}
	must(t, again.Close())
}

// The summary of an unfinished run takes its selection from the log, however far back.
func TestSummaryHasTheSelection(t *testing.T) {
	s := newStore(t)
	m := newMeta(1)
	m.Spec.Select = "val_loss"
	r := create(t, s, m)
	best := evalEvent(4)
	best.Selected, best.Epoch = true, .4
	must(t, r.Append(best))
	for step := int64(5); step < 200; step++ {
		must(t, r.Append(stepEvent(step)))
	}
	must(t, r.Append(evalEvent(200)))
	must(t, r.Append(stepEvent(201)))
	must(t, r.Close())
	run, err := Find(s.Dir(), m.ID)
	must(t, err)
	got := run.Summary().Selected
	if got == nil {
		t.Fatal("nothing is selected, want step 4")
	}
	if got.Step != 4 || got.Epoch != .4 {
		t.Errorf("step %d at epoch %v is selected, want 4 at 0.4", got.Step, got.Epoch)
	}
	if got.By != "val_loss" {
		t.Errorf("it is selected by %s, want val_loss", got.By)
	}
	if v := got.Named("test_accuracy"); v != measure.Num(.7) {
		t.Errorf("the accuracy of the selection is %v, want 0.7", v)
	}
	back := &runner.Selected{}
	b, err := got.MarshalJSON()
	must(t, err)
	must(t, back.UnmarshalJSON(b))
	if back.Step != 4 || back.Epoch != .4 {
		t.Errorf("%s is read as step %d at epoch %v, want 4 at 0.4", b, back.Step, back.Epoch)
	}
	if n := len(back.ByGroup.Named("class_accuracy")); n != 2 {
		t.Errorf("%s is read with %d classes, want 2", b, n)
	}
	if v := back.Named("worst_class_accuracy"); v != measure.Num(.5) {
		t.Errorf("%s is read with the worst class at %v, want 0.5", b, v)
	}
}

// The selections of runs that an earlier program recorded are read as they are, from the summary
// and from the log: nothing is selected anew, and their rule for ties is the first one.
func TestRecordedSelectionsStay(t *testing.T) {
	for name, want := range map[string]struct {
		step int64
		loss float64
	}{
		"s-erm-s1-9cd5ba5674b36bf2": {12, 0.6866980098812353},
		"s-erm-s1-f07f66e468a6ca33": {6, 0.7754230593698094},
	} {
		dir := t.TempDir()
		must(t, os.CopyFS(filepath.Join(dir, name), fixture(filepath.Join("sweep", name))))
		for _, from := range []string{"its summary", "its log"} {
			run, err := Find(dir, name)
			must(t, err)
			s := run.Summary().Selected
			if s == nil {
				t.Fatalf("%s from %s: nothing is selected, want step %d", name, from, want.step)
			}
			if loss := s.Named("val_loss").Float(); s.Step != want.step || loss != want.loss {
				t.Errorf("%s from %s: step %d with val_loss %v is selected, want %d with %v", name,
					from, s.Step, loss, want.step, want.loss)
			}
			if run.Meta.Ties != runner.TiesToFirst {
				t.Errorf("%s: rule %q for ties, want none", name, run.Meta.Ties)
			}
			must(t, os.RemoveAll(filepath.Join(dir, name, "summary.json")))
		}
	}
}

// run.json keeps the rule for ties, and has no such field for the rule of earlier programs.
func TestTieRuleIsRecorded(t *testing.T) {
	for _, rule := range []runner.TieRule{runner.TiesToFirst, runner.TiesByLoss} {
		store, m := newStore(t), newMeta(1)
		m.Ties = rule
		r, err := store.Create(m, nil)
		must(t, err)
		must(t, r.Close())
		run, err := Find(store.Dir(), m.ID)
		must(t, err)
		text, err := os.ReadFile(filepath.Join(run.Dir, "run.json"))
		must(t, err)
		if run.Meta.Ties != rule {
			t.Errorf("it is read as %q, want %q", run.Meta.Ties, rule)
		}
		if has := strings.Contains(string(text), "select_ties"); has != (rule != "") {
			t.Errorf("rule %q: run.json has select_ties: %v", rule, has)
		}
	}
}
