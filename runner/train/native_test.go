package train

import (
	"math"
	"testing"
)

// softmax returns the probabilities of the logits, however large the logits are.
func TestSoftmax(t *testing.T) {
	x := []float32{1000, 1001, -1000}
	softmax(x)
	want := []float64{1 / (1 + math.E), math.E / (1 + math.E), 0}
	for i := range x {
		if math.Abs(float64(x[i])-want[i]) > 1e-6 {
			t.Errorf("probabilities %v, want %v", x, want)
		}
	}
}
