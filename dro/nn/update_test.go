package nn

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"drolab/dro/testsize"
)

// TestUpdate checks PyTorch's rule by hand: v ← μv + (g + dw), w ← w − αv.
func TestUpdate(t *testing.T) {
	c := Config{Model: "linear", C: 3, H: 1, W: 1, Classes: 2, Batch: 2, Seed: 1}
	n := testNet(t, c)
	x, labels, ratios := batch(c, 2, 1)
	w, v := widen(n.parameters[0].Data), make([]float64, 6)
	for range 3 {
		n.Losses(make([]float64, 2), x, labels)
		n.Gradient(ratios)
		var square float64
		for _, g := range n.gradients {
			for _, d := range g.Data {
				square += float64(d) * float64(d)
			}
		}
		for i, d := range n.gradients[0].Data {
			v[i] = 0.9*v[i] + float64(d) + 0.01*w[i]
			w[i] -= 0.1 * v[i]
		}
		norm := n.Update(SGD{LR: 0.1, Momentum: 0.9, WeightDecay: 0.01})
		if math.Abs(norm-math.Sqrt(square)) > 1e-6*norm {
			t.Errorf("gradient norm %v, want %v", norm, math.Sqrt(square))
		}
	}
	if d := distance(widen(n.parameters[0].Data), w); d > 1e-5 {
		t.Errorf("weights after three updates differ from the rule by %.2g", d)
	}
}

// stepped returns a network with a gradient and a velocity, and its weights, velocity and gradient
// in float64.
func stepped(t *testing.T, model string, threads int) (n *Net, w, v, g []float64) {
	t.Helper()
	c := Config{Model: model, C: 3, H: 8, W: 8, Classes: 5, Batch: 8, Seed: 1, Threads: threads}
	n = testNet(t, c)
	x, labels, ratios := batch(c, 8, 1)
	for range 2 {
		n.Losses(make([]float64, 8), x, labels)
		n.Gradient(ratios)
		n.Update(SGD{LR: 0.1, Momentum: 0.9})
	}
	return n, widen(n.weights), widen(n.velocity), widen(n.gradient)
}

func euclid(x []float64) float64 { return distance(x, make([]float64, len(x))) }

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-6*math.Abs(want)) {
		t.Errorf("%s %v, want %v", what, got, want)
	}
}

// A gradient longer than Clip counts as one of that length. A gradient that is not longer takes
// exactly the step without Clip.
func TestUpdateClips(t *testing.T) {
	n, w, v, g := stepped(t, "mlp", 1)
	norm := euclid(g)
	s := SGD{LR: 0.1, Momentum: 0.9, WeightDecay: 0.01, Clip: norm / 3}
	for i := range w {
		v[i] = 0.9*v[i] + g[i]/3 + 0.01*w[i]
		w[i] -= 0.1 * v[i]
	}
	near(t, "the norm of the gradient before clipping is", n.Update(s), norm)
	if d := max(distance(widen(n.weights), w), distance(widen(n.velocity), v)); d > 1e-6 {
		t.Errorf("weights or velocities differ from the rule by %.2g", d)
	}
	long, _, _, _ := stepped(t, "mlp", 1)
	free, _, _, _ := stepped(t, "mlp", 1)
	s.Clip = norm * 1.01
	got := long.Update(s)
	s.Clip = 0
	if want := free.Update(s); got != want {
		t.Errorf("with a bound that is not reached the norm is %v, want %v", got, want)
	}
	if !slices.Equal(long.weights, free.weights) {
		t.Error("a bound that is not reached changes the step")
	}
}

// TestUpdateInTwoParts checks Accumulate and Advance by hand, clipped and not.
func TestUpdateInTwoParts(t *testing.T) {
	for _, scale := range []float64{1, 0.25} {
		n, w, v, g := stepped(t, "mlp", 1)
		norm, clip := euclid(g), 0.0
		if scale < 1 {
			clip = scale * norm
		}
		for i := range w {
			v[i] = 0.9*v[i] + (1-0.4)*(scale*g[i]+0.01*w[i])
		}
		gradient, velocity := n.Accumulate(0.9, 0.4, 0.01, clip)
		near(t, "‖g‖ is", gradient, norm)
		near(t, "‖v‖ is", velocity, euclid(v))
		if d := distance(widen(n.weights), w); d != 0 {
			t.Errorf("Accumulate moves the weights by %.2g", d)
		}
		n.Advance(0.2)
		for i := range w {
			w[i] -= 0.2 * v[i]
		}
		if d := max(distance(widen(n.weights), w), distance(widen(n.velocity), v)); d > 1e-6 {
			t.Errorf("weights or velocities differ from the rule by %.2g", d)
		}
	}
}

