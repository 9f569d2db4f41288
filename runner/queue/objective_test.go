package queue

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/spec"
)

// Where a weight depends on the rest of its batch, full_grad_norm is still the gradient norm of the
// objective over the whole training split. The test takes finite differences of that objective in
// every parameter of a linear model.
func TestFullGradientIsOfTheWholeSplit(t *testing.T) {
	for _, c := range []struct {
		name      dro.Algorithm
		objective func(p *dro.Problem, s *runner.State, losses []float64, groups []int) float64
	}{
		{"batch", func(p *dro.Problem, _ *runner.State, losses []float64, _ []int) float64 {
			w, err := dro.WorstCase(p.Set, nil, losses, p.Rho)
			if err != nil {
				t.Fatal(err)
			}
			return w.Risk
		}},
		{"tilted", func(_ *dro.Problem, _ *runner.State, losses []float64, _ []int) float64 {
			sum := 0.0
			for _, l := range losses {
				sum += math.Exp(l)
			}
			return math.Log(sum / float64(len(losses)))
		}},
		{"scent", entropicObjective}, {"scdro", entropicObjective},
		{"group", func(_ *dro.Problem, s *runner.State, losses []float64,
			groups []int) (f float64) {
			var sums, counts [2]float64
			for i, l := range losses {
				sums[groups[i]] += l
				counts[groups[i]]++
			}
			for g := range sums {
				f += math.Exp(s.Method.Numbers[fmt.Sprintf("log_q%d", g)]) * sums[g] / counts[g]
			}
			return f
		}},
	} {
		spec := brief(c.name)
		spec.Epochs = 1
		tr := runAll(t, 1, spec)[0]
		last := tr.states[len(tr.states)-1]
		p, err := spec.Problem()
		if err != nil {
			t.Fatal(err)
		}
		net, b := trainingSplit(t, &spec, last.Parameters)
		losses, square := make([]float64, b.N), 0.0
		at := func(x *float32, v float32) float64 {
			*x = v
			net.Losses(losses, b.X, b.Labels)
			return c.objective(p, last, losses, b.Groups)
		}
		const h = 1. / 128
		for _, tensor := range net.Parameters() {
			for i := range tensor.Data {
				x := &tensor.Data[i]
				was := *x
				slope := (at(x, was+h) - at(x, was-h)) / (2 * h)
				*x = was
				square += slope * slope
			}
		}
		got := last.Eval.Named("full_grad_norm").Float()
		if want := math.Sqrt(square); math.Abs(got-want) > 2e-3*want {
			t.Errorf("%s: full gradient norm %v, by finite differences %v", c.name, got, want)
		}
	}
}

// entropicObjective is λ mean e^{ℓ/λ−ν}. The weights of scent and scdro are its derivatives, at the
// present λ and ν of the method.
func entropicObjective(_ *dro.Problem, s *runner.State, losses []float64, _ []int) (f float64) {
	lambda, moves := s.Method.Numbers["lambda"]
	if !moves {
		lambda = spec.Defaults().Lambda
	}
	for _, l := range losses {
		f += lambda * math.Exp(l/lambda-s.Method.Numbers["nu"]) / float64(len(losses))
	}
	return f
}

// steps returns how far each step of a run moved x, the gradient norms that the run reports, and
// the run.
func steps(t *testing.T, spec spec.Spec) (moved, norms []float64, tr *trace) {
	t.Helper()
	spec.LogEvery = 1
	tr = everyStep(t, spec)
	for _, e := range tr.events {
		if s, ok := e.(*runner.StepEvent); ok {
			norms = append(norms, s.Named("grad_norm").Float())
		}
	}
	net, _ := restart(t, &spec)
	before := runner.CloneTensors(net.Parameters())
	for _, s := range tr.states {
		square := 0.0
		for i, p := range s.Parameters {
			for j, x := range p.Data {
				square += math.Pow(float64(x)-float64(before[i].Data[j]), 2)
			}
		}
		moved, before = append(moved, math.Sqrt(square)), s.Parameters
	}
	return moved, norms, tr
}

// Without momentum a step is lr times the gradient, or lr times clip in length where the gradient
// is longer than clip. The reported norm is the norm of the gradient before clipping.
func TestClipBoundsTheStep(t *testing.T) {
	for _, a := range []dro.Algorithm{dro.ERM, dro.SFK, "batch", "dsgdc"} {
		settings := brief(a)
		settings.Momentum = 0
		_, free, _ := steps(t, settings)
		clip := free[len(free)/2] // reached by some steps
		settings.Clip = dro.Fixed(clip)
		moved, norms, _ := steps(t, settings)
		cut := 0
		for i := range moved {
			if want := settings.LR * min(norms[i], clip); math.Abs(moved[i]-want) > 1e-4*want {
				t.Errorf("%s, step %d: x moved by %v, want %v at a gradient of %v", a, i+1,
					moved[i], want, norms[i])
			}
			if norms[i] > clip {
				cut++
			}
		}
		if cut == 0 || cut == len(moved) {
			t.Errorf("%s: %d of %d gradients are longer than %v", a, cut, len(moved), clip)
		}
	}
}

