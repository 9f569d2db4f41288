package queue

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/dro/testsize"
	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/data/loader"
	"drolab/runner/data/source"
	"drolab/runner/measure"
	"drolab/runner/spec"
)

// choosing returns a brief spec with a hold-out that selects, and that without a selection would
// save only once.
func choosing(a dro.Algorithm, by string) spec.Spec {
	s := brief(a)
	s.Select, s.ValFraction, s.MinGroup, s.Epochs, s.CheckpointEvery = by, .3, 5, 6, 1000
	s.LR = .2 // so that the last epoch is not the best
	return s
}

func evals(tr *trace) (list []*runner.EvalEvent) {
	for _, e := range tr.events {
		if e, ok := e.(*runner.EvalEvent); ok {
			list = append(list, e)
		}
	}
	return list
}

// The selected step is the best of the evaluations by the validation measure; of equal ones, that
// with the lower validation loss, and then the later one. Its checkpoint has the weights that were
// evaluated, and its measures are recorded beside those of the last step.
func TestSelectedIsTheBestByValidation(t *testing.T) {
	early := false
	for by, of := range map[string]func(*runner.EvalEvent) float64{
		"val_loss": func(e *runner.EvalEvent) float64 { return e.Named("val_loss").Float() },
		"val_robust_risk": func(e *runner.EvalEvent) float64 {
			return e.Named("val_robust_risk").Float()
		},
		"val_worst": func(e *runner.EvalEvent) float64 {
			worst := 2.0
			// over two groups, both large enough
			for _, a := range e.ByGroup.Named("val_group_accuracy") {
				worst = min(worst, a.Float())
			}
			return -worst
		},
	} {
		tr := runAll(t, 1, choosing(dro.SFK, by))[0]
		var best *runner.EvalEvent
		for _, e := range evals(tr) {
			better := best == nil || of(e) < of(best) || of(e) == of(best) &&
				e.Named("val_loss").Float() <= best.Named("val_loss").Float()
			if better {
				best = e
			}
			if e.Selected != better {
				t.Errorf("%s: step %d is selected: %v, want %v", by, e.Step, e.Selected, better)
			}
		}
		s := tr.summary.Selected
		if s == nil {
			t.Fatalf("%s: the summary has no selected step, want %d", by, best.Step)
		}
		if s.Step != best.Step {
			t.Errorf("%s: step %d is selected, want %d", by, s.Step, best.Step)
		}
		if s.Epoch != best.Epoch {
			t.Errorf("%s: epoch %v is selected, want %v", by, s.Epoch, best.Epoch)
		}
		if s.By != by {
			t.Errorf("the step is selected by %q, want %q", s.By, by)
		}
		if got, want := s.Named("test_accuracy"), best.Named("test_accuracy"); got != want {
			t.Errorf("%s: the selected step has test_accuracy %v, want %v", by, got, want)
		}
		early = early || s.Step < tr.meta.Steps
		i := slices.IndexFunc(tr.states, func(s *runner.State) bool { return s.Step == best.Step })
		if i < 0 {
			t.Fatalf("%s: there is no checkpoint of step %d", by, best.Step)
		}
		if got := tr.states[i].Selected.Step; got != best.Step {
			t.Fatalf("%s: the checkpoint of step %d has step %d as selected", by, best.Step, got)
		}
		got, want := heldOutLoss(t, tr, tr.states[i]), best.Named("val_loss").Float()
		if math.Abs(got-want) > 1e-5 {
			t.Errorf("%s: the selected weights' validation loss is %v, want %v", by, got, want)
		}
	}
	if !early {
		t.Error("every selection is the last step, so that little is shown")
	}
}