func TestUpdatesOnThreads(t *testing.T) {
	one, _, _, _ := stepped(t, "mlp", 1)
	many, _, _, _ := stepped(t, "mlp", 3)
	for _, n := range []*Net{one, many} {
		n.Accumulate(0.9, 0.1, 1e-3, 0.5)
		n.Advance(0.1)
		n.Update(SGD{LR: 0.1, Clip: 1e-2})
	}
	if !slices.Equal(one.weights, many.weights) {
		t.Error("the weights differ between 1 and 3 threads")
	}
	if !slices.Equal(one.velocity, many.velocity) {
		t.Error("the velocities differ between 1 and 3 threads")
	}
}

// A restarted network equals a new one to the bit, and goes on like one.
func TestRestart(t *testing.T) {
	for _, model := range representative() {
		c := Config{Model: model, C: 3, H: side(model), W: side(model), Classes: 10,
			Batch: 4, Seed: 9}
		fresh, used := testNet(t, c), testNet(t, c)
		x, labels, ratios := batch(c, 4, 2)
		step := func(n *Net) {
			n.Losses(make([]float64, 4), x, labels)
			n.AddGradient(ratios)
			n.Update(SGD{LR: 0.1, Momentum: 0.9})
		}
		step(used)
		if slices.Equal(used.weights, fresh.weights) {
			t.Fatalf("%s: a step changes nothing", model)
		}
		used.Restart()
		for range 2 {
			for i, list := range [][]Tensor{used.Parameters(), used.Velocities(), used.Gradients(),
				used.Buffers()} {
				like := [][]Tensor{fresh.Parameters(), fresh.Velocities(), fresh.Gradients(),
					fresh.Buffers()}[i]
				for k, tensor := range list {
					if !slices.Equal(tensor.Data, like[k].Data) {
						t.Errorf("%s: %s differs from that of a new network", model, tensor.Name)
					}
				}
			}
			step(fresh)
			step(used)
		}
	}
}

func TestCloseTwice(t *testing.T) {
	n, err := New(Config{Model: "linear", C: 3, H: 1, W: 1, Classes: 2, Batch: 2, Threads: 3})
	if err != nil {
		t.Fatal(err)
	}
	n.Close()
	n.Close()
}

// perceptrons returns a configuration for each activation, with and without dropout, and alexnet
// with it.
func perceptrons() (list []Config) {
	for _, a := range Activations() {
		for _, drop := range []float64{0, .25} {
			list = append(list, Config{Model: "mlp", C: 20, H: 1, W: 1, Classes: 3, Batch: 9,
				Seed: 5, Threads: 2, Hidden: []int{33, 17}, Activation: a, Dropout: drop,
				Optimizer: AdamWName})
		}
	}
	return append(list, Config{Model: "alexnet", C: 3, H: 32, W: 32, Classes: 3, Batch: 9, Seed: 5,
		Threads: 2, Dropout: .5, Optimizer: AdamWName})
}

