package queue

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"drolab/dro"
	"drolab/dro/nn"
	"drolab/dro/testsize"
	"drolab/runner"
	"drolab/runner/data/loader"
	"drolab/runner/data/source"
	"drolab/runner/measure"
	"drolab/runner/spec"
)

// everyStep trains a spec and keeps a checkpoint of every step.
func everyStep(t *testing.T, spec spec.Spec) *trace {
	t.Helper()
	spec.CheckpointEvery = 1
	tr := runAll(t, 1, spec)[0]
	n := len(tr.states)
	if int64(n) != tr.meta.Steps {
		t.Fatalf("the run has %d checkpoints, want one of each of %d steps", n, tr.meta.Steps)
	}
	if got := tr.states[n-1].Step; got != tr.meta.Steps {
		t.Fatalf("the last checkpoint is of step %d, want %d", got, tr.meta.Steps)
	}
	return tr
}

func sameTensors(a, b []nn.Tensor) bool {
	return slices.EqualFunc(a, b, func(s, t nn.Tensor) bool {
		return s.Name == t.Name && slices.Equal(s.Data, t.Data)
	})
}

// restart returns the network with which a run of a spec on a table starts, and the batches of the
// run's steps.
func restart(t *testing.T, spec *spec.Spec) (*nn.Net, *loader.Loader) {
	t.Helper()
	d, err := source.Open(spec.Dataset, spec.DataOptions(""))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	batches, err := loader.NewEpochs(d.Train, loader.Options{
		Batch: spec.Batch, Mean: d.Mean, Std: d.Std,
		Seed: spec.Seed, Stream: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(batches.Close)
	return network(t, spec, d, spec.Batch), batches
}

// The q of each checkpoint is the q of the step before, moved by the losses of the two groups in
// the step's own batch. The network of that step computes the losses again.
func TestGroupWeightsMoveAsTheLossesSay(t *testing.T) {
	settings := brief("group")
	const eta = .05
	settings.SetOwn("group_step", dro.Fixed(eta))
	tr := everyStep(t, settings)
	net, batches := restart(t, &settings)
	losses, q := make([]float64, settings.Batch), []float64{.5, .5}
	for _, s := range tr.states {
		b := batches.Next()
		net.Losses(losses, b.X, b.Labels)
		var sum, count [2]float64
		for i, g := range b.Groups {
			sum[g] += losses[i]
			count[g]++
		}
		for g := range q {
			if count[g] > 0 {
				q[g] *= math.Exp(eta * sum[g] / count[g])
			}
		}
		total, all := q[0]+q[1], 0.0
		for g := range q {
			q[g] /= total
			got := math.Exp(s.Method.Numbers[fmt.Sprintf("log_q%d", g)])
			if all += got; math.Abs(got-q[g]) > 1e-12 {
				t.Fatalf("step %d: q of %s is %v, its losses give %v", s.Step, tr.meta.Groups[g],
					got, q[g])
			}
		}
		if math.Abs(all-1) > 1e-14 {
			t.Errorf("step %d: the weights sum to %v", s.Step, all)
		}
		if err := runner.CopyTensors(net.Parameters(), s.Parameters); err != nil {
			t.Fatal(err)
		}
	}
	if math.Abs(q[0]-q[1]) < .1 {
		t.Errorf("q is %v at the end, so that little is shown", q)
	}
}

// Normalised momentum moves (x, η) by α at every step, whatever the gradient, and its momentum
// averages the gradients of the steps' batches.
func TestNormalisedMomentumMovesByAlpha(t *testing.T) {
	spec := brief("nsgdm")
	tr := everyStep(t, spec)
	p, err := spec.Problem()
	if err != nil {
		t.Fatal(err)
	}
	net, batches := restart(t, &spec)
	batches.Next()
	losses, ratios := make([]float64, spec.Batch), make([]float64, spec.Batch)
	for i, s := range tr.states[1:] {
		before := tr.states[i]
		was, is := before.Method.Numbers, s.Method.Numbers
		if is["lambda"] != spec.Lambda {
			t.Errorf("step %d: λ is %v", s.Step, is["lambda"])
		}
		if err := runner.CopyTensors(net.Parameters(), before.Parameters); err != nil {
			t.Fatal(err)
		}
		b := batches.Next()
		net.Losses(losses, b.X, b.Labels)
		g := p.Evaluate(ratios, losses, dro.Z{Lambda: was["lambda"], Eta: was["eta"]}).Grad.Eta
		net.Gradient(ratios)
		m := spec.Momentum
		off := math.Abs(is["eta_momentum"] - m*was["eta_momentum"] - (1-m)*g)
		square := math.Pow(is["eta"]-was["eta"], 2)
		for j, now := range s.Parameters {
			for k, x := range now.Data {
				square += math.Pow(float64(x)-float64(before.Parameters[j].Data[k]), 2)
				v, g := float64(before.Velocities[j].Data[k]), float64(net.Gradients()[j].Data[k])
				m := spec.Momentum*v + (1-spec.Momentum)*g
				off = max(off, math.Abs(float64(s.Velocities[j].Data[k])-m))
			}
		}
		if moved := math.Sqrt(square); math.Abs(moved-spec.LR) > 1e-5*spec.LR {
			t.Errorf("step %d: (x, η) moved by %v, want %v", s.Step, moved, spec.LR)
		}
		if off > 1e-7 {
			t.Errorf("step %d: the momentum is %v off βm + (1−β)g", s.Step, off)
		}
	}
}

// twice returns a brief spec of jtt that begins anew after its first epoch.
func twice() spec.Spec {
	settings := brief("jtt")
	settings.SetOwn("jtt_epochs", dro.Fixed(1))
	return settings
}

// For jtt_epochs, Just Train Twice is ERM. Then it flags the samples that ERM's network gets wrong,
// and its own network begins anew from its initial weights.
func TestJustTrainTwiceBeginsAnew(t *testing.T) {
	spec := twice()
	tr, erm := everyStep(t, spec), everyStep(t, brief(dro.ERM))
	at := tr.meta.StepsPerEpoch - 1
	for i := range at {
		s := tr.states[i]
		if !sameTensors(s.Parameters, erm.states[i].Parameters) {
			t.Fatalf("step %d: the network is not ERM's", s.Step)
		}
		if s.Method.Flags != nil {
			t.Fatalf("step %d: the flags are %v, want none before the restart", s.Step,
				s.Method.Flags)
		}
	}

	wrong, count := misses(t, &spec, erm.states[at].Parameters)
	share := float64(count) / float64(len(wrong))
	if share == 0 || share == 1 {
		t.Fatalf("ERM gets %d of %d wrong: nothing to tell apart", count, len(wrong))
	}
	for _, s := range tr.states[at:] {
		if !slices.Equal(s.Method.Flags["wrong"], wrong) {
			t.Errorf("step %d: the flags are not the samples that ERM gets wrong", s.Step)
		}
	}
	for _, e := range tr.events {
		if s, ok := e.(*runner.StepEvent); ok && s.Step > at+1 &&
			s.Named("upweighted") != measure.Num(share) {
			t.Errorf("step %d: upweighted %v, want %v", s.Step, s.Named("upweighted"), share)
		}
	}

	net, batches := restart(t, &spec)
	s := tr.states[at]
	if !sameTensors(s.Parameters, net.Parameters()) {
		t.Errorf("step %d: the weights are not the initial ones", s.Step)
	}
	if !sameTensors(s.Velocities, net.Velocities()) {
		t.Errorf("step %d: the velocities are not the initial ones", s.Step)
	}
	for range at + 1 {
		batches.Next()
	}
	b, w := batches.Next(), make([]float64, spec.Batch)
	net.Losses(make([]float64, b.N), b.X, b.Labels)
	for i, sample := range b.Index {
		w[i] = 1 / (1 + share*19)
		if wrong[sample] {
			w[i] *= 20
		}
	}
	net.Gradient(w)
	net.Update(nn.SGD{LR: spec.LR, Momentum: spec.Momentum})
	if !sameTensors(tr.states[at+1].Parameters, net.Parameters()) {
		t.Errorf("step %d: not the step from there with the wrong samples 20 times", s.Step+1)
	}
}

// misses reports which training samples the network with these parameters gets wrong, and how many.
func misses(t *testing.T, spec *spec.Spec, parameters []nn.Tensor) (wrong []bool, count int) {
	t.Helper()
	net, b := trainingSplit(t, spec, parameters)
	found := make([]int, b.N)
	net.Losses(make([]float64, b.N), b.X, b.Labels)
	net.Predictions(found)
	for i, class := range found {
		wrong = append(wrong, class != b.Labels[i])
		if wrong[i] {
			count++
		}
	}
	return wrong, count
}

// A run that is stopped around the moment when it begins anew ends like an uninterrupted run,
// whichever checkpoints it goes on from.
func TestJustTrainTwiceIsResumedAroundItsRestart(t *testing.T) {
	spec := twice()
	spec.LogEvery = 1
	for _, every := range testsize.Few(1, 1, 0, 4) {
		spec.CheckpointEvery = every
		whole := runAll(t, 1, spec)[0]
		for step := whole.meta.StepsPerEpoch - 1; step <= whole.meta.StepsPerEpoch+1; step++ {
			for lost := range 2 {
				expectSameRun(t, stoppedAndResumed(t, spec, step, lost), whole)
			}
		}
	}
}
