package queue

import (
	"context"
	"slices"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/spec"

	"github.com/google/go-cmp/cmp"
)

// runAll runs the specs to their end and returns their traces in order.
func runAll(t *testing.T, threads int, specs ...spec.Spec) []*trace {
	t.Helper()
	store := newMemoryStore()
	q := NewQueue(context.Background(), Settings{Store: store, Threads: threads})
	ids, err := q.Start(runner.Request{Preset: "test", Specs: specs})
	if err != nil {
		t.Fatal(err)
	}
	q.Wait()
	var list []*trace
	for _, id := range ids {
		list = append(list, store.runs[id])
	}
	return list
}

// A run that asks for the convolution auto records winograd for resnet8 and computes the same as a
// run that asks for winograd; direct computes something else.
func TestRecordSaysWhatAutoCameTo(t *testing.T) {
	var specs []spec.Spec
	for _, way := range []string{"auto", "winograd", "direct"} {
		s := quick(dro.ERM)
		s.Samples, s.Batch, s.Epochs = 32, 16, 1
		s.Model, s.Convolution = "resnet8", way
		specs = append(specs, s)
	}
	auto, winograd, direct := "", "", ""
	for i, to := range []*string{&auto, &winograd, &direct} {
		run := runAll(t, 1, specs[i])[0]
		got, want := run.meta.Spec.Convolution, []string{"winograd", "winograd", "direct"}[i]
		if got != want {
			t.Errorf("%s is recorded as %s, want %s", specs[i].Convolution, got, want)
		}
		*to = strings.Join(run.lines(t, measured), "\n")
	}
	if diff := cmp.Diff(winograd, auto); diff != "" {
		t.Errorf("the events of auto differ (-winograd +auto):\n%s", diff)
	}
	if auto == direct {
		t.Errorf("direct has the events of auto, want others:\n%s", direct)
	}
}

func TestEveryAlgorithmRunsToItsEnd(t *testing.T) {
	var specs []spec.Spec
	for _, a := range dro.Algorithms() {
		specs = append(specs, brief(a))
	}
	for i, tr := range runAll(t, 1, specs...) {
		a := specs[i].Algorithm()
		s := tr.summary
		if s == nil || s.Status != runner.Done {
			t.Fatalf("%s: the run has the summary %+v, want one that is done", a, s)
		}
		if s.Steps != tr.meta.Steps {
			t.Errorf("%s: %d steps are done, want %d", a, s.Steps, tr.meta.Steps)
		}
		if s.Epochs != 2 {
			t.Errorf("%s: %v epochs are done, want 2", a, s.Epochs)
		}
		for _, name := range []string{"test_accuracy", "robust_risk", "full_grad_norm"} {
			if !s.Named(name).Applies() {
				t.Errorf("%s: the summary has no %s", a, name)
			}
		}
		if n := len(s.ByGroup.Named("class_accuracy")); n != 2 {
			t.Errorf("%s: class_accuracy has %d values, want 2", a, n)
		}
		dual := slices.Contains([]dro.Algorithm{dro.SFK, dro.SFKAuto, dro.PGD, dro.PAN, "nsgdm",
			"dsgdc"}, a)
		for _, name := range []string{"lambda", "dual_gap"} {
			if n := s.Named(name); n.Applies() != dual {
				t.Errorf("%s: %s is %v; does it apply: %v, want %v", a, name, n, n.Applies(), dual)
			}
		}
		want := a == dro.SFK || a == dro.SFKAuto
		if got := s.PaperIterate != nil; got != want {
			t.Errorf("%s: the summary has a paper_iterate: %v, want %v", a, got, want)
		}
	}
}

func TestSameSeedSameEventsOnAnyNumberOfThreads(t *testing.T) {
	one := runAll(t, 1, quick(dro.SFK))[0].lines(t, everything)
	two := runAll(t, 2, quick(dro.SFK))[0].lines(t, everything)
	if !slices.Equal(one, two) {
		t.Error("a seed gave different events on 1 and 2 threads")
	}
	other := quick(dro.SFK)
	other.Seed = 2
	if slices.Equal(one, runAll(t, 1, other)[0].lines(t, everything)) {
		t.Error("two seeds gave equal events")
	}
}
