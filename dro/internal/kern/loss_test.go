package kern

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"drolab/dro/testsize"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestLossGradient compares the gradient with central differences of the losses. The gradient of
// padded images is 0.
func TestLossGradient(t *testing.T) {
	eachISA(t, func(t *testing.T, isa ISA) {
		for kind := CrossEntropy; kind <= ErrorProbability; kind++ {
			t.Run(fmt.Sprint(kind), func(t *testing.T) { lossGradient(t, isa, kind) })
		}
	})
}

func lossGradient(t *testing.T, isa ISA, kind LossKind) {
	r := rand.New(rand.NewPCG(16, 17))
	for _, images := range batchSizes {
		b := NewBatch(images)
		const classes = 5
		s := NewLoss(isa, b, classes, kind)
		held := max(images-1, 1)
		labels, weights := make([]int, held), make([]float64, held)
		for i := range labels {
			labels[i], weights[i] = r.IntN(classes), r.Float64()
		}
		logits := random(t, r, classes*b.padded())
		probs, grad := guarded(t, len(logits)), guarded(t, len(logits))
		losses := make([]float64, held)
		s.Losses(nil, losses, probs, logits, labels)
		s.Gradient(grad, probs, labels, weights)
		objective := func() (f float64) {
			s.Losses(nil, losses, nil, logits, labels)
			for i, l := range losses {
				f += weights[i] * l
			}
			return f
		}
		for k := range logits {
			const h = 1.0 / 128
			was := logits[k]
			logits[k] = was + h
			up := objective()
			logits[k] = was - h
			numeric := (up - objective()) / float64(was+h-(was-h))
			logits[k] = was
			if math.Abs(numeric-float64(grad[k])) > 1e-4 {
				t.Fatalf("images %d: gradient[%d] = %v, by differences %v", images, k,
					grad[k], numeric)
			}
		}
	}
}

func TestSoftmaxLossesStable(t *testing.T) {
	eachISA(t, func(t *testing.T, isa ISA) {
		s := NewLoss(isa, NewBatch(2), 2, CrossEntropy)
		logits := make([]float32, 2*16)
		logits[0], logits[16] = 1e4, -1e4 // image 0
		logits[1], logits[17] = 3, 3      // image 1
		losses := make([]float64, 2)
		s.Losses(nil, losses, nil, logits, []int{1, 0})
		if losses[0] != 2e4 || math.Abs(losses[1]-math.Ln2) > 1e-15 {
			t.Fatalf("losses = %v, want 20000 and log 2", losses)
		}
	})
}

// TestSoftmaxKeepsItsBits compares the losses and predictions of each ISA, to the bit, with those
// by Go's exponential and logarithm, for outputs of every size: runs are repeated from files. No
// ISA writes beyond its lanes.
func TestSoftmaxKeepsItsBits(t *testing.T) {
	r := rand.New(rand.NewPCG(18, 19))
	eachISA(t, func(t *testing.T, isa ISA) {
		for _, classes := range testsize.Few(5, 1, 2, 3, 10, 100, 1000) {
			for _, scale := range []float32{0, 1e-20, 1e-3, 1, 30, 300, 1e30} {
				b := NewBatch(300)
				outputs, labels := random(t, r, classes*b.padded()), make([]int, 293)
				for i := range outputs {
					outputs[i] *= scale
				}
				for i := range labels {
					labels[i] = r.IntN(classes)
				}
				want, p := make([]float64, len(labels)), make([]float32, len(outputs))
				NewLoss(Generic, b, classes, CrossEntropy).Losses(nil, want, p, outputs, labels)
				got, q := make([]float64, len(labels)), guarded(t, len(outputs))
				NewLoss(isa, b, classes, CrossEntropy).Losses(nil, got, q, outputs, labels)
				if !slices.Equal(got, want) {
					t.Fatalf("%d classes × %g: losses %v, want %v", classes, scale, got, want)
				}
				sameBits(t, "predictions", p, q)
				weights := got // of any size
				g, h := make([]float32, len(outputs)), guarded(t, len(outputs))
				NewLoss(Generic, b, classes, CrossEntropy).Gradient(g, p, labels, weights)
				NewLoss(isa, b, classes, CrossEntropy).Gradient(h, p, labels, weights)
				sameBits(t, "gradient", g, h)
			}
		}
	})
}

// An output that is not finite shows in the loss of its own image and in no other.
func TestSoftmaxOfWhatIsNotFinite(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	eachISA(t, func(t *testing.T, isa ISA) {
		for class := range 3 {
			outputs, labels := make([]float32, 3*16), []int{0, 1, 2, 1, 0}
			outputs[class*16+1], outputs[class*16+2], outputs[class*16+3] = nan, inf, -inf
			losses := make([]float64, 5)
			NewLoss(isa, NewBatch(5), 3, CrossEntropy).Losses(nil, losses, nil, outputs, labels)
			lost := math.Log(2) // of image 3, which lacks a class
			if class == 1 {
				lost = math.Inf(1)
			}
			if got := losses[0]; math.Abs(got-math.Log(3)) > 1e-15 {
				t.Errorf("class %d: the loss of image 0 is %v, want log 3", class, got)
			}
			want := []float64{math.NaN(), math.NaN(), lost, losses[0]}
			if diff := cmp.Diff(want, losses[1:], cmpopts.EquateNaNs()); diff != "" {
				t.Errorf("class %d: the losses from image 1 on differ (-want +got):\n%s", class,
					diff)
			}
		}
	})
}

func TestSquaredLosses(t *testing.T) {
	s := NewLoss(Detect(), NewBatch(2), 2, SquaredError)
	outputs := make([]float32, 2*16)
	outputs[0], outputs[16] = 3, -4 // image 0
	outputs[1], outputs[17] = 0, 1  // image 1
	losses := make([]float64, 2)
	s.Losses(nil, losses, nil, outputs, []int{0, 1})
	if losses[0] != 10 || losses[1] != 0 {
		t.Fatalf("losses = %v, want (2² + 4²)/2 and 0", losses)
	}
}

// The probability of an error is 1 − p, also where it is small, and where p is.
func TestErrorProbabilities(t *testing.T) {
	eachISA(t, func(t *testing.T, isa ISA) {
		s := NewLoss(isa, NewBatch(3), 2, ErrorProbability)
		outputs := make([]float32, 2*16)
		outputs[0], outputs[1], outputs[2] = 20, -40, float32(math.Log(3))
		losses, predictions := make([]float64, 3), make([]float32, 2*16)
		s.Losses(nil, losses, predictions, outputs, []int{0, 0, 1})
		for i, want := range []float64{1 - 1/(1+math.Exp(-20)), 1, .75} {
			if math.Abs(losses[i]-want) > 1e-7*want {
				t.Errorf("loss %d is %v, want %v", i, losses[i], want)
			}
		}
		// The gradient is p (1 − p) for the other class, and −p (1 − p) for the label's.
		if a, b := predictions[2], predictions[18]-1; a != -b || math.Abs(float64(a)-.1875) > 1e-6 {
			t.Errorf("gradient %v, %v; want ±3/16", a, b)
		}
	})
}
