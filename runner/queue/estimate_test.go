package queue

import (
	"math"
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/spec"
	"drolab/runner/train"
)

// The estimate counts the passes that a run makes, here those in the log of a run of the same spec.
func TestSecondsCountsTheWork(t *testing.T) {
	for _, c := range []struct{ eval, certify int }{{1, 0}, {1, 1}, {2, 0}, {0, 0}, {2, 4}, {0, 2},
		{3, 1}} {
		s := brief(dro.SFK)
		s.Epochs, s.EvalEvery, s.CertifyEvery, s.ValFraction = 5, c.eval, c.certify, .2
		tr := runAll(t, 1, s)[0]
		evals, gradients := 0, 0
		for _, e := range tr.events {
			if e, ok := e.(*runner.EvalEvent); ok {
				evals++
				if e.Named("full_grad_norm").Applies() {
					gradients++
				}
			}
		}
		training, test := 0.0, 0.0
		for i, n := range tr.meta.ClassCounts.Train {
			training, test = training+float64(n), test+float64(tr.meta.ClassCounts.Test[i])
		}
		steps := float64(tr.summary.Steps * int64(s.Batch))
		p := train.Pace{Images: 100, Forward: .5, Step: func(dro.Algorithm) float64 { return 3 }}
		want := (3*steps + float64(evals)*.5*(training/.8+test) + float64(gradients)*training) / 100
		if got := p.Seconds([]spec.Spec{s}, training, test); math.Abs(got-want) > 1e-9*want {
			t.Errorf("eval_every %d, certify_every %d: %.4f s, the log tells of %.4f", c.eval,
				c.certify, got, want)
		}
		if got := p.Seconds([]spec.Spec{s, s}, training, test); math.Abs(got-2*want) > 1e-9*want {
			t.Errorf("two runs take %.4f s, one %.4f", got, want)
		}
	}
}

// A pace agrees with the step times that it was made from.
func TestPaceOfStepTimes(t *testing.T) {
	times := train.StepTimes{
		Train: 20 * time.Millisecond, Forward: 5 * time.Millisecond,
		Steps: map[dro.Algorithm]time.Duration{
			dro.ERM: 20 * time.Millisecond, dro.SFK: 26 * time.Millisecond,
			dro.PGD: 21 * time.Millisecond,
		},
	}
	p := times.Pace(100)
	if p.Images != 5000 {
		t.Errorf("the pace has %v images a second, want 5000", p.Images)
	}
	if p.Forward != .25 {
		t.Errorf("the pace has the share %v for a pass forward, want 0.25", p.Forward)
	}
	costs := map[dro.Algorithm]float64{dro.ERM: 1, dro.SFK: 1.3, dro.PGD: 1.05, dro.PAN: 1,
		"nsgdm": 1}
	for a, want := range costs {
		if got := p.Step(a); math.Abs(got-want) > 1e-12 {
			t.Errorf("a step of %s costs %v, want %v", a, got, want)
		}
	}
	usual := train.UsualPace(1)
	if got, want := usual.Step(dro.SFK), 1+train.ForwardShare; math.Abs(got-want) > 1e-12 {
		t.Errorf("a step of SFK usually costs %v, want %v: it goes forward once more", got, want)
	}
	if got := usual.Step(dro.PAN); got != 1 {
		t.Errorf("a step of PAN usually costs %v, want 1", got)
	}
}
