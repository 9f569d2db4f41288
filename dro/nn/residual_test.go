package nn

import (
	"math"
	"testing"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestGradientsAgainstDifferences moves each tensor of resnet8 along its own gradient, and compares the slope of the
// objective, computed forward by plain Gorgonia in float64, with the gradient's length.
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
	for i, g := range n.gradients {
		w := plain.parameters[i].Value().Data().([]float64)
		was, direction, length := append([]float64(nil), w...), widen(g.Data), 0.0
		for _, d := range direction {
			length += d * d
		}
		length = math.Sqrt(length)
		const h = 1e-5
		at := func(step float64) float64 {
			for j, d := range direction {
				w[j] = was[j] + step*d/length
			}
			return cost()
		}
		slope := (at(h) - at(-h)) / (2 * h)
		copy(w, was)
		if !(math.Abs(slope-length) <= 1e-4*length) {
			t.Errorf("%s: slope %v along the gradient, whose length is %v", g.Name, slope, length)
		}
	}
}

// roughen moves parameters that start equal apart.
func roughen(parameters []Tensor) {
	for _, p := range parameters {
		if len(p.Shape) == 1 {
			for j := range p.Data {
				p.Data[j] += float32(j%5) / 10
			}
		}
	}
}
