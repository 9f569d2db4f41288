package nn

import (
	"fmt"
	"slices"
	"testing"

	"drolab/dro/internal/kern"
)

// trained returns a small resnet8 after a few steps, with a batch of 16.
func trained(t *testing.T) (n *Net, x []float32, labels []int, ratios []float64) {
	t.Helper()
	c := Config{Model: "resnet8", C: 3, H: 8, W: 8, Classes: 10, Batch: 16, Seed: 5, Threads: 2}
	n = testNet(t, c)
	x, labels, ratios = batch(c, 16, 3)
	for range 5 {
		n.Losses(make([]float64, 16), x, labels)
		n.Gradient(ratios)
		n.Update(SGD{LR: 0.05, Momentum: 0.9})
	}
	return n, x, labels, ratios
}

// statistics returns the running means and variances of a network.
func statistics(n *Net) (all []float32) {
	for _, b := range n.Buffers() {
		all = append(all, b.Data...)
	}
	return all
}

func TestModes(t *testing.T) {
	n, x, labels, _ := trained(t)
	before, losses := statistics(n), map[Mode][]float64{}
	for _, mode := range []Mode{Probe, Evaluate, Train} {
		losses[mode] = make([]float64, 16)
		n.SetMode(mode)
		n.Losses(losses[mode], x, labels)
		if moved := !slices.Equal(statistics(n), before); moved != (mode == Train) {
			t.Errorf("mode %d: the running statistics moved: %v", mode, moved)
		}
	}
	if !slices.Equal(losses[Train], losses[Probe]) {
		t.Error("Probe has other losses than Train")
	}
	if slices.Equal(losses[Train], losses[Evaluate]) {
		t.Error("Evaluate has the losses of Train: it takes the batch's statistics")
	}
}

// In evaluation, a sample's loss has the same bits alone, among others and in another place. In
// training it has not.
func TestEvaluationLooksAtOneSample(t *testing.T) {
	n, x, labels, _ := trained(t)
	all, part := make([]float64, 16), make([]float64, 16)
	const size = 3 * 8 * 8
	for _, mode := range []Mode{Evaluate, Train} {
		n.SetMode(mode)
		n.Losses(all, x, labels)
		n.Losses(part, x[5*size:9*size], labels[5:9])
		if same := slices.Equal(all[5:9], part[:4]); same != (mode == Evaluate) {
			t.Errorf("mode %d: four samples have the same losses without the others: %v",
				mode, same)
		}
	}
}

// A gradient belongs to the call of Losses before it, whatever mode has been set since.
func TestGradientKeepsItsMode(t *testing.T) {
	n, x, labels, ratios := trained(t)
	gradient := func(mode, then Mode) []float32 {
		n.SetMode(mode)
		n.Losses(make([]float64, 16), x, labels)
		n.SetMode(then)
		n.Gradient(ratios)
		return slices.Clone(n.gradient)
	}
	probe := gradient(Probe, Probe)
	if !slices.Equal(gradient(Probe, Evaluate), probe) {
		t.Error("a mode that was set after Losses changes the gradient")
	}
	if slices.Equal(gradient(Evaluate, Evaluate), probe) {
		t.Error("the gradient is the same in evaluation")
	}
}

// TestEvaluationAgainstPlainGorgonia compares losses and gradients under the running statistics
// with those of the oracle.
func TestEvaluationAgainstPlainGorgonia(t *testing.T) {
	n, x, labels, ratios := trained(t)
	n.SetMode(Evaluate)
	compare(t, n, x, labels, ratios)
}

// TestPartialBatches compares a batch whose lanes are mostly empty with a network whose batch is
// full.
func TestPartialBatches(t *testing.T) {
	c := Config{Model: "resnet8", C: 3, H: 8, W: 8, Classes: 10, Batch: 9, Seed: 5}
	x, labels, ratios := batch(c, 9, 3)
	full := testNet(t, c)
	c.Batch = 70
	wide := testNet(t, c)
	for _, n := range []*Net{full, wide} {
		n.Losses(make([]float64, 9), x, labels)
		n.Gradient(ratios)
	}
	if d := distance(wide.graph.losses[:9], full.graph.losses); d > 1e-6 {
		t.Errorf("losses differ by %.2g", d)
	}
	if d := distance(widen(wide.gradient), widen(full.gradient)); d > 1e-5 {
		t.Errorf("gradients differ by %.2g", d)
	}
	if d := distance(widen(statistics(wide)), widen(statistics(full))); d > 1e-6 {
		t.Errorf("running statistics differ by %.2g", d)
	}
}

