package nn

import (
	"runtime"
	"slices"
	"testing"
)

// A profile holds every layer once and all operations of the model. It leaves the gradient
// unchanged.
func TestProfile(t *testing.T) {
	for _, model := range []string{"convnet", "resnet8"} {
		c := Config{Model: model, C: 3, H: 32, W: 32, Classes: 10, Batch: 4, Seed: 1}
		n := testNet(t, c)
		x, labels, ratios := batch(c, 4, 1)
		n.Losses(make([]float64, 4), x, labels)
		n.Gradient(ratios)
		gradient := slices.Clone(n.gradient)
		list, flop := n.Profile(3), 0.0
		if len(list) != len(n.stages)+1 || list[len(list)-1].Name != "loss" {
			t.Errorf("%s: %d layers of %d stages", model, len(list), len(n.stages))
		}
		for _, l := range list {
			flop += l.FLOP
			if !(l.Time > 0) {
				t.Errorf("%s: layer %s takes %v", model, l.Name, l.Time)
			}
		}
		if forward, backward := n.FLOPs(); flop != forward+backward {
			t.Errorf("%s: layers have %v operations, the model %v", model, flop, forward+backward)
		}
		if !slices.Equal(gradient, n.gradient) {
			t.Errorf("%s: the gradient has changed", model)
		}
	}
}

func TestLayerOf(t *testing.T) {
	list := []LayerTime{{Name: "block1.conv1"}, {Name: "block1"}, {Name: "block10"}, {Name: "loss"}}
	for op, want := range map[string]int{
		"block1.conv1.norm.dx": 0, "block1": 1, "block1.mask": 1, "block10.mask": 2,
		"cross-entropy.dx": 3, "sum": 3,
	} {
		if got := layerIndex(list, op); got != want {
			t.Errorf("%s is of layer %s, want %s", op, list[got].Name, list[want].Name)
		}
	}
}

// TestMemory compares the estimate with the memory that a network takes: it is not below it, and
// not so far above it that a network that fits is refused.
func TestMemory(t *testing.T) {
	for _, c := range []Config{
		{Model: "alexnet", C: 3, H: 32, W: 32, Classes: 10, Batch: 128},
		{Model: "convnet", C: 3, H: 32, W: 32, Classes: 10, Batch: 512},
		{Model: "resnet8", C: 3, H: 32, W: 32, Classes: 10, Batch: 64},
		{Model: "resnet18", C: 3, H: 32, W: 32, Classes: 10, Batch: 16},
		{Model: "linear", C: 30000, H: 1, W: 1, Classes: 10, Batch: 128},
		{Model: "mlp", C: 3000, H: 1, W: 1, Classes: 10, Batch: 4096},
		{Model: "alexnet", C: 3, H: 32, W: 32, Classes: 10, Batch: 128, Precision: bf16},
		{Model: "resnet8", C: 3, H: 32, W: 32, Classes: 10, Batch: 64, Precision: bf16},
		{Model: "mlp", C: 3, H: 32, W: 32, Classes: 10, Batch: 64, Precision: bf16},
		{Model: "mlp", C: 3000, H: 1, W: 1, Classes: 10, Batch: 4096, Precision: bf16},
		{Model: "mlp", C: 3000, H: 1, W: 1, Classes: 10, Batch: 2048, Dropout: .1,
			Optimizer: AdamWName},
	} {
		c.Threads, c.Seed = 1, 1
		var before, after runtime.MemStats
		runtime.GC() // twice: what had a finalizer goes the second time
		runtime.GC()
		runtime.ReadMemStats(&before)
		n, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		n.Close()
		took := float64(after.HeapAlloc) - float64(before.HeapAlloc)
		if guess, err := Memory(c); err != nil || guess < 0.9*took || guess > 4*took {
			t.Errorf("%s, batch %d: takes %.1f MB, estimated %.1f MB, %v", c.Model, c.Batch,
				took/1e6, guess/1e6, err)
		} else {
			t.Logf("%s, batch %d: takes %.1f MB, estimated %.1f MB", c.Model, c.Batch, took/1e6,
				guess/1e6)
		}
	}
	if _, err := Memory(Config{Model: "none"}); err == nil {
		t.Error("a model that is none has a size")
	}
}
