package queue

import (
	"math"
	"testing"

	"drolab/dro"
	"drolab/dro/nn"
	"drolab/dro/testsize"
	"drolab/runner"
	"drolab/runner/certificate"
	"drolab/runner/data/loader"
	"drolab/runner/measure"
	"drolab/runner/train"
)

// alone returns the norms of the gradients of r_i ℓ_i, sample by sample.
func alone(t *testing.T, f *certificate.Frozen, ratios []float64) (norms []float64) {
	t.Helper()
	loader, err := loader.NewSequential(f.Data.Train,
		f.Run.LoaderOptions(runner.SplitTrain, nn.Evaluate, 0, 1))
	if err != nil {
		t.Fatal(err)
	}
	defer loader.Close()
	for _, r := range ratios {
		b := loader.Next()
		f.Run.Net.Losses(make([]float64, 1), train.Batch{Split: runner.SplitTrain, Batch: b}, nil)
		f.Run.Net.Gradient([]float64{r}, false)
		norms = append(norms, f.Run.Net.GradNorm())
	}
	return norms
}

// The variance of a batch of n is the variance of one sample over n, which all samples one by one
// give exactly. The bias of a batch of one is R_ρ less the mean loss.
func TestNoiseByASecondRoad(t *testing.T) {
	testsize.NotShort(t, "draws thousands of labels: TestLabelNoiseIsTold has such labels")
	spec := brief(dro.PGD)
	spec.Batch = 24 // batches of 40 take two pieces
	f := frozen(t, runAll(t, 1, spec)[0])
	train, err := f.Pass(runner.SplitTrain)
	if err != nil {
		t.Fatal(err)
	}
	ratios := make([]float64, len(train.Losses))
	z, _ := f.Z()
	f.Problem().Evaluate(ratios, train.Losses, z)
	var square float64
	for _, norm := range alone(t, f, ratios) {
		square += norm * norm / float64(len(ratios))
	}
	whole, err := f.Run.GradNorm(append([]float64(nil), ratios...))
	if err != nil {
		t.Fatal(err)
	}
	constants := certificate.Constants{Bound: 5, Lipschitz: 1, Smoothness: 1}
	noise, err := f.Noise(train, []int{1, 10, 40}, 3000, constants)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range noise {
		want := (square - whole*whole) / float64(n.N)
		if got := n.Variance.Float(); math.Abs(got/want-1) > .15 {
			t.Errorf("n = %d: variance %v, sample by sample %v", n.N, got, want)
		}
		if !(n.Variance.Float() < n.VarianceBound.Float()) {
			t.Errorf("n = %d: the variance is %v, want less than its bound, %v", n.N, n.Variance,
				n.VarianceBound)
		}
		if !(n.Bias < n.BiasBound) {
			t.Errorf("n = %d: the bias is %v, want less than its bound, %v", n.N, n.Bias,
				n.BiasBound)
		}
	}
	w, _ := dro.WorstCase(f.Problem().Set, nil, train.Losses, f.Problem().Rho)
	one, want := noise[0], w.Risk-measure.Mean(train.Losses)
	if math.Abs(one.Bias-want) > 4*one.BiasError {
		t.Errorf("a batch of one has the bias %v ± %v, want %v", one.Bias, one.BiasError, want)
	}
	if !(noise[0].Bias > noise[1].Bias && noise[1].Bias > noise[2].Bias) {
		t.Errorf("the bias does not fall with n: %+v", noise)
	}
}

