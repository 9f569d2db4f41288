package nn

import (
	"strings"
	"testing"
)

// In a chain, every ReLU is masked on the way of a gradient. Only outputs that several ops read
// need a separate pass.
func TestChainsSpendNothingOnMasks(t *testing.T) {
	for _, model := range representative() {
		n := testNet(t, Config{Model: model, C: 3, H: 32, W: 32, Classes: 10, Batch: 1})
		masks := 0
		for _, i := range n.plan.backward {
			if strings.HasSuffix(i.name, ".mask") {
				masks++
			}
		}
		// Masked by an op: the input of the average. A block's input is masked by the convolution
		// of its branch.
		want := map[string]int{"resnet8": 1, "resnet18": 1}[model]
		if masks != want {
			t.Errorf("%s: %d gradients are masked by ops of their own, want %d", model, masks, want)
		}
	}
}
