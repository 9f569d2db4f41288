package nn

import (
	"runtime"
	"testing"

	"drolab/dro/testsize"
)

// TestMemory compares the estimate with the memory that a network takes: it is not below it, and
// not so far above it that a network that fits is refused.
func TestMemory(t *testing.T) {
	for _, c := range testsize.Few(5, []Config{
		{Model: "convnet", C: 3, H: 32, W: 32, Classes: 10, Batch: 512},
		{Model: "resnet8", C: 3, H: 32, W: 32, Classes: 10, Batch: 64},
		{Model: "linear", C: 30000, H: 1, W: 1, Classes: 10, Batch: 128},
		{Model: "resnet8", C: 3, H: 32, W: 32, Classes: 10, Batch: 64, Precision: bf16},
		{Model: "mlp", C: 3000, H: 1, W: 1, Classes: 10, Batch: 2048, Dropout: .1,
			Optimizer: AdamWName},
		{Model: "alexnet", C: 3, H: 32, W: 32, Classes: 10, Batch: 128},
		{Model: "resnet18", C: 3, H: 32, W: 32, Classes: 10, Batch: 16},
		{Model: "mlp", C: 3000, H: 1, W: 1, Classes: 10, Batch: 4096},
		{Model: "alexnet", C: 3, H: 32, W: 32, Classes: 10, Batch: 128, Precision: bf16},
		{Model: "mlp", C: 3, H: 32, W: 32, Classes: 10, Batch: 64, Precision: bf16},
		{Model: "mlp", C: 3000, H: 1, W: 1, Classes: 10, Batch: 4096, Precision: bf16},
	}...) {
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
		guess, err := Memory(c)
		if err != nil {
			t.Errorf("Memory of %s, batch %d: %v", c.Model, c.Batch, err)
		}
		if guess < 0.9*took || guess > 4*took {
			t.Errorf("%s, batch %d: estimated %.1f MB, want .9 to 4 times %.1f MB, which it takes",
				c.Model, c.Batch, guess/1e6, took/1e6)
		}
		t.Logf("%s, batch %d: takes %.1f MB, estimated %.1f MB", c.Model, c.Batch, took/1e6,
			guess/1e6)
	}
	if _, err := Memory(Config{Model: "none"}); err == nil {
		t.Error("a model that is none has a size")
	}
}
