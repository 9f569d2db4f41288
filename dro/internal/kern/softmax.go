package kern

import (
	"fmt"
	"math"
)

// Softmax is the cross-entropy of logits, a loss an image, and its gradient. It is plain Go in float64 for
// every ISA: ten classes cost a thousandth of a training step.
type Softmax struct {
	batch   Batch
	classes int
	exp     []float64 // of one image
}

// NewSoftmax returns the loss for logits of shape {classes, 1, 1}.
func NewSoftmax(b Batch, classes int) (*Softmax, error) {
	if !b.valid() || classes < 1 {
		return nil, fmt.Errorf("softmax over %d classes in %+v: needs a class and a batch from NewBatch",
			classes, b)
	}
	return &Softmax{batch: b, classes: classes, exp: make([]float64, classes)}, nil
}

// Losses sets losses[i] = −log p_i[labels[i]] and probs, which lies as logits does, to the probabilities p.
// There may be fewer labels than the batch has images; probs is 0 for the others. probs may be logits, or nil
// if no gradient is wanted.
func (s *Softmax) Losses(losses []float64, probs, logits []float32, labels []int) {
	if len(losses) != len(labels) || len(labels) > s.batch.Images ||
		len(logits) != s.classes*s.batch.Padded() || probs != nil && len(probs) != len(logits) {
		panic("kern: Softmax.Losses: slice has the wrong length")
	}
	for i, label := range labels {
		losses[i] = s.loss(probs, logits, i, label)
	}
	if probs == nil {
		return
	}
	s.clear(probs, len(labels))
}

// clear sets a to 0 for the images from first on.
func (s *Softmax) clear(a []float32, first int) {
	for i := first; i < s.batch.Padded(); i++ {
		for c := range s.classes {
			a[s.at(i, c)] = 0
		}
	}
}

// at returns the index of class c of image i.
func (s *Softmax) at(i, c int) int {
	lanes := s.batch.Lanes
	return (i/lanes*s.classes+c)*lanes + i%lanes
}

// loss computes image i's probabilities and returns its loss.
func (s *Softmax) loss(probs, logits []float32, i, label int) float64 {
	largest := math.Inf(-1)
	for c := range s.classes {
		largest = max(largest, float64(logits[s.at(i, c)]))
	}
	sum := 0.0
	for c := range s.exp {
		s.exp[c] = math.Exp(float64(logits[s.at(i, c)]) - largest)
		sum += s.exp[c]
	}
	loss := math.Log(sum) - (float64(logits[s.at(i, label)]) - largest)
	if probs != nil {
		for c, e := range s.exp {
			probs[s.at(i, c)] = float32(e / sum)
		}
	}
	return loss
}

// Gradient sets dlogits[i] = weights[i]·(probs[i] − onehot(labels[i])), and 0 for images without a label.
// For the gradient of (1/n) Σ r_i ℓ_i (math.md §2) the weights are r_i/n. dlogits may be probs.
func (s *Softmax) Gradient(dlogits, probs []float32, labels []int, weights []float64) {
	if len(weights) != len(labels) || len(labels) > s.batch.Images ||
		len(dlogits) != s.classes*s.batch.Padded() || len(probs) != len(dlogits) {
		panic("kern: Softmax.Gradient: slice has the wrong length")
	}
	for i, label := range labels {
		for c := range s.classes {
			p := float64(probs[s.at(i, c)])
			if c == label {
				p--
			}
			dlogits[s.at(i, c)] = float32(weights[i] * p)
		}
	}
	s.clear(dlogits, len(labels))
}
