package kern

import (
	"fmt"
	"math"
)

// Loss is a loss an image, of the last layer's outputs, and its gradient. Each has a prediction p of the
// label's unit vector, and its gradient by the outputs is p less that vector. It is plain Go in float64 for
// every ISA: ten classes cost a thousandth of a training step.
type Loss struct {
	batch   Batch
	classes int
	squared bool
	exp     []float64 // of one image
}

// NewSoftmax returns the cross-entropy −log p[label] of outputs of shape {classes, 1, 1}, p being their
// softmax.
func NewSoftmax(b Batch, classes int) (*Loss, error) {
	if !b.valid() || classes < 1 {
		return nil, fmt.Errorf("a loss over %d classes in %+v: needs a class and a batch from NewBatch",
			classes, b)
	}
	return &Loss{batch: b, classes: classes, exp: make([]float64, classes)}, nil
}

// NewSquared returns half the squared distance of the outputs, which are p themselves, from the label's unit
// vector.
func NewSquared(b Batch, classes int) (*Loss, error) {
	l, err := NewSoftmax(b, classes)
	if err == nil {
		l.squared = true
	}
	return l, err
}

// Losses sets losses[i] to image i's loss and predictions, which lies as outputs does, to p. There may be
// fewer labels than the batch has images; predictions is 0 for the others. It may be outputs, or nil if no
// gradient is wanted.
func (l *Loss) Losses(losses []float64, predictions, outputs []float32, labels []int) {
	if len(losses) != len(labels) || len(labels) > l.batch.Images ||
		len(outputs) != l.classes*l.batch.Padded() || predictions != nil && len(predictions) != len(outputs) {
		panic("kern: Loss.Losses: slice has the wrong length")
	}
	of := l.softmax
	if l.squared {
		of = l.square
	}
	for i, label := range labels {
		losses[i] = of(predictions, outputs, i, label)
	}
	if predictions == nil {
		return
	}
	l.clear(predictions, len(labels))
}

// clear sets a to 0 for the images from first on.
func (l *Loss) clear(a []float32, first int) {
	for i := first; i < l.batch.Padded(); i++ {
		for c := range l.classes {
			a[l.at(i, c)] = 0
		}
	}
}

// at returns the index of class c of image i.
func (l *Loss) at(i, c int) int {
	lanes := l.batch.Lanes
	return (i/lanes*l.classes+c)*lanes + i%lanes
}

// softmax computes image i's probabilities and returns its cross-entropy.
func (l *Loss) softmax(probs, logits []float32, i, label int) float64 {
	largest := math.Inf(-1)
	for c := range l.classes {
		largest = max(largest, float64(logits[l.at(i, c)]))
	}
	sum := 0.0
	for c := range l.exp {
		l.exp[c] = math.Exp(float64(logits[l.at(i, c)]) - largest)
		sum += l.exp[c]
	}
	loss := math.Log(sum) - (float64(logits[l.at(i, label)]) - largest)
	if probs != nil {
		for c, e := range l.exp {
			probs[l.at(i, c)] = float32(e / sum)
		}
	}
	return loss
}

// square copies image i's outputs and returns its squared loss.
func (l *Loss) square(predictions, outputs []float32, i, label int) (loss float64) {
	for c := range l.classes {
		p := float64(outputs[l.at(i, c)])
		if predictions != nil {
			predictions[l.at(i, c)] = float32(p)
		}
		if c == label {
			p--
		}
		loss += p * p / 2
	}
	return loss
}

// Gradient sets doutputs[i] = weights[i]·(predictions[i] − onehot(labels[i])), and 0 for images without a
// label. For the gradient of (1/n) Σ r_i ℓ_i (math.md §2) the weights are r_i/n.
// doutputs may be predictions.
func (l *Loss) Gradient(doutputs, predictions []float32, labels []int, weights []float64) {
	if len(weights) != len(labels) || len(labels) > l.batch.Images ||
		len(doutputs) != l.classes*l.batch.Padded() || len(predictions) != len(doutputs) {
		panic("kern: Loss.Gradient: slice has the wrong length")
	}
	for i, label := range labels {
		for c := range l.classes {
			p := float64(predictions[l.at(i, c)])
			if c == label {
				p--
			}
			doutputs[l.at(i, c)] = float32(weights[i] * p)
		}
	}
	l.clear(doutputs, len(labels))
}