// TestRunningStatistics follows two batches by hand, through a 1×1 convolution and PyTorch's rule.
func TestRunningStatistics(t *testing.T) {
	in := kern.Shape{Channels: 2, Height: 3, Width: 3}
	c := Config{C: 2, H: 3, W: 3, Classes: 2, Batch: 5, Seed: 1}
	list, err := arrange([]layer{convNorm(4, 1, 1, 0), logits()}, in, 2)
	if err != nil {
		t.Fatal(err)
	}
	n, err := newNet(kern.Detect(), c, list)
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	means, variances := make([]float64, 4), []float64{1, 1, 1, 1}
	w := widen(n.parameters[0].Data)
	for seed, images := range []int{5, 3} {
		x, labels, _ := batch(c, images, uint64(seed))
		n.Losses(make([]float64, images), x, labels)
		for channel := range 4 {
			var y []float64
			for i := range images {
				for p := range 9 {
					first, second := float64(x[18*i+p]), float64(x[18*i+9+p])
					y = append(y, w[2*channel]*first+w[2*channel+1]*second)
				}
			}
			mean := total(y) / float64(len(y))
			var square float64
			for _, v := range y {
				square += (v - mean) * (v - mean)
			}
			means[channel] = 0.9*means[channel] + 0.1*mean
			variances[channel] = 0.9*variances[channel] + 0.1*square/float64(len(y)-1)
		}
	}
	for i, want := range [][]float64{means, variances} {
		name := []string{"conv1.norm.running_mean", "conv1.norm.running_var"}[i]
		if b := n.Buffers()[i]; b.Name != name || distance(widen(b.Data), want) > 1e-6 {
			t.Errorf("%s is %v, want %s %v", b.Name, b.Data, name, want)
		}
	}
}

// The names of tensors are the keys of checkpoints.
func TestNamesOfTensors(t *testing.T) {
	names := func(list []slot) (all []string) {
		for _, s := range list {
			all = append(all, fmt.Sprint(s.Name, s.Shape))
		}
		return all
	}
	list, err := stages(Config{Model: "resnet8", C: 3, H: 32, W: 32, Classes: 10})
	if err != nil {
		t.Fatal(err)
	}
	parameters, buffers := slots(list, "")
	want := []string{
		"conv1.weight[16 3 3 3]", "conv1.norm.weight[16]", "conv1.norm.bias[16]",
		"block2.conv1.weight[16 16 3 3]",
		"block2.conv1.norm.weight[16]", "block2.conv1.norm.bias[16]",
		"block2.conv2.weight[16 16 3 3]",
		"block2.conv2.norm.weight[16]", "block2.conv2.norm.bias[16]",
		"block3.conv1.weight[32 16 3 3]",
		"block3.conv1.norm.weight[32]", "block3.conv1.norm.bias[32]",
		"block3.conv2.weight[32 32 3 3]",
		"block3.conv2.norm.weight[32]", "block3.conv2.norm.bias[32]",
		"block3.shortcut.weight[32 16 1 1]",
		"block3.shortcut.norm.weight[32]", "block3.shortcut.norm.bias[32]",
		"block4.conv1.weight[64 32 3 3]",
		"block4.conv1.norm.weight[64]", "block4.conv1.norm.bias[64]",
		"block4.conv2.weight[64 64 3 3]",
		"block4.conv2.norm.weight[64]", "block4.conv2.norm.bias[64]",
		"block4.shortcut.weight[64 32 1 1]",
		"block4.shortcut.norm.weight[64]", "block4.shortcut.norm.bias[64]",
		"linear6.weight[10 64]", "linear6.bias[10]",
	}
	if got := names(parameters); !slices.Equal(got, want) {
		t.Errorf("parameters of resnet8:\n%q", got)
	}
	if got := names(buffers); len(got) != 18 || got[1] != "conv1.norm.running_var[16]" {
		t.Errorf("resnet8 has %d buffers, want 18, the second conv1.norm.running_var[16]:\n%q",
			len(got), got)
	}
	if list, err = stages(Config{Model: "convnet", C: 3, H: 32, W: 32, Classes: 10}); err != nil {
		t.Fatal(err)
	}
	parameters, buffers = slots(list, "")
	want = []string{
		"conv1.weight[16 3 5 5]", "conv1.bias[16]", "conv2.weight[32 16 3 3]", "conv2.bias[32]",
		"conv3.weight[64 32 3 3]", "conv3.bias[64]", "linear4.weight[10 256]", "linear4.bias[10]",
	}
	if got := names(parameters); !slices.Equal(got, want) {
		t.Errorf("the parameters of convnet are\n%q\nwant\n%q", got, want)
	}
	if len(buffers) != 0 {
		t.Errorf("convnet has the buffers %q, want none", names(buffers))
	}
}
