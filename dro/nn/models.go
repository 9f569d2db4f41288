package nn

import (
	"cmp"
	"maps"
	"slices"
)

// layer is one line of a model's description. After a convolution or a linear layer come, as asked,
// batch normalisation (which takes the place of the bias), ReLU and 2×2 max-pooling, in that order.
type layer struct {
	kind   kind
	out    int // channels or units; 0 is the number of classes
	kernel int // side of a convolution's window
	stride int
	pad    int
	norm   bool
	relu   bool
	pool   bool
	branch []layer // of a residual block

	curve string  // an activation that has a pass of its own, behind pooling; empty: none
	drop  float64 // the probability that this pass sets a value to 0
}

func convolution(out, kernel, stride, pad int) layer {
	return layer{kind: conv, out: out, kernel: kernel, stride: stride, pad: pad, relu: true}
}

func convPool(out, kernel, stride, pad int) layer {
	l := convolution(out, kernel, stride, pad)
	l.pool = true
	return l
}

func convNorm(out, kernel, stride, pad int) layer {
	l := convolution(out, kernel, stride, pad)
	l.norm = true
	return l
}

// basicBlock is two 3×3 convolutions beside a shortcut (He et al. 2016, figure 5, left): the
// identity, or where the shape changes a 1×1 convolution with batch normalisation. ReLU follows the
// sum.
func basicBlock(out, stride int) layer {
	second := convNorm(out, 3, 1, 1)
	second.relu = false
	branch := []layer{convNorm(out, 3, stride, 1), second}
	return layer{kind: residual, stride: stride, branch: branch}
}

func dense(out int) layer { return layer{kind: linear, out: out, relu: true} }

// Activations returns the activations that hidden layers of mlp may end with, the customary one
// first; gelu is the exact one, x·Φ(x).
func Activations() []string { return []string{"relu", "tanh", "gelu"} }

// perceptron returns the layers of mlp: dense layers of Config.Hidden units, and the logits.
func (c Config) perceptron() (list []layer) {
	hidden, curve := c.Hidden, cmp.Or(c.Activation, Activations()[0])
	if len(hidden) == 0 {
		hidden = []int{256, 128}
	}
	for _, width := range hidden {
		l := dense(width)
		if curve != Activations()[0] || c.Dropout > 0 {
			l.relu, l.curve, l.drop = false, curve, c.Dropout
		}
		list = append(list, l)
	}
	return append(list, logits())
}

func averagePool() layer { return layer{kind: average} }

// logits returns the last layer of every model: dense, one unit per class, no ReLU.
func logits() layer { return layer{kind: linear} }

// models lists the networks. Add one here; nothing else lists them.
//
//   - alexnet is the CIFAR AlexNet of math.md §6: 2 472 266 parameters for
//     ten classes of 3×32×32, 5.4 GFLOP of real work a training step of 128. Its dropout is where
//     torchvision's AlexNet begins its classifier: between the last pooling and the linear layer.
//   - convnet is small enough for a live demonstration on one core.
//   - mlp and linear take any input, tables too; mlp has the layers that Config asks for.
//   - resnet8 is the CIFAR residual network of He et al. 2016, §4.2, with n = 1 and
//     projections for shortcuts: 78 042 parameters for ten classes of 3×32×32.
//   - resnet18 is the network of He et al., table 1, in its form for CIFAR, which begins with a 3×3
//     convolution of stride 1 and no pooling: 11 173 962 parameters, 370 GFLOP a training step of
//     128.
func models(c Config) map[string][]layer {
	features := convPool(256, 3, 1, 1)
	if c.Dropout > 0 {
		// ReLU and max-pooling commute, so that ReLU may share the pass of dropout behind pooling.
		features.relu, features.curve, features.drop = false, "relu", c.Dropout
	}
	return map[string][]layer{
		"alexnet": {
			convPool(64, 11, 4, 5), convPool(192, 5, 1, 2),
			convolution(384, 3, 1, 1), convolution(256, 3, 1, 1), features, logits(),
		},
		"convnet": {
			convPool(16, 5, 2, 2), convPool(32, 3, 1, 1), convPool(64, 3, 1, 1),
			logits(),
		},
		"mlp":    c.perceptron(),
		"linear": {logits()},
		"resnet8": {
			convNorm(16, 3, 1, 1), basicBlock(16, 1), basicBlock(32, 2), basicBlock(64, 2),
			averagePool(), logits(),
		},
		"resnet18": {
			convNorm(64, 3, 1, 1),
			basicBlock(64, 1), basicBlock(64, 1), basicBlock(128, 2), basicBlock(128, 1),
			basicBlock(256, 2), basicBlock(256, 1), basicBlock(512, 2), basicBlock(512, 1),
			averagePool(), logits(),
		},
	}
}

// Models returns the names of the networks, sorted.
func Models() []string {
	return slices.Sorted(maps.Keys(models(Config{})))
}

// anyInput returns the models that take tables, too.
func anyInput() []string {
	all := models(Config{})
	return slices.DeleteFunc(Models(), func(m string) bool { return all[m][0].kind != linear })
}

// Known reports whether there is a model of that name.
func Known(model string) bool { return models(Config{})[model] != nil }

// Convex reports whether losses that are convex in a model's outputs are so in its parameters. They
// are if the model is linear, which is the last layer alone.
func Convex(model string) bool {
	layers := models(Config{})[model]
	return len(layers) == 1 && layers[0].kind == linear && layers[0].out == 0
}

// Normalises reports whether a model normalises by batches, so that the loss of a sample depends on
// its batch.
func Normalises(model string) bool {
	return slices.ContainsFunc(models(Config{})[model], func(l layer) bool { return l.norm })
}
