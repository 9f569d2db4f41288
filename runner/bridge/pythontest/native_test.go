//go:build unix

package pythontest

import (
	"testing"

	"drolab/dro/nn"
	"drolab/dro/peertest"
	"drolab/runner"
	"drolab/runner/bridge"
	"drolab/runner/bridge/pythontest/asnative"
	"drolab/runner/data"
	"drolab/runner/data/loader"
	"drolab/runner/data/source"
	"drolab/runner/spec"
	"drolab/runner/train"
)

// TestAsNative: drolab's networks as programs in PyTorch begin with the same losses and gradients
// as in drolab, and keep them over a few steps with any weights. TestAsNativeForLong of
// runner/bridge covers two hundred steps of whole runs.
func TestAsNative(t *testing.T) {
	peertest.Python(t, "torch", "numpy") // before the networks are computed here
	for _, model := range []string{"linear", "convnet", "alexnet"} {
		t.Run(model, func(t *testing.T) {
			s := spec.Defaults()
			s.Dataset, s.Model, s.Batch, s.Samples, s.Augment = "shapes", model, 16, 64, false
			d, err := source.Open(s.Dataset, s.DataOptions(""))
			must(t, err)
			defer d.Close()
			own, err := train.Native(&s, d, 1)
			must(t, err)
			defer own.Close()
			folder := t.TempDir()
			must(t, asnative.Write(folder, &s, d, own.(train.Parameters).Tensors()))
			p := begin(t, "peer/native.py", "folder="+folder)
			for step := range 5 {
				index := places(step, 16, d.Train.Len())
				want := make([]float64, 16)
				own.Losses(want, batch(d, index), nil)
				got := p.numbers(losses("train", 0), bridge.Ints(index))
				near(t, "losses", got, want, 1e-4)
				w := ramp(16, 8)
				own.Gradient(w, false)
				p.gradient(w, false)
				norm, _ := own.Step(train.Rule{SGD: nn.SGD{LR: .01, Momentum: .9, Clip: 2}})
				near(t, "norm", []float64{p.step(.01, 2)}, []float64{norm}, 1e-4)
			}
			p.close()
		})
	}
}

// batch returns samples of the training split as a batch.
func batch(d *data.Dataset, index []int) train.Batch {
	b := loader.Batch{N: len(index), Index: index, Groups: make([]int, len(index))}
	shape := d.Train.Shape()
	b.X = make([]float32, len(index)*shape.Len())
	for j, i := range index {
		x := b.X[j*shape.Len():][:shape.Len()]
		d.Train.Read(x, i)
		for k := range x {
			if c := k / (shape.H * shape.W); len(d.Mean) > 0 {
				x[k] = (x[k] - d.Mean[c]) / d.Std[c]
			}
		}
		b.Labels = append(b.Labels, d.Train.Label(i))
	}
	return train.Batch{Split: runner.SplitTrain, Batch: &b}
}