// heldOutLoss returns the mean loss of the hold-out at a checkpoint.
func heldOutLoss(t *testing.T, tr *trace, s *runner.State) float64 {
	spec := &tr.meta.Spec
	d, err := source.Open(spec.Dataset, spec.DataOptions(""))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	net := network(t, spec, d, d.Val.Len())
	if err := runner.CopyTensors(net.Parameters(), s.Parameters); err != nil {
		t.Fatal(err)
	}
	whole := loader.Options{Batch: d.Val.Len(), Mean: d.Mean, Std: d.Std}
	all, err := loader.NewSequential(d.Val, whole)
	if err != nil {
		t.Fatal(err)
	}
	defer all.Close()
	b, losses := all.Next(), make([]float64, d.Val.Len())
	net.Losses(losses, b.X, b.Labels)
	return measure.Mean(losses)
}

// Selecting changes nothing else, for any method. The selection is the same after a crash that lost
// checkpoints, whether the best came before or after.
func TestSelectionAcrossACrash(t *testing.T) {
	for _, a := range testsize.Few(1, methods()...) {
		settings := choosing(a, "val_robust_risk")
		settings.CheckpointEvery = 4
		plain := settings
		plain.Select = spec.SelectLast
		whole := runAll(t, 1, settings, plain)
		selected := whole[0].summary.Selected
		if refits(a) && selected == nil { // the samples to select by are fitted to
			continue
		}
		if selected == nil {
			t.Fatalf("%s: no step is selected", a)
		}
		if s := whole[1].summary.Selected; s != nil {
			t.Fatalf("%s: with select: last, step %d is selected, want none", a, s.Step)
		}
		for _, e := range evals(whole[0]) {
			if e.Selected {
				e.Selected = false
				defer func() { e.Selected = true }()
			}
		}
		got, want := whole[0].lines(t, measured), whole[1].lines(t, measured)
		if !slices.Equal(got, want) {
			t.Errorf("%s: selecting changes the numbers", a)
		}
		for _, at := range []int64{selected.Step - 1, selected.Step, selected.Step + 3} {
			tr := stoppedAndResumed(t, settings, min(max(at, 14), whole[0].meta.Steps-6), 2)
			s := tr.summary.Selected
			if s == nil {
				t.Fatalf("%s, stopped at %d: no step is selected, want %d", a, at, selected.Step)
			}
			if s.Step != selected.Step {
				t.Errorf("%s, stopped at %d: step %d is selected, want %d", a, at, s.Step,
					selected.Step)
			}
			for _, name := range []string{"val_robust_risk", "test_loss"} {
				if got, want := s.Named(name), selected.Named(name); got != want {
					t.Errorf("%s, stopped at %d: the selected step has %s %v, want %v", a, at, name,
						got, want)
				}
			}
		}
	}
}

// An evaluation from before a method went back to the start is no candidate.
func TestSelectionBeginsAnewAtARestart(t *testing.T) {
	spec := choosing("jtt", "val_loss") // which restarts after the first epoch
	spec.CheckpointEvery = 10
	tr := runAll(t, 1, spec)[0]
	first := evals(tr)[0]
	if !first.Selected {
		t.Error("the first epoch is not selected")
	}
	if got := tr.states[0].Step; got != first.Step {
		t.Errorf("the first checkpoint is of step %d, want %d", got, first.Step)
	}
	if s := tr.states[0].Selected; s != nil {
		t.Errorf("the checkpoint at the restart has the selected step %d, want none", s.Step)
	}
	second := evals(tr)[1]
	if !second.Selected {
		t.Error("the second epoch is not selected, though it is the first after the restart")
	}
	if got := tr.summary.Selected.Step; got < second.Step {
		t.Errorf("in the end step %d is selected, want %d or later", got, second.Step)
	}
}

// relabelledSplit is a split with other labels.
type relabelledSplit struct {
	data.Source
	labels []int
}

func (r relabelledSplit) Label(i int) int { return r.labels[i] }

