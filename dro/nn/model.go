package nn

import (
	"fmt"
	"sort"
	"strings"
)

// layer is one stage of a model: a convolution or a dense layer with its bias,
// then, as asked, ReLU and 2×2 max-pooling.
type layer struct {
	out    int // channels or units; 0 is the number of classes
	kernel int // side of a convolution's window; 0 is a dense layer
	stride int
	pad    int
	relu   bool
	pool   bool
}

func conv(out, kernel, stride, pad int) layer {
	return layer{out: out, kernel: kernel, stride: stride, pad: pad, relu: true}
}

func convPool(out, kernel, stride, pad int) layer {
	l := conv(out, kernel, stride, pad)
	l.pool = true
	return l
}

func dense(out int) layer { return layer{out: out, relu: true} }

// logits is the last layer of every model: dense, one unit a class, linear.
func logits() layer { return layer{} }

// models lists the networks. Add one here; nothing else knows their names.
//
//   - alexnet is the CIFAR AlexNet of math.md §6: 2 472 266 parameters for
//     ten classes of 3×32×32, 5.4 GFLOP of real work a training step of 128.
//   - convnet is small enough for a live demonstration on one core.
//   - mlp and linear take any input, tables too.
func models() map[string][]layer {
	return map[string][]layer{
		"alexnet": {
			convPool(64, 11, 4, 5), convPool(192, 5, 1, 2),
			conv(384, 3, 1, 1), conv(256, 3, 1, 1), convPool(256, 3, 1, 1),
			logits(),
		},
		"convnet": {
			convPool(16, 5, 2, 2), convPool(32, 3, 1, 1), convPool(64, 3, 1, 1),
			logits(),
		},
		"mlp":    {dense(256), dense(128), logits()},
		"linear": {logits()},
	}
}

// Models returns the names of the networks, sorted.
func Models() []string {
	var names []string
	for name := range models() {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// Known tells whether there is a model of that name.
func Known(model string) bool { return models()[model] != nil }

// stage is a layer with its sizes worked out.
type stage struct {
	layer
	name     string // "conv1", "linear6": the prefix of its tensors' names
	inC, inH int
	inW      int
	outC     int
	midH     int // before pooling
	midW     int
	outH     int
	outW     int
}

func (s stage) fanIn() int {
	if s.kernel == 0 {
		return s.inC * s.inH * s.inW
	}
	return s.inC * s.kernel * s.kernel
}

// stages works out the sizes of a model for an input of c×h×w, or says why the
// input does not fit.
func stages(model string, c, h, w, classes int) ([]stage, error) {
	layers := models()[model]
	if layers == nil {
		return nil, fmt.Errorf("model: %q: want one of %s", model, strings.Join(Models(), ", "))
	}
	in := fmt.Sprintf("%d×%d×%d", c, h, w)
	var list []stage
	for i, l := range layers {
		s := stage{layer: l, inC: c, inH: h, inW: w, outC: l.out, name: fmt.Sprintf("conv%d", i+1)}
		if l.out == 0 {
			s.outC = classes
		}
		if l.kernel == 0 {
			s.name = fmt.Sprintf("linear%d", i+1)
			s.midH, s.midW = 1, 1
		} else {
			s.midH = (h+2*l.pad-l.kernel)/l.stride + 1
			s.midW = (w+2*l.pad-l.kernel)/l.stride + 1
		}
		s.outH, s.outW = s.midH, s.midW
		if l.pool {
			s.outH, s.outW = s.midH/2, s.midW/2
		}
		if s.outH < 1 || s.outW < 1 || l.kernel > 0 && (h+2*l.pad < l.kernel || w+2*l.pad < l.kernel) {
			return nil, fmt.Errorf("model: %s: an input of %s is too small for its layer %s; choose another model or dataset", model, in, s.name)
		}
		list = append(list, s)
		c, h, w = s.outC, s.outH, s.outW
	}
	return list, nil
}
