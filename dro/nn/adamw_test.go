package nn

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// perceptrons returns a configuration for each activation, with and without dropout.
func perceptrons() (list []Config) {
	for _, a := range Activations() {
		for _, drop := range []float64{0, .25} {
			list = append(list, Config{Model: "mlp", C: 20, H: 1, W: 1, Classes: 3, Batch: 9,
				Seed: 5, Threads: 2, Hidden: []int{33, 17}, Activation: a, Dropout: drop,
				Optimizer: AdamWName})
		}
	}
	return list
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
			const h = 1e-2
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
	for _, c := range perceptrons() {
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
				t.Errorf("two probes are equal: %v; training and evaluation: %v", same, exact)
			}
		})
	}
}

// A restart forgets the moments and their number. The count goes on beyond the largest number that
// one float32 counts to.
func TestAdamWRestarts(t *testing.T) {
	n := testNet(t, perceptrons()[0])
	n.adam.taken[0] = digit - 1
	if first, second := n.adam.count(), n.adam.count(); first != digit || second != digit+1 {
		t.Errorf("counts %v and %v", first, second)
	}
	n.Restart()
	if n.adam.count() != 1 || slices.Max(n.adam.memory[:len(n.weights)]) != 0 {
		t.Error("a restart keeps the moments")
	}
}
