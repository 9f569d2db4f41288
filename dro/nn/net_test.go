package nn

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"drolab/dro/internal/kern"
	"drolab/dro/testsize"
)

// batch draws n inputs and labels.
func batch(c Config, n int, seed uint64) (x []float32, labels []int, ratios []float64) {
	rng := rand.New(rand.NewPCG(seed, 0))
	x, labels, ratios = make([]float32, n*c.C*c.H*c.W), make([]int, n), make([]float64, n)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	for i := range labels {
		labels[i] = rng.IntN(c.Classes)
		ratios[i] = 2 * rng.Float64()
	}
	return x, labels, ratios
}

func testNet(t *testing.T, c Config) *Net {
	t.Helper()
	n, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.Close)
	return n
}

// representative returns the models that have each kind of layer. With DROLAB_LONG=1, it returns
// all.
func representative() []string {
	return slices.DeleteFunc(slices.Clone(Models()), skipped)
}

// skipped reports whether a model is left out without DROLAB_LONG=1. It is large, and what its
// layers do is tested in smaller models.
func skipped(model string) bool {
	return !testsize.Long() && (model == "alexnet" || model == "resnet18")
}

// side returns the side of the images in tests that run every model. A deep model takes seconds for
// large images. With -short the images of other models are such that convnet pools them to a pixel.
func side(model string) int {
	switch model {
	case "resnet18":
		return 8
	case "alexnet":
		return 32
	}
	return testsize.Pick(16, 32, 32)
}

func TestEveryModelLearnsABatch(t *testing.T) {
	for _, model := range representative() {
		c := Config{Model: model, C: 3, H: side(model), W: side(model), Classes: 10, Batch: 16,
			Seed: 1, Threads: 2}
		n := testNet(t, c)
		x, labels, ratios := batch(c, 16, 1)
		losses := make([]float64, 16)
		n.Losses(losses, x, labels)
		first := total(losses)
		for step := 0; step < 30 && !(total(losses) < first/2); step++ {
			n.Gradient(ratios)
			n.Update(SGD{LR: 0.01, Momentum: 0.9})
			n.Losses(losses, x, labels)
		}
		if !(total(losses) < first/2) {
			t.Errorf("%s: the loss of one batch went from %.3f to %.3f in 30 steps, want less "+
				"than half", model, first/16, total(losses)/16)
		}
	}
}

func TestParametersOfModels(t *testing.T) {
	for model, want := range map[string]int{
		"alexnet": 2472266, "resnet8": 78042, "resnet18": 11173962,
	} {
		n, err := Check(Config{Model: model, C: 3, H: 32, W: 32, Classes: 10})
		if err != nil || n != want {
			t.Errorf("%s has %d parameters (%v), want %d", model, n, err, want)
		}
	}
}

// TestInits checks that an empty Init means he, and that torch is uniform in ±1/√fan-in, biases
// too.
func TestInits(t *testing.T) {
	c := Config{Model: "convnet", C: 3, H: 32, W: 32, Classes: 10, Batch: 1, Seed: 2}
	build := func(init string) []Tensor {
		c.Init = init
		return testNet(t, c).Parameters()
	}
	for i, p := range build("he") {
		if !slices.Equal(p.Data, build("")[i].Data) {
			t.Errorf("%s: he is not the customary one", p.Name)
		}
	}
	fanIns := []float64{75, 144, 288, 256}
	for i, p := range build("torch") {
		bound := 1 / math.Sqrt(fanIns[i/2])
		most, squares := 0.0, 0.0
		for _, x := range p.Data {
			most = max(most, math.Abs(float64(x)))
			squares += float64(x) * float64(x)
		}
		n := float64(len(p.Data))
		deviation := math.Sqrt(squares/n) / (bound / math.Sqrt(3))
		if !(most <= bound && most > bound*(1-5/n) && math.Abs(deviation-1) < 1.5/math.Sqrt(n)) {
			t.Errorf("%s: largest %v of %v, standard deviation %v of a uniform one's", p.Name, most,
				bound, deviation)
		}
	}
	c.Init = "xavier"
	if _, err := New(c); err == nil || !strings.HasPrefix(err.Error(), "init:") {
		t.Errorf("an unknown initialisation gives %v", err)
	}
}

// AlexNet does the work of math.md §6: 7.44 M real multiply-adds an image forward, and 5.40 GFLOP a
// training step of 128.
func TestWorkOfAlexNet(t *testing.T) {
	n := testNet(t, Config{Model: "alexnet", C: 3, H: 32, W: 32, Classes: 10, Batch: 128})
	forward, backward := n.FLOPs()
	if got := forward / 128 / 2e6; math.Abs(got-7.44) > .005 {
		t.Errorf("forward takes %.3f M multiply-adds an image, math.md §6 says 7.44", got)
	}
	if got := (forward + backward) / 1e9; math.Abs(got-5.40) > .005 {
		t.Errorf("a training step takes %.3f GFLOP, math.md §6 says 5.40", got)
	}
	if n.Peak() <= 0 {
		t.Error("the roofline counts no work")
	}
}

