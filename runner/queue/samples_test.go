package queue

import (
	"math"
	"testing"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/certificate"
	"drolab/runner/measure"
)

// The losses, predictions and worst case of a checkpoint have the same bits as the run's own
// evaluation, and its probabilities agree with its losses.
func TestInspectIsTheEvaluation(t *testing.T) {
	names := []string{"csv:example", "shapes"}
	if testing.Short() {
		names = names[:1]
	}
	for _, name := range names {
		spec := quick(dro.SFK)
		spec.Dataset, spec.Model, spec.ValFraction, spec.LabelNoise = name, "mlp", .2, .1
		tr := runAll(t, 2, spec)[0]
		state := tr.states[len(tr.states)-1]
		d, err := tr.meta.OpenFor(t.Context(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		s, err := certificate.Inspect(tr.meta, state, d, runner.SplitTest,
			certificate.Inspection{Threads: 2, Probabilities: true})
		if err != nil {
			t.Fatal(err)
		}
		e := tr.summary
		set, _ := spec.Set()
		worst, err := dro.WorstCase(set, nil, s.Losses, spec.Rho)
		if err != nil {
			t.Fatal(err)
		}
		for what, got := range map[string]float64{"test_loss": measure.Mean(s.Losses),
			"test_accuracy": s.Accuracy().Float(),
			"robust_risk":   worst.Risk} {
			if want := e.Named(what).Float(); got != want {
				t.Errorf("%s: %s is %v, the run has %v", name, what, got, want)
			}
		}
		for i, loss := range s.Losses {
			if p := float64(s.Of(i)[s.Labels[i]]); math.Abs(p-math.Exp(-loss)) > 1e-5 {
				t.Fatalf("%s: sample %d has probability %v and loss %v", name, i, p, loss)
			}
		}
		d.Close()
	}
}
