package kern

import (
	"math"
	"math/rand/v2"
	"testing"
)

// values returns the values that r holds, in the order of the activation.
func (r *Rounding) values() []float32 {
	halves := halves(r.pairs)
	values := make([]float32, len(halves))
	for i := range values {
		bits := halves[i/tileDepth*tileDepth+linePlace(i%tileDepth)]
		values[i] = math.Float32frombits(uint32(bits) << 16)
	}
	return values
}

func newGuardedRounding(t *testing.T, b Batch, s Shape) *Rounding {
	return &Rounding{pairs: guarded(t, b.Len(s)/2)}
}

func TestRounding(t *testing.T) {
	needPairs(t)
	for _, images := range []int{128, 60, 20} {
		b, s := NewBatch(images), Shape{5, 3, 2}
		x := random(t, rand.New(rand.NewPCG(1, 2)), b.Len(s))
		r := newGuardedRounding(t, b, s)
		r.Round(nil, x)
		for i, v := range r.values() {
			if v != nearestBF16(x[i]) {
				t.Fatalf("of %d images value %d is %v, want %v", images, i, v, nearestBF16(x[i]))
			}
		}
	}
	if panicOf(func() { NewRounding(NewBatch(40), Shape{1, 1, 1}) }) == nil {
		t.Error("lines of 48 images are taken")
	}
}