// The constants are values of actual samples, L is below the largest that a softmax regression can
// have, and L_z is F's own. The network is left as it was.
func TestConstantsByASecondRoad(t *testing.T) {
	f := frozen(t, runAll(t, 1, brief(dro.PGD))[0])
	train, err := f.Pass(runner.SplitTrain)
	if err != nil {
		t.Fatal(err)
	}
	c, err := f.Constants(train, 40)
	if err != nil {
		t.Fatal(err)
	}
	again, err := f.Pass(runner.SplitTrain)
	if err != nil {
		t.Fatal(err)
	}
	largest, longest := 0.0, 0.0
	x := make([]float32, f.Data.Shape.Len())
	for i, l := range train.Losses {
		if again.Losses[i] != l {
			t.Fatalf("loss %d was %v and is %v: the network has moved", i, l, again.Losses[i])
		}
		largest = max(largest, l)
		f.Data.Train.Read(x, i)
		square := 1.0
		for _, v := range x {
			square += float64(v) * float64(v)
		}
		longest = max(longest, square)
	}
	if c.Bound != largest {
		t.Errorf("B = %v, want %v", c.Bound, largest)
	}
	norms, near := alone(t, f, ones(len(train.Losses))), math.Inf(1)
	for _, norm := range norms {
		near = min(near, math.Abs(norm/c.Lipschitz-1))
	}
	if near > 1e-6 {
		t.Errorf("G = %v is the norm of no sample's gradient", c.Lipschitz)
	}
	if !(c.Smoothness > 1e-3 && c.Smoothness < longest/2) {
		t.Errorf("L = %v, want at most half of max ‖(x, 1)‖² = %v", c.Smoothness, longest)
	}
	z, _ := f.Z()
	if got := steepest(f.Problem(), train.Losses, z); math.Abs(c.Lz.Float()/got-1) > 1e-3 {
		t.Errorf("L_z = %v, by differences %v", c.Lz, got)
	}
	if !(c.Lz.Float() < c.LzBound.Float()) {
		t.Errorf("L_z = %v is above its bound %v", c.Lz, c.LzBound)
	}
}

func ones(n int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = 1
	}
	return list
}

// steepest returns the largest change of ∇_z F over all directions, by differences.
func steepest(p *dro.Problem, losses []float64, z dro.Z) (most float64) {
	const h = 1e-6
	for i := range 3600 {
		c, s := math.Cos(float64(i)*math.Pi/3600), math.Sin(float64(i)*math.Pi/3600)
		up := p.Evaluate(nil, losses, dro.Z{Lambda: z.Lambda + h*c, Eta: z.Eta + h*s}).Grad
		down := p.Evaluate(nil, losses, dro.Z{Lambda: z.Lambda - h*c, Eta: z.Eta - h*s}).Grad
		most = max(most, ((up.Lambda-down.Lambda)*c+(up.Eta-down.Eta)*s)/(2*h))
	}
	return most
}

func TestRates(t *testing.T) {
	m := runAll(t, 1, brief(dro.SFK), brief(dro.PGD))
	var evals []*runner.EvalEvent
	for step := int64(1); step <= 64; step *= 2 {
		e := &runner.EvalEvent{Head: runner.Head{Step: step}}
		e.Set("dual_gap", measure.Num(3/math.Sqrt(float64(step))))
		if step == 16 {
			e.Set("full_grad_norm", measure.Num(.5))
		}
		e.Set("excess_risk", measure.Num(-1e-9)) // below the precision of float32: no logarithm
		evals = append(evals, e)
	}
	for i, each := range []float64{64, 32} { // SFK draws a batch for z
		rates := certificate.Rates(m[i].meta, evals)
		if len(rates) != 2 {
			t.Fatalf("%d rates: %+v", len(rates), rates)
		}
		gap, norm := rates[0], rates[1]
		if gap.Measure != "dual_gap" {
			t.Errorf("the first rate is of %s, want dual_gap", gap.Measure)
		}
		if math.Abs(gap.Slope.Float()+.5) > 1e-12 {
			t.Errorf("the slope of %s is %v, want -0.5", gap.Measure, gap.Slope)
		}
		if gap.SlopeError.Float() > 1e-6 {
			t.Errorf("the error of the slope of %s is %v, want at most 1e-6", gap.Measure,
				gap.SlopeError)
		}
		if p := gap.Points[6]; p.Samples != 64*each {
			t.Errorf("%v samples seen at step %d, want %v", p.Samples, p.Step, 64*each)
		}
		if n := len(norm.Points); n != 1 {
			t.Errorf("%s has %d points, want 1", norm.Measure, n)
		}
		if norm.Slope.Applies() {
			t.Errorf("%s, with one point, has the slope %v, want none", norm.Measure, norm.Slope)
		}
	}
	s := certificate.PaperSlope(dro.CressieRead{K: 2})
	if want := -1. / 11; math.Abs(s.Float()-want) > 1e-15 {
		t.Errorf("the paper's slope at k = 2 is %v, want %v", s, want)
	}
	if s := certificate.PaperSlope(dro.KL{}); s.Applies() {
		t.Errorf("the paper's slope of KL is %v, want none", s)
	}
}