func TestInputTooSmall(t *testing.T) {
	for _, c := range []Config{
		{Model: "alexnet", C: 1, H: 28, W: 28}, {Model: "convnet", C: 5, H: 1, W: 1},
		{Model: "resnet", C: 3, H: 32, W: 32},
	} {
		if _, err := Check(c); err == nil ||
			!strings.HasPrefix(err.Error(), "model: ") {
			t.Errorf("%s on %d×%d×%d: error %v, want one about the model", c.Model, c.C, c.H,
				c.W, err)
		}
	}
}

// The losses of a batch depend on its own samples, not on the number of samples beside them.
func TestPartialBatchHasTheSameLosses(t *testing.T) {
	c := Config{Model: "convnet", C: 3, H: 32, W: 32, Classes: 10, Batch: 40, Seed: 2}
	n := testNet(t, c)
	x, labels, _ := batch(c, 40, 5)
	all, part := make([]float64, 40), make([]float64, 40)
	classes, partClasses := make([]int, 40), make([]int, 40)
	n.Losses(all, x, labels)
	n.Predictions(classes)
	for _, k := range []int{1, 17, 39} {
		n.Losses(part, x[:k*3*32*32], labels[:k])
		n.Predictions(partClasses)
		if !slices.Equal(part[:k], all[:k]) {
			t.Errorf("%d samples of a batch of 40 have other losses than alone", k)
		}
		if !slices.Equal(partClasses[:k], classes[:k]) {
			t.Errorf("%d samples of a batch of 40 have other predictions than alone", k)
		}
	}
}

func TestThreadsDoNotChangeTheBits(t *testing.T) {
	for _, model := range representative() {
		var first []float32
		for _, threads := range testsize.Few(2, 1, 3, 2) {
			c := Config{Model: model, C: 3, H: side(model), W: side(model), Classes: 10, Batch: 24,
				Seed: 1, Threads: threads}
			n := testNet(t, c)
			x, labels, ratios := batch(c, 23, 1)
			losses := make([]float64, 24)
			for range 2 {
				n.Losses(losses, x, labels)
				n.Gradient(ratios)
				n.Update(SGD{LR: 0.01, Momentum: 0.9, WeightDecay: 1e-3})
			}
			state := slices.Clone(n.weights)
			for _, b := range n.Buffers() {
				state = append(state, b.Data...)
			}
			if first == nil {
				first = state
			}
			if !slices.Equal(first, state) {
				t.Errorf("%s: weights after two steps differ between 1 and %d threads",
					model, threads)
			}
		}
	}
}

func TestStepAllocatesNothing(t *testing.T) {
	for _, model := range testsize.Few(1, "resnet8", "convnet") {
		c := Config{Model: model, C: 3, H: 32, W: 32, Classes: 10, Batch: 16, Seed: 1}
		n := testNet(t, c)
		x, labels, ratios := batch(c, 16, 1)
		losses, classes := make([]float64, 16), make([]int, 16)
		// The average is rounded down, so that an allocation of another goroutine does not count.
		if a := testing.AllocsPerRun(3, func() {
			for _, mode := range []Mode{Train, Probe, Evaluate} {
				n.SetMode(mode)
				n.Losses(losses, x, labels)
				n.Predictions(classes)
				n.Gradient(ratios)
			}
			n.Update(SGD{LR: 0.01, Momentum: 0.9, Clip: 1e-3})
			n.Accumulate(0.9, 0.1, 0, 1)
			n.Advance(0.01)
		}); a != 0 {
			t.Errorf("%s: a step allocates %v times, want 0", model, a)
		}
	}
}

func total(xs []float64) (s float64) {
	for _, x := range xs {
		s += x
	}
	return s
}

// BenchmarkStep times one training step of each model, batch 128.
func BenchmarkStep(b *testing.B) {
	for _, model := range Models() {
		b.Run(model, func(b *testing.B) {
			c := Config{Model: model, C: 3, H: 32, W: 32, Classes: 10, Batch: 128, Seed: 1}
			c.Threads = runtime.GOMAXPROCS(0)
			n, err := New(c)
			if err != nil {
				b.Fatal(err)
			}
			defer n.Close()
			x, labels, ratios := batch(c, 128, 1)
			losses := make([]float64, 128)
			b.ReportAllocs()
			for b.Loop() {
				n.Losses(losses, x, labels)
				n.Gradient(ratios)
				n.Update(SGD{LR: 0.001, Momentum: 0.9})
			}
		})
	}
}