// openRelabelled returns the embedded table with a validation split of its own, and with shuffled
// test labels unless seed is 0.
func openRelabelled(seed uint64) (*data.Dataset, error) {
	d, err := source.Open("csv:example", data.Options{ValFraction: .3})
	if err != nil || seed == 0 {
		return d, err
	}
	labels := make([]int, d.Test.Len())
	for i := range labels {
		labels[i] = d.Test.Label(i)
	}
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(labels), func(i, j int) {
		labels[i], labels[j] = labels[j], labels[i]
	})
	d.Test = relabelledSplit{d.Test, labels}
	return d, nil
}

// The selection is the same whatever the labels of the test split. The validation split comes with
// the data, so val_fraction is 0.
func TestSelectionIsBlindToTheTestSplit(t *testing.T) {
	selections := spec.Selections()[1:]
	if testing.Short() {
		selections = selections[:3]
	}
	for _, by := range selections {
		var steps [][]int64 // that become selected, and then the selected one
		var losses []measure.Number
		for _, seed := range []uint64{0, 1, 2} {
			remove := source.Register(data.Provider{Name: "relabelled", Purpose: "for a test",
				Open: func(string, data.Options) (*data.Dataset, error) {
					return openRelabelled(seed)
				}})
			spec := choosing(dro.ERM, by)
			spec.Dataset, spec.ValFraction = "relabelled", 0
			tr := runAll(t, 1, spec)[0]
			remove()
			var selected []int64
			for _, e := range evals(tr) {
				if e.Selected {
					selected = append(selected, e.Step)
				}
			}
			steps = append(steps, append(selected, tr.summary.Selected.Step))
			losses = append(losses, tr.summary.Named("test_loss"))
		}
		for _, got := range steps[1:] {
			if !slices.Equal(got, steps[0]) {
				t.Errorf("%s: the steps %v are selected with another order of the test labels, "+
					"want %v", by, got, steps[0])
			}
		}
		if losses[0] == losses[1] || losses[1] == losses[2] {
			t.Errorf("%s: the test losses %v do not show that labels differ", by, losses)
		}
	}
}

func TestSelectIsRefused(t *testing.T) {
	without, few := choosing(dro.ERM, "val_loss"), choosing(dro.ERM, "val_worst")
	unknown := choosing(dro.ERM, "test_loss")
	without.ValFraction, few.MinGroup = 0, 10000
	for _, s := range []spec.Spec{without, few} {
		store := newMemoryStore()
		q := NewQueue(context.Background(), Settings{Store: store})
		_, err := q.Start(runner.Request{Preset: "test", Specs: []spec.Spec{s}})
		q.Wait()
		var key *spec.KeyError
		if !errors.As(err, &key) || key.Key != "select" {
			t.Errorf("%s with val_fraction %v: Start() = %v, want a KeyError about select",
				s.Select, s.ValFraction, err)
		}
		if n := len(store.runs); n != 0 {
			t.Errorf("%s with val_fraction %v: the refused start leaves %d runs, want none",
				s.Select, s.ValFraction, n)
		}
	}
	var key *spec.KeyError
	if err := unknown.Validate(); !errors.As(err, &key) || key.Key != "select" {
		t.Errorf("Validate() of select: test_loss = %v, want a KeyError about select", err)
	}
}

// A run whose selection measure does not apply warns of it once.
func TestNothingToSelectBy(t *testing.T) {
	s := brief(dro.ERM)
	s.ValFraction, s.Select, s.MinGroup = .3, "val_equalised_odds", 1000
	tr, want := runAll(t, 1, s)[0], "select: val_equalised_odds does not apply to an "+
		"evaluation, with min_group = 1000: it is not selected"
	if n := strings.Count(warnings(tr), want); n != 1 {
		t.Errorf("the log says %d times that %q, want once: %s", n, want, warnings(tr))
	}
	if s := tr.summary.Selected; s != nil {
		t.Errorf("step %d is selected, want none", s.Step)
	}
}

