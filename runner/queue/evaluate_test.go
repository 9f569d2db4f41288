package queue

import (
	"math"
	"slices"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/dro/nn"
	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/data/loader"
	"drolab/runner/data/source"
	"drolab/runner/measure"
	"drolab/runner/spec"
)

// TestEvaluationByASecondRoad computes the last evaluation of a run again from its checkpoint,
// sample by sample, with loops that share nothing with train/evaluate.go.
func TestEvaluationByASecondRoad(t *testing.T) {
	spec := quick(dro.PGD)
	// the example has groups that are not its classes
	spec.Dataset, spec.ValFraction, spec.Samples = "csv:example", 0.2, 0
	tr := runAll(t, 1, spec)[0]
	state, e := tr.states[len(tr.states)-1], tr.states[len(tr.states)-1].Eval

	d, err := source.Open(spec.Dataset, spec.DataOptions(""))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	net := network(t, &spec, d, 1)
	if err := runner.CopyTensors(net.Parameters(), state.Parameters); err != nil {
		t.Fatal(err)
	}
	losses := func(src data.Source) (list []float64, hits []float64) {
		x, one, class := make([]float32, d.Shape.Len()), make([]float64, 1), make([]int, 1)
		for i := range src.Len() {
			src.Read(x, i)
			net.Losses(one, x, []int{src.Label(i)})
			net.Predictions(class)
			hit := 0.0
			if class[0] == src.Label(i) {
				hit = 1
			}
			list, hits = append(list, one[0]), append(hits, hit)
		}
		return list, hits
	}
	close := func(what string, got measure.Number, want float64) {
		t.Helper()
		if !(math.Abs(got.Float()-want) <= 1e-5*(1+math.Abs(want))) {
			t.Errorf("%s is %v, by the second road %v", what, got, want)
		}
	}
	if got, want := tr.meta.GroupCounts.Val, data.GroupCounts(d.Val, 2); !slices.Equal(got, want) {
		t.Errorf("the hold-out has groups of %v, want %v", got, want)
	}
	train, _ := losses(d.Train)
	test, hits := losses(d.Test)
	val, _ := losses(d.Val)
	close("train loss", e.Named("train_loss"), measure.Mean(train))
	close("test loss", e.Named("test_loss"), measure.Mean(test))
	close("test accuracy", e.Named("test_accuracy"), measure.Mean(hits))
	close("validation loss", e.Named("val_loss"), measure.Mean(val))

	for i, rho := range spec.RiskRadii {
		problem, _ := spec.Problem()
		w, err := dro.WorstCase(problem.Set, nil, val, rho)
		if err != nil {
			t.Fatal(err)
		}
		close("robust risk of the hold-out", e.ByGroup.Named("val_robust_risk_at")[i], w.Risk)
	}
	var sum, count float64 // of group 0
	for i := range hits {
		if d.Test.Group(i) == 0 {
			sum, count = sum+hits[i], count+1
		}
	}
	close("accuracy of group 0", e.ByGroup.Named("group_accuracy")[0], sum/count)

	p, err := spec.Problem()
	if err != nil {
		t.Fatal(err)
	}
	w, err := dro.WorstCase(p.Set, nil, train, p.Rho)
	if err != nil {
		t.Fatal(err)
	}
	z := dro.Z{Lambda: state.Method.Numbers["lambda"], Eta: state.Method.Numbers["eta"]}
	f := p.Evaluate(nil, train, z).Value
	close("train objective", e.Named("train_objective"), f)
	close("dual gap", e.Named("dual_gap"), f-w.Risk)
	if !(e.Named("dual_gap").Float() >= 0) {
		t.Errorf("dual gap %v is negative: F(x; z) is below the exact worst case",
			e.Named("dual_gap"))
	}
	if e.Named("penalised_gap").Applies() {
		t.Errorf("penalised gap %v of a method whose λ moves", e.Named("penalised_gap"))
	}
	// The mean group ratio, weighted by the sizes of the groups, is 1.
	var weighted, n float64
	for g, c := range tr.meta.GroupCounts.Train {
		weighted += e.ByGroup.Named("group_ratio")[g].Float() * float64(c)
		n += float64(c)
	}
	if math.Abs(weighted/n-1) > 1e-9 {
		t.Errorf("mean group ratio %v, want 1", weighted/n)
	}
}

