package queue

import (
	"context"
	"slices"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/spec"
)

// runAll runs the specs to their end and returns their traces in order.
func runAll(t *testing.T, threads int, specs ...spec.Spec) []*trace {
	t.Helper()
	store := newMemory()
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
		s.Model, s.Samples, s.Batch, s.Epochs, s.Convolution = "resnet8", 32, 16, 1, way
		specs = append(specs, s)
	}
	auto, winograd, direct := "", "", ""
	for i, to := range []*string{&auto, &winograd, &direct} {
		run := runAll(t, 1, specs[i])[0]
		got, want := run.meta.Spec.Convolution, []string{"winograd", "winograd", "direct"}[i]
		if got != want {
			t.Errorf("%s is recorded as %s", specs[i].Convolution, got)
		}
		*to = strings.Join(run.lines(t, measured), "\n")
	}
	if auto != winograd || auto == direct {
		t.Errorf("auto:\n%s\nwinograd:\n%s\ndirect:\n%s", auto, winograd, direct)
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
		if s == nil || s.Status != runner.Done || s.Steps != tr.meta.Steps || s.Epochs != 2 {
			t.Fatalf("%s: summary %+v", a, s)
		}
		if !s.Named("test_accuracy").Applies() || !s.Named("robust_risk").Applies() ||
			!s.Named("full_grad_norm").Applies() || len(s.ByGroup.Named("class_accuracy")) != 2 {
			t.Errorf("%s: summary lacks measures: %+v", a, s)
		}
		dual := slices.Contains([]dro.Algorithm{dro.SFK, dro.SFKAuto, dro.PGD, dro.PAN, "nsgdm",
			"dsgdc"}, a)
		if s.Named("lambda").Applies() != dual || s.Named("dual_gap").Applies() != dual ||
			(s.PaperIterate != nil) != (a == dro.SFK || a == dro.SFKAuto) {
			t.Errorf("%s: λ %v, dual gap %v, paper iterate %v", a, s.Named("lambda"),
				s.Named("dual_gap"), s.PaperIterate)
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