// A method with an x-step of its own averages the clipped gradients: v ← βv + (1−β)g, of which the
// first is (1−β)g.
func TestClipBoundsAnAveragedGradient(t *testing.T) {
	settings := brief("nsgdm")
	_, free, _ := steps(t, settings)
	settings.Clip = dro.Fixed(free[0] / 4)
	_, norms, tr := steps(t, settings)
	square := 0.0
	for _, v := range tr.states[0].Velocities {
		for _, x := range v.Data {
			square += float64(x) * float64(x)
		}
	}
	want := (1 - settings.Momentum) * free[0] / 4
	if got := math.Sqrt(square); math.Abs(got-want) > 1e-5*want {
		t.Errorf("‖v‖ is %v after a step, want %v", got, want)
	}
	if norms[0] != free[0] {
		t.Errorf("the gradient norm is %v, want %v, as without clip", norms[0], free[0])
	}
}

// "auto" is the method's own bound. "none" is no bound, and gives the same bits as a bound that no
// gradient reaches.
func TestClipInWords(t *testing.T) {
	of := func(a dro.Algorithm, clip dro.Auto) *trace {
		spec := brief(a)
		spec.Clip = clip
		return runAll(t, 1, spec)[0]
	}
	for _, a := range []dro.Algorithm{dro.PGD, "nsgdm", "jtt"} {
		expectSameRun(t, of(a, dro.Auto{}), of(a, dro.None()))
		expectSameRun(t, of(a, dro.Fixed(1e9)), of(a, dro.None()))
	}
	m, err := dro.Find("dsgdc")
	if err != nil {
		t.Fatal(err)
	}
	settings := brief("dsgdc")
	for _, c := range []struct {
		clip dro.Auto
		want float64
	}{{dro.Auto{}, 10}, {dro.None(), 0}, {dro.Fixed(2), 2}} {
		if settings.Clip = c.clip; settings.ClipFor(m) != c.want {
			t.Errorf("clip %v of dsgdc is %v, want %v", c.clip, settings.ClipFor(m), c.want)
		}
	}
}

// The word "none" survives JSON, which has no infinity, and is refused where a bound has to be
// finite.
func TestNoneIsReadBack(t *testing.T) {
	settings := spec.Defaults()
	settings.Clip = dro.None()
	text, err := settings.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	back := spec.Defaults()
	if err := back.UnmarshalJSON(text); err != nil {
		t.Fatalf("UnmarshalJSON(%s): %v", text, err)
	}
	if !back.Clip.IsNone() {
		t.Errorf("clip is read back as %v, want none", back.Clip)
	}
	if got := back.Text("clip"); got != "none" {
		t.Errorf("Text(clip) = %q, want none", got)
	}
	for _, key := range []string{"lambda_max", "eta_min", "c"} {
		s := spec.Defaults()
		if err := s.Assign(key, []byte(`"none"`)); err == nil && s.Validate() == nil {
			t.Errorf("%s: none is taken", key)
		}
	}
}

// Label noise is the same for every method and seed, is counted in the class counts of a run, and
// leaves the test split alone. The log of the first run on the data warns of it.
func TestLabelNoiseIsTold(t *testing.T) {
	noisy := quick(dro.ERM)
	noisy.LabelNoise, noisy.Epochs = .1, 1
	another := noisy
	another.Algorithms, another.Seed = []dro.Algorithm{"reweight"}, 5
	clean := noisy
	clean.LabelNoise = 0
	runs := runAll(t, 1, noisy, another, clean)
	for i, tr := range runs {
		told := 0
		for _, e := range tr.events {
			const text = "label_noise: 42 of 421 training labels are set to another class"
			if w, ok := e.(*runner.WarningEvent); ok && w.Message == text {
				told++
			}
		}
		if want := []int{1, 0, 0}[i]; told != want {
			t.Errorf("run %d: told %d times, want %d: %v", i, told, want, tr.meta.ClassCounts.Train)
		}
	}
	counts := func(i int) string { return fmt.Sprint(runs[i].meta.ClassCounts.Train) }
	if counts(0) != counts(1) {
		t.Errorf("with another method and seed the training counts are %s, want %s", counts(1),
			counts(0))
	}
	if counts(0) == counts(2) {
		t.Errorf("without noise the training counts are %s, as with noise", counts(2))
	}
	got, want := runs[0].meta.ClassCounts.Test, runs[2].meta.ClassCounts.Test
	if !slices.Equal(got, want) {
		t.Errorf("test counts %v, without noise %v", got, want)
	}
	spec := noisy
	spec.LogEvery = 1
	whole := runAll(t, 1, spec)[0]
	expectSameRun(t, stoppedAndResumed(t, spec, 5, 1), whole)
}

// The setting clip reaches the method, which also bounds the step of η with it.
func TestClipReachesTheMethod(t *testing.T) {
	const clip = .01
	settings := brief("dsgdc")
	settings.Clip = dro.Fixed(clip)
	before, most := settings.Eta, 0.0
	for _, s := range everyStep(t, settings).states {
		eta := s.Method.Numbers["eta"]
		most, before = max(most, math.Abs(eta-before)), eta
	}
	if want := settings.LR * clip; math.Abs(most-want) > 1e-9*want+1e-15 {
		t.Errorf("η moved by up to %v, want %v", most, want)
	}
}