func TestFullGradientIsTheGradientOfTheObjective(t *testing.T) {
	spec := quick(dro.ERM)
	spec.Batch = 32
	tr := runAll(t, 1, spec)[0]
	// One batch of the whole training split instead of a sum over batches of 32.
	net, b := trainingSplit(t, &spec, tr.states[len(tr.states)-1].Parameters)
	n := b.N
	ones := make([]float64, n)
	for i := range ones {
		ones[i] = 1
	}
	net.Losses(make([]float64, n), b.X, b.Labels)
	net.Gradient(ones)
	got := tr.states[len(tr.states)-1].Eval.Named("full_grad_norm").Float()
	if want := net.GradientNorm(); math.Abs(got-want) > 1e-4*want {
		t.Errorf("full gradient norm %v, in one batch %v", got, want)
	}
}

// trainingSplit returns a network of a spec with these parameters, and the training split as one
// batch.
func trainingSplit(t *testing.T, spec *spec.Spec, parameters []nn.Tensor) (*nn.Net, *loader.Batch) {
	t.Helper()
	d, err := source.Open(spec.Dataset, spec.DataOptions(""))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	net := network(t, spec, d, d.Train.Len())
	if err := runner.CopyTensors(net.Parameters(), parameters); err != nil {
		t.Fatal(err)
	}
	whole := loader.Options{Batch: d.Train.Len(), Mean: d.Mean, Std: d.Std}
	all, err := loader.NewSequential(d.Train, whole)
	if err != nil {
		t.Fatal(err)
	}
	return net, all.Next()
}

// network returns the network with which a run of a spec starts.
func network(t *testing.T, spec *spec.Spec, d *data.Dataset, batch int) *nn.Net {
	t.Helper()
	net, err := nn.New(nn.Config{Model: spec.Model, C: d.Shape.C, H: d.Shape.H, W: d.Shape.W,
		Classes: len(d.Classes), Batch: batch, Seed: spec.Seed})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(net.Close)
	return net
}

// The evaluation finds a network that its last step broke, and says how to avoid it.
func TestBrokenNetworkHasACure(t *testing.T) {
	spec := brief(dro.ERM)
	spec.Model, spec.LR = "mlp", 1e30
	spec.Epochs, spec.Batch = 1, 400 // one step
	tr := runAll(t, 1, spec)[0]
	s := tr.summary
	if s.Status != runner.Failed {
		t.Errorf("the run is %s, want %s", s.Status, runner.Failed)
	}
	for _, want := range []string{"the loss of a sample is", "lower lr"} {
		if !strings.Contains(s.Cause, want) {
			t.Errorf("its cause is %q, want one with %q", s.Cause, want)
		}
	}
}

// The sensitivity of the risk is a measure of runs whose set has one. In other runs it cannot
// apply, so their files have no such field.
func TestSensitivityBelongsToTheSet(t *testing.T) {
	m, _ := measure.FindMeasure("risk_sensitivity")
	for set, has := range map[string]bool{"cressie-read": true, "kl": true, "smoothed-cvar": true,
		"cvar": false, "tv": false} {
		s := brief(dro.ERM)
		s.Uncertainty, s.Epochs, s.Rho = set, 1, .5
		tr := runAll(t, 1, s)[0]
		if got := tr.summary.Named(m.Name); got.Applies() != has || m.CanApply(tr.meta) != has {
			t.Errorf("%s: S is %v, and can apply: %v, want %v", set, got, m.CanApply(tr.meta), has)
		}
	}
}