// The dropout of alexnet is where torchvision's classifier begins: training sees each input of the
// linear layer, the only one that is fully connected, as 0 or divided by 1 − p. Without dropout the
// layers are what they were, and evaluations compute the same with either.
func TestDropoutOfAlexnet(t *testing.T) {
	const drop = .25
	c := Config{Model: "alexnet", C: 3, H: 32, W: 32, Classes: 10, Batch: 32, Seed: 5}
	with := c
	with.Dropout = drop
	plain, n := testNet(t, c), testNet(t, with)
	if list, err := Layers(with); err != nil || !slices.Equal(list, must(Layers(c))) {
		t.Errorf("evaluations have the layers %v, want %v: %v", list, must(Layers(c)), err)
	}
	x, labels, _ := batch(c, 32, 3)
	features := func(n *Net, m Mode) (list []float32) {
		rows := make([][]float32, 32)
		for i := range rows {
			rows[i] = make([]float32, 256)
		}
		n.SetMode(m)
		n.Losses(make([]float64, 32), x, labels)
		n.Features(rows)
		return slices.Concat(rows...)
	}
	want, kept, active := features(plain, Train), 0., 0.
	if !slices.Equal(want, features(n, Evaluate)) {
		t.Error("an evaluation drops values")
	}
	for i, v := range features(n, Train) {
		switch {
		case want[i] != 0 && v != 0:
			kept++
			fallthrough
		case want[i] != 0:
			active++
		}
		if v != 0 && v != want[i]*float32(1/(1-drop)) {
			t.Fatalf("input %d is %v, which is %v without dropout", i, v, want[i])
		}
	}
	if share := kept / active; active < 1000 || math.Abs(share-(1-drop)) > .05 {
		t.Errorf("%.0f of %.0f values are kept, want a share of %v of 1000 at least", kept, active,
			1-drop)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// The gradient agrees with differences of the objective at one draw of dropout: until the next
// step, a batch drops the same values again.
func TestPerceptronsAgainstDifferences(t *testing.T) {
	for _, c := range perceptrons() {
		n := testNet(t, c)
		x, labels, ratios := batch(c, 8, 3)
		objective := func() (mean float64) {
			losses := make([]float64, len(labels))
			n.Losses(losses, x, labels)
			for i, l := range losses {
				mean += ratios[i] * l / float64(len(losses))
			}
			return mean
		}
		objective()
		n.Gradient(ratios)
		for i, p := range n.parameters {
			const h = 2e-3
			was, g := slices.Clone(p.Data), slices.Clone(n.gradients[i].Data)
			length := euclid(widen(g))
			at := func(step float64) float64 {
				for j := range was {
					p.Data[j] = was[j] + float32(step*float64(g[j])/length)
				}
				return objective()
			}
			slope := (at(h) - at(-h)) / (2 * h)
			copy(p.Data, was)
			if !(length > 0 && math.Abs(slope-length) <= 4e-3*length) {
				t.Errorf("%s, dropout %v: %s: slope %v, the gradient's length is %v", c.Activation,
					c.Dropout, p.Name, slope, length)
			}
		}
	}
}

// Dropout belongs to training: a step draws anew, and so does a second batch in mode Probe;
// evaluations drop nothing. A network resumed from a checkpoint draws what the other network draws,
// and AdamW takes it to the same bits, on any number of threads. Nothing is allocated.
func TestAdamWAndDropoutGoOn(t *testing.T) {
	for _, c := range testsize.Few(4, perceptrons()...) {
		t.Run(fmt.Sprint(c.Activation, c.Dropout), func(t *testing.T) {
			whole := testNet(t, c)
			c.Threads, c.Batch = 1, 9
			x, labels, ratios := batch(c, 9, 1)
			losses := make([]float64, 9)
			loss := func(n *Net, m Mode) []float64 {
				n.SetMode(m)
				n.Losses(losses, x, labels)
				n.SetMode(Train)
				return slices.Clone(losses)
			}
			step := func(n *Net) {
				n.Losses(losses, x, labels)
				n.Gradient(ratios)
				n.Adapt(SGD{LR: .01, WeightDecay: .1}, AdamW{.9, .99, 1e-8})
				loss(n, Probe)
			}
			for range 3 {
				step(whole)
			}
			resumed := testNet(t, c)
			for i, list := range [][]Tensor{whole.Parameters(), whole.Velocities()} {
				for j, to := range [][]Tensor{resumed.Parameters(), resumed.Velocities()}[i] {
					copy(to.Data, list[j].Data)
				}
			}
			resumed.SetUpdates(3)
			for range 3 {
				step(whole)
				step(resumed)
			}
			if !slices.Equal(whole.weights, resumed.weights) {
				t.Error("other weights after a checkpoint")
			}
			if a := testing.AllocsPerRun(5, func() {
				whole.Losses(losses, x, labels)
				whole.Gradient(ratios)
				whole.Adapt(SGD{LR: .01}, AdamW{.9, .99, 1e-8})
			}); a != 0 {
				t.Errorf("a step allocates %v times", a)
			}
			same := slices.Equal(loss(resumed, Probe), loss(resumed, Probe))
			exact := slices.Equal(loss(resumed, Train), loss(resumed, Evaluate))
			if drops := c.Dropout > 0; same == drops || exact == drops {
				t.Errorf("two probes are equal: %v; training and evaluation: %v; want %v", same,
					exact, !drops)
			}
		})
	}
}

// A restart forgets the moments and their number. The count goes on beyond the largest number that
// one float32 counts to.
func TestAdamWRestarts(t *testing.T) {
	n := testNet(t, perceptrons()[0])
	n.adam.updates[0] = countBase - 1
	first, second := n.adam.countUpdate(), n.adam.countUpdate()
	if first != countBase || second != countBase+1 {
		t.Errorf("counts %v and %v, want %d and one more", first, second, countBase)
	}
	n.Restart()
	if got := n.adam.countUpdate(); got != 1 {
		t.Errorf("after a restart the first update has the number %v, want 1", got)
	}
	if got := slices.Max(n.adam.memory[:len(n.weights)]); got != 0 {
		t.Errorf("after a restart the largest moment is %v, want 0", got)
	}
}