// The confidence of a prediction is e^−loss of the sample with the prediction as
// its label.
func TestConfidencesAreTheLossesOfThePredictions(t *testing.T) {
	n, err := New(Config{Model: "linear", C: 5, H: 1, W: 1, Classes: 4, Batch: 16, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	const samples = 11
	x, labels := make([]float32, samples*5), make([]int, samples)
	for i := range x {
		x[i] = float32(math.Sin(float64(7 * i)))
	}
	losses, confidences := make([]float64, samples), make([]float64, samples)
	n.Losses(losses, x, labels)
	n.Predictions(labels)
	n.Confidences(confidences)
	n.Losses(losses, x, labels)
	for i, l := range losses {
		if want := math.Exp(-l); math.Abs(want-confidences[i]) > 1e-6 {
			t.Errorf("sample %d: confidence %v, want %v by the loss of the prediction", i,
				confidences[i], want)
		}
		if confidences[i] < .25 || confidences[i] > 1 {
			t.Errorf("sample %d of 4 classes: confidence %v, want .25 to 1", i, confidences[i])
		}
	}
}

// The place where samples lie in memory changes neither their losses nor their gradients.
func TestLossesOfSamplesWhereTheyLie(t *testing.T) {
	c := Config{Model: "linear", C: 48, H: 1, W: 1, Classes: 3, Batch: 40, Seed: 1, Threads: 2}
	packed, lying := testNet(t, c), testNet(t, c)
	if kern.Detect() == kern.Generic {
		if lying.InPlace() {
			t.Error("a network in plain Go takes samples where they lie")
		}
		t.Skip("no assembly")
	}
	x, labels, ratios := batch(c, 33, 1)
	var at []int32
	room := make([]float32, 3*len(x))
	for i := range labels {
		at = append(at, int32(48*((i*7)%40)+5))
		copy(room[at[i]:], x[48*i:][:48])
	}
	a, b := make([]float64, 33), make([]float64, 33)
	for range 3 {
		packed.Losses(a, x, labels)
		lying.LossesOf(b, room, at, labels)
		packed.Gradient(ratios)
		lying.Gradient(ratios)
		packed.Update(SGD{LR: .1})
		lying.Update(SGD{LR: .1})
	}
	if !slices.Equal(a, b) {
		t.Errorf("losses %v, want %v", b, a)
	}
	if !slices.Equal(packed.weights, lying.weights) {
		t.Error("the weights differ")
	}
	rounded := c
	rounded.Precision = bf16
	for _, other := range []Config{rounded, {Model: "convnet", C: 3, H: 32, W: 32, Classes: 3,
		Batch: 4}} {
		if testNet(t, other).InPlace() {
			t.Errorf("%+v takes samples where they lie", other)
		}
	}
}

// One pass gives the losses and the gradient of separate calls, to the bit, and allocates nothing.
func TestOnePassIsTheSame(t *testing.T) {
	c := Config{Model: "linear", C: 48, H: 1, W: 1, Classes: 3, Batch: 70, Seed: 1, Threads: 3}
	if kern.Detect() == kern.Generic {
		t.Skip("no assembly")
	}
	for _, loss := range Losses() {
		c.Loss = loss
		turns, once := testNet(t, c), testNet(t, c)
		x, labels, ratios := batch(c, 67, 1)
		weigh := func(ratios, losses []float64) {
			for i, l := range losses {
				ratios[i] = l * l
			}
		}
		a, b := make([]float64, 67), make([]float64, 67)
		pass := func() { once.Pass(b, x, once.inTurn[:67], once.inTurn[:30], labels, weigh) }
		for range 3 {
			turns.Losses(a, x, labels)
			weigh(ratios, a)
			turns.Gradient(ratios)
			pass()
			turns.Update(SGD{LR: .1})
			once.Update(SGD{LR: .1})
		}
		if !slices.Equal(a, b) {
			t.Errorf("%s: losses %v, want %v", loss, b, a)
		}
		if !slices.Equal(turns.weights, once.weights) {
			t.Errorf("%s: the weights differ", loss)
		}
		if n := testing.AllocsPerRun(5, pass); n != 0 {
			t.Errorf("%s: %v allocations a pass", loss, n)
		}
	}
	rounded, small, wide := c, c, c
	rounded.Precision, small.Batch, wide.Classes = bf16, 16, 40
	mlp := Config{Model: "mlp", C: 48, H: 1, W: 1, Classes: 3, Batch: 70}
	for _, other := range []Config{rounded, small, wide, mlp} {
		if testNet(t, other).OnePass() {
			t.Errorf("%+v goes in one pass", other)
		}
	}
}

// The columns of a table are not pixels, so models of convolutions are refused. The error names the
// other models as the remedy, even where a model pads all its windows and would take a table.
func TestTablesAreNotForConvolutions(t *testing.T) {
	for _, model := range Models() {
		t.Run(model, func(t *testing.T) {
			_, err := Check(Config{Model: model, C: 12, H: 1, W: 1, Classes: 2})
			pictures := model != "linear" && model != "mlp"
			if pictures != (err != nil) {
				t.Fatal(err)
			}
			if pictures && !strings.Contains(err.Error(), "a table of 12 columns is too small "+
				"for its convolutions: choose the model linear or mlp") {
				t.Error(err)
			}
		})
	}
}