// rare returns a spec of a table with a class so rare that no network of the run predicts it: the
// worst class of the validation split is 0 at every evaluation, while the loss falls.
func rare(t *testing.T) spec.Spec {
	t.Helper()
	random := rand.New(rand.NewPCG(7, 7))
	text := "a,b,label\n"
	for i := range 900 {
		label, shift := "often", 0.
		if i%30 == 0 {
			label, shift = "rare", 1
		}
		text += fmt.Sprintf("%.4f,%.4f,%s\n", random.NormFloat64()+shift,
			random.NormFloat64()+shift, label)
	}
	path := filepath.Join(t.TempDir(), "rare.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := choosing(dro.ERM, spec.SelectValWorst)
	s.Dataset, s.MinGroup, s.LR = "csv:"+path+"?label=label", 2, .02
	return s
}

// Where the measure of the selection is the same at every evaluation, a new run selects the one
// with the lowest validation loss, and says at its end that all tie. Patience counts no tie as an
// improvement.
func TestAllTie(t *testing.T) {
	tr := runAll(t, 1, rare(t))[0]
	list := evals(tr)
	best := list[0]
	for _, e := range list {
		if v := e.Named("val_worst_class_accuracy"); v != measure.Num(0) {
			t.Fatalf("epoch %g has a worst class of %v, so that nothing is shown", e.Epoch, v)
		}
		if e.Named("val_loss").Float() <= best.Named("val_loss").Float() {
			best = e
		}
	}
	s := tr.summary.Selected
	if best.Step == list[0].Step {
		t.Fatal("the first evaluation has the lowest val_loss, so that nothing is shown")
	}
	if s == nil || s.Step != best.Step {
		t.Errorf("the selected step is %+v, want step %d", s, best.Step)
	}
	want := fmt.Sprintf("select: all 6 evaluations tie at val_worst_class_accuracy = 0: epoch %g "+
		"has the lowest val_loss and is selected; another measure in select may tell them apart",
		best.Epoch)
	if n := strings.Count(warnings(tr), want); n != 1 {
		t.Errorf("it says %d times that %q, want 1: %s", n, want, warnings(tr))
	}
	if tr.meta.Ties != runner.TiesByLoss {
		t.Errorf("its run.json has the rule %q, want %q", tr.meta.Ties, runner.TiesByLoss)
	}
	if i := slices.IndexFunc(tr.states, func(s *runner.State) bool {
		return s.Step == best.Step
	}); i < 0 {
		t.Errorf("no checkpoint of the selected step %d", best.Step)
	}
	impatient := rare(t)
	impatient.Patience = 2
	tr = runAll(t, 1, impatient)[0]
	if tr.summary.Epochs != 3 {
		t.Errorf("with patience 2 it ends after epoch %g, want 3", tr.summary.Epochs)
	}
	want = "patience is 2: no better val_worst since epoch 1, so the run ends after epoch 3 of 6"
	if !strings.Contains(warnings(tr), want) {
		t.Errorf("it does not say %q: %s", want, warnings(tr))
	}
	plain := rare(t)
	plain.Select = spec.SelectLast
	tr = runAll(t, 1, plain)[0]
	if tr.meta.Ties != runner.TiesToFirst {
		t.Errorf("a run that selects nothing has the rule %q, want none", tr.meta.Ties)
	}
	if said := warnings(tr); strings.Contains(said, "tie at") {
		t.Errorf("a run that selects nothing warns of ties: %s", said)
	}
}

// A run keeps the rule for ties with which it began: one that an earlier program began selects the
// first of equal evaluations to its end, wherever it was stopped. A fork is a new run, and has the
// new rule.
func TestTieRuleStays(t *testing.T) {
	settings := rare(t)
	settings.CheckpointEvery = 10
	for _, c := range []struct {
		rule runner.TieRule
		says string
	}{{runner.TiesToFirst, "epoch 1 is the first and is selected"},
		{runner.TiesByLoss, "has the lowest val_loss and is selected"}} {
		whole := begunWith(t, settings, c.rule, 0)
		if got := whole.summary.Selected.Epoch == 1; got != (c.rule == runner.TiesToFirst) {
			t.Errorf("rule %q: epoch %g is selected", c.rule, whole.summary.Selected.Epoch)
		}
		if !strings.Contains(warnings(whole), c.says) {
			t.Errorf("rule %q: it does not say %q: %s", c.rule, c.says, warnings(whole))
		}
		for _, at := range []int64{1, whole.meta.StepsPerEpoch + 1, whole.meta.Steps - 6} {
			tr := begunWith(t, settings, c.rule, at)
			got, want := tr.summary.Selected, whole.summary.Selected
			if got.Step != want.Step {
				t.Errorf("rule %q, stopped at %d: step %d is selected, want %d", c.rule, at,
					got.Step, want.Step)
			}
			if got, want := got.Named("test_loss"), want.Named("test_loss"); got != want {
				t.Errorf("rule %q, stopped at %d: the selected test_loss is %v, want %v", c.rule,
					at, got, want)
			}
			if n := strings.Count(warnings(tr), "tie at"); n != 1 {
				t.Errorf("rule %q, stopped at %d: %d warnings of ties, want 1", c.rule, at, n)
			}
		}
	}
	store := newMemoryStore()
	old := begunWith(t, settings, runner.TiesToFirst, 0)
	store.runs[old.meta.ID] = old
	fork, err := forkAt(t, store, old, 10, func(*spec.Spec) {})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fork.meta.Ties, runner.TiesByLoss; got != want {
		t.Errorf("a fork has the rule %q, want %q", got, want)
	}
	if got := fork.summary.Selected.Epoch; got == 1 {
		t.Error("a fork selects the first epoch, as by the rule of its parent")
	}
}

// tieRuleStore is a store whose runs begin with a rule for ties, as a program of that rule makes
// them.
type tieRuleStore struct {
	*hookStore
	rule runner.TieRule
}

func (r tieRuleStore) Create(m *runner.Meta, from *runner.State) (runner.Recorder, error) {
	m.Ties = r.rule
	return r.hookStore.Create(m, from)
}

// begunWith trains a run that began with a rule for ties. Unless step is 0, the run is stopped when
// it logs a step at or above it, and resumed.
func begunWith(t *testing.T, s spec.Spec, rule runner.TieRule, step int64) *trace {
	t.Helper()
	store := tieRuleStore{&hookStore{memoryStore: newMemoryStore(), step: step}, rule}
	q := NewQueue(t.Context(), Settings{Store: store})
	store.do = func(id string) {
		if step == 0 {
			return
		}
		if err := q.Stop(id); err != nil {
			t.Error(err)
		}
	}
	ids, err := q.Start(runner.Request{Preset: "test", Specs: []spec.Spec{s}})
	if err != nil {
		t.Fatal(err)
	}
	o := q.Wait()
	if step > 0 {
		if o[0].Status != runner.Stopped {
			t.Fatalf("outcome %+v, want stopped", o[0])
		}
		if err := q.Resume(ids[0]); err != nil {
			t.Fatal(err)
		}
		o = q.Wait()
	}
	tr := store.runs[ids[0]]
	if o[0].Status != runner.Done {
		t.Fatalf("the outcome is %+v, want %s", o[0], runner.Done)
	}
	if tr.meta.Ties != rule {
		t.Fatalf("run.json has the rule %q, want %q", tr.meta.Ties, rule)
	}
	return tr
}

// A run with a rule that a later program made is not continued by another rule.
func TestUnknownTieRule(t *testing.T) {
	m := runner.Meta{StepsPerEpoch: 1, Spec: spec.Defaults(), Ties: "by-lot"}
	want := `select_ties: "by-lot": expected "val_loss" or none`
	if err := m.Usable(); err == nil || err.Error() != want {
		t.Errorf("Usable() = %v, want %q", err, want)
	}
}
