package nn

import (
	"math"
	"testing"

	"drolab/dro/testsize"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestTrainingIsUnchanged trains twice from the same weights on the same batches: with the kernels,
// and with the plain Gorgonia graph and PyTorch's rule of SGD with momentum, written out. The
// losses stay together for the first ten steps.
func TestTrainingIsUnchanged(t *testing.T) {
	const lr, momentum = 0.01, 0.9
	steps := testsize.Pick(3, 10, 10)
	for _, c := range testsize.Few(1,
		Config{Model: "mlp", C: 3, H: 8, W: 8, Classes: 10, Batch: 16},
		Config{Model: "resnet8", C: 3, H: 16, W: 16, Classes: 10, Batch: 8},
		Config{Model: "convnet", C: 3, H: 32, W: 32, Classes: 10, Batch: 8},
		Config{Model: "alexnet", C: 3, H: 32, W: 32, Classes: 10, Batch: 4},
	) {
		if skipped(c.Model) {
			continue
		}
		t.Run(c.Model, func(t *testing.T) {
			c.Seed, c.Threads = 4, 2
			n := testNet(t, c)
			x, labels, ratios := batch(c, c.Batch, 0)
			plain := newOracle(t, tensor.Float32, n, x, labels, ratios)
			machine := G.NewTapeMachine(plain.graph)
			defer machine.Close()
			velocities := map[*G.Node][]float32{}
			losses, worst := make([]float64, c.Batch), 0.0
			for step := range steps {
				x, labels, ratios = batch(c, c.Batch, uint64(step))
				n.Losses(losses, x, labels)
				n.Gradient(ratios)
				n.Update(SGD{LR: lr, Momentum: momentum})
				plain.feed(x, labels, ratios, c.Classes)
				if err := machine.RunAll(); err != nil {
					t.Fatal(err)
				}
				for i, want := range plain.losses.Data().([]float32) {
					d := math.Abs(losses[i]-float64(want)) / math.Abs(float64(want))
					if worst = max(worst, d); !(d <= 1e-4) {
						t.Errorf("step %d, sample %d: loss %v, plain Gorgonia's %v", step, i,
							losses[i], want)
					}
				}
				plain.update(velocities, lr, momentum)
				machine.Reset()
			}
			t.Logf("losses differ by at most %.1g", worst)
		})
	}
}

// cloned copies tensors, so that the oracle trains weights of its own.
func cloned(list []Tensor) []Tensor {
	var clones []Tensor
	for _, p := range list {
		clones = append(clones, Tensor{p.Name, p.Shape, append([]float32(nil), p.Data...)})
	}
	return clones
}

// feed puts a batch into the input nodes of a graph of float32.
func (o *oracle) feed(x []float32, labels []int, ratios []float64, classes int) {
	copy(o.memory("x"), x)
	oneHot, weights := o.memory("labels"), o.memory("weights")
	clear(oneHot)
	for i, l := range labels {
		oneHot[i*classes+l] = 1
		weights[i] = float32(ratios[i] / float64(len(ratios)))
	}
}

func (o *oracle) memory(name string) []float32 {
	return o.graph.ByName(name)[0].Value().Data().([]float32)
}

// update takes one step of SGD: v ← momentum·v + g, w ← w − lr·v.
func (o *oracle) update(velocities map[*G.Node][]float32, lr, momentum float32) {
	for i, p := range o.parameters {
		g := o.gradients[i].Data().([]float32)
		v := velocities[p]
		if v == nil {
			v = make([]float32, len(g))
			velocities[p] = v
		}
		w := p.Value().Data().([]float32)
		for j := range w {
			v[j] = momentum*v[j] + g[j]
			w[j] -= lr * v[j]
		}
	}
}
