package queue

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/data"
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

// The selected step is the first best of the evaluations by the validation measure. Its checkpoint
// has the weights that were evaluated, and its measures are recorded beside those of the last step.
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
			better := best == nil || of(e) < of(best)
			if better {
				best = e
			}
			if e.Selected != better {
				t.Errorf("%s: step %d is selected: %v", by, e.Step, e.Selected)
			}
		}
		s := tr.summary.Selected
		if s == nil || s.Step != best.Step || s.Epoch != best.Epoch || s.By != by ||
			s.Named("test_accuracy") != best.Named("test_accuracy") {
			t.Fatalf("%s: selected %+v, want step %d", by, s, best.Step)
		}
		early = early || s.Step < tr.meta.Steps
		i := slices.IndexFunc(tr.states, func(s *runner.State) bool { return s.Step == best.Step })
		if i < 0 || tr.states[i].Selected.Step != best.Step {
			t.Fatalf("%s: no checkpoint of step %d", by, best.Step)
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
	d, err := data.Open(spec.Dataset, spec.DataOptions(""))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	net := network(t, spec, d, d.Val.Len())
	if err := runner.CopyTensors(net.Parameters(), s.Parameters); err != nil {
		t.Fatal(err)
	}
	whole := data.LoaderOptions{Batch: d.Val.Len(), Mean: d.Mean, Std: d.Std}
	all, err := data.NewSequential(d.Val, whole)
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
	for _, a := range dro.Algorithms() {
		settings := choosing(a, "val_robust_risk")
		settings.CheckpointEvery = 4
		plain := settings
		plain.Select = spec.SelectLast
		whole := runAll(t, 1, settings, plain)
		selected := whole[0].summary.Selected
		if refits(a) && selected == nil { // the samples to select by are fitted to
			continue
		}
		if selected == nil || whole[1].summary.Selected != nil {
			t.Fatalf("%s: selected %+v and %+v", a, selected, whole[1].summary.Selected)
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
			if s := tr.summary.Selected; s == nil || s.Step != selected.Step ||
				s.Named("val_robust_risk") != selected.Named("val_robust_risk") ||
				s.Named("test_loss") != selected.Named("test_loss") {
				t.Errorf("%s, stopped at %d: selected %+v, want step %d", a, at, s, selected.Step)
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
	if !first.Selected || tr.states[0].Step != first.Step || tr.states[0].Selected != nil {
		t.Errorf("the first epoch: %v, its checkpoint %+v", first.Selected, tr.states[0].Selected)
	}
	if second := evals(tr)[1]; !second.Selected || tr.summary.Selected.Step < second.Step {
		t.Errorf("the second epoch: %v, in the end %+v", second.Selected, tr.summary.Selected)
	}
}

// relabelled is a split with other labels.
type relabelled struct {
	data.Source
	labels []int
}

func (r relabelled) Label(i int) int { return r.labels[i] }

// openRelabelled returns the embedded table with a validation split of its own, and with shuffled
// test labels unless seed is 0.
func openRelabelled(seed uint64) (*data.Dataset, error) {
	d, err := data.Open("csv:example", data.Options{ValFraction: .3})
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
	d.Test = relabelled{d.Test, labels}
	return d, nil
}

// The selection is the same whatever the labels of the test split. The validation split comes with
// the data, so val_fraction is 0.
func TestSelectionIsBlindToTheTestSplit(t *testing.T) {
	for _, by := range spec.Selections()[1:] {
		var steps []int64
		var losses []measure.Number
		for _, seed := range []uint64{0, 1, 2} {
			remove := data.Register(data.Provider{Name: "relabelled", Purpose: "for a test",
				Open: func(string, data.Options) (*data.Dataset, error) {
					return openRelabelled(seed)
				}})
			spec := choosing(dro.ERM, by)
			spec.Dataset, spec.ValFraction = "relabelled", 0
			tr := runAll(t, 1, spec)[0]
			remove()
			for _, e := range evals(tr) {
				if e.Selected {
					steps = append(steps, e.Step)
				}
			}
			steps = append(steps, tr.summary.Selected.Step)
			losses = append(losses, tr.summary.Named("test_loss"))
		}
		third := len(steps) / 3
		if len(steps)%3 != 0 || !slices.Equal(steps[:third], steps[third:2*third]) ||
			!slices.Equal(steps[:third], steps[2*third:]) {
			t.Errorf("%s: selected steps %v with three orders of the test labels", by, steps)
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
		store := newMemory()
		q := NewQueue(context.Background(), Settings{Store: store})
		_, err := q.Start(runner.Request{Preset: "test", Specs: []spec.Spec{s}})
		q.Wait()
		var key *spec.KeyError
		if !errors.As(err, &key) || key.Key != "select" || len(store.runs) != 0 {
			t.Errorf("%s with val_fraction %v: %v, %d runs", s.Select, s.ValFraction, err,
				len(store.runs))
		}
	}
	var key *spec.KeyError
	if err := unknown.Validate(); !errors.As(err, &key) || key.Key != "select" {
		t.Errorf("by a test measure: %v", err)
	}
}

// A run whose selection measure does not apply warns of it once.
func TestNothingToSelectBy(t *testing.T) {
	s := brief(dro.ERM)
	s.ValFraction, s.Select, s.MinGroup = .3, "val_equalised_odds", 1000
	tr, want := runAll(t, 1, s)[0], "select: val_equalised_odds does not apply to an "+
		"evaluation, with min_group = 1000: it is not selected"
	if strings.Count(warnings(tr), want) != 1 || tr.summary.Selected != nil {
		t.Errorf("%+v: %s", tr.summary.Selected, warnings(tr))
	}
}
