package nn

import (
	"math"
	"math/rand/v2"
	"testing"

	"drolab/dro/internal/kern"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestGradientsAgainstDifferences moves each tensor of resnet8 along the sum of its own gradient
// and a random direction of the same length. It compares the slope with that of the objective,
// which plain Gorgonia computes forward in float64. With -short it moves every third tensor.
func TestGradientsAgainstDifferences(t *testing.T) {
	c := Config{Model: "resnet8", C: 3, H: 8, W: 8, Classes: 10, Batch: 6, Seed: 3, Threads: 2}
	n := testNet(t, c)
	x, labels, ratios := batch(c, 5, 7)
	roughen(n.parameters)
	n.Losses(make([]float64, 5), x, labels)
	n.Gradient(ratios)
	plain := newOracle(t, tensor.Float64, n, x, labels, ratios)
	machine := G.NewTapeMachine(plain.graph)
	defer machine.Close()
	cost := func() float64 {
		if err := machine.RunAll(); err != nil {
			t.Fatal(err)
		}
		defer machine.Reset()
		return plain.cost.Data().(float64)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for i, g := range n.gradients {
		if testing.Short() && i%9 > 0 {
			continue
		}
		w := plain.parameters[i].Value().Data().([]float64)
		was, own := append([]float64(nil), w...), widen(g.Data)
		direction := make([]float64, len(own))
		for j := range direction {
			direction[j] = rng.NormFloat64()
		}
		random := euclid(own) / euclid(direction)
		for j := range direction {
			direction[j] = own[j] + random*direction[j]
		}
		const h = 1e-5
		length, want := euclid(direction), 0.0
		for j, d := range direction {
			want += own[j] * d / length
		}
		at := func(step float64) float64 {
			for j, d := range direction {
				w[j] = was[j] + step*d/length
			}
			return cost()
		}
		slope := (at(h) - at(-h)) / (2 * h)
		copy(w, was)
		if !(math.Abs(slope-want) <= 1e-5*euclid(own)) {
			t.Errorf("%s: slope %v, by the gradient %v; its length is %v", g.Name, slope, want,
				euclid(own))
		}
	}
}

// roughen makes parameters that start equal differ.
func roughen(parameters []Tensor) {
	for _, p := range parameters {
		if len(p.Shape) == 1 {
			for j := range p.Data {
				p.Data[j] += float32(j%5) / 10
			}
		}
	}
}

// linearly returns the layer without its ReLU.
func linearly(l layer) layer {
	l.relu = false
	return l
}

func block(branch ...layer) layer { return layer{kind: residual, stride: 1, branch: branch} }

// TestAnyGraphAgainstPlainGorgonia puts outputs with and without ReLU, pooling and normalisation
// before several readers.
func TestAnyGraphAgainstPlainGorgonia(t *testing.T) {
	pooled := convNorm(4, 3, 1, 1)
	pooled.pool = true
	for name, layers := range map[string][]layer{
		"ReLU read twice": {convolution(4, 3, 1, 1), block(linearly(convolution(4, 3, 1, 1))),
			logits()},
		"ReLU, pooled and not": {convolution(4, 3, 1, 1),
			{kind: residual, stride: 2, branch: []layer{convPool(4, 3, 1, 1)}}, averagePool(),
			logits()},
		"pool read twice":      {convPool(4, 3, 1, 1), block(convolution(4, 3, 1, 1)), logits()},
		"the batch read twice": {block(convolution(3, 3, 1, 1)), logits()},
		"blocks in blocks": {convNorm(4, 3, 1, 1),
			block(block(convNorm(4, 1, 1, 0)), block(convNorm(4, 3, 1, 1))), logits()},
		"dense layers": {dense(6), block(dense(6), linearly(dense(6))), linearly(dense(5)),
			logits()},
		"pooled after the norm": {pooled, averagePool(), logits()},
		"a norm without a ReLU": {linearly(convNorm(4, 3, 1, 1)), convolution(4, 3, 1, 1),
			averagePool(), logits()},
		"ReLU before the loss": {dense(7), dense(0)},
	} {
		t.Run(name, func(t *testing.T) {
			c := Config{C: 3, H: 6, W: 6, Classes: 4, Batch: 7, Seed: 2, Threads: 2}
			list, err := arrange(layers, kern.Shape{Channels: c.C, Height: c.H, Width: c.W},
				c.Classes)
			if err != nil {
				t.Fatal(err)
			}
			n, err := newNet(kern.Detect(), c, list)
			if err != nil {
				t.Fatal(err)
			}
			defer n.Close()
			roughen(n.parameters)
			x, labels, ratios := batch(c, 6, 4)
			compare(t, n, x, labels, ratios)
			once := widen(n.gradient)
			n.AddGradient(ratios)
			if d := math.Abs(distance(widen(n.gradient), once) - 1); d > 1e-6 {
				t.Errorf("a gradient added to itself is not twice it (%.2g)", d)
			}
		})
	}
}
