package nn

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"drolab/dro/internal/kern"

	G "gorgonia.org/gorgonia"
)

// Layer describes a layer of a model and its place, for code that writes the network in another
// format. Its tensors are Name + ".weight", ".bias" and, for batch normalisation, ".norm.weight",
// ".norm.bias", ".norm.running_mean" and ".norm.running_var", in the shapes that PyTorch has.
type Layer struct {
	Name string
	// Kind is conv, linear, average (over all positions) or sum (of the outputs of From and Plus).
	Kind string
	// From and Plus are the indices of the layers whose outputs it takes; −1 is the batch.
	From, Plus int
	In, Out    [3]int // channels, rows, columns
	// Kernel is the side of a convolution's window, Stride and Pad go with it.
	Kernel, Stride, Pad int
	// Norm, ReLU and Pool tell what follows, in this order: batch normalisation with NormEpsilon,
	// in place of the bias, ReLU, and 2×2 max-pooling.
	Norm, ReLU, Pool bool
	// Curve is tanh or gelu in the place of ReLU; empty: neither.
	Curve string
}

// NormEpsilon is the number that batch normalisation adds to a variance.
const NormEpsilon = 1e-5

// Layers returns the layers of a model as it is evaluated, the logits last. It fails as New does.
func Layers(c Config) ([]Layer, error) {
	stages, err := stages(c)
	if err != nil {
		return nil, err
	}
	list := make([]Layer, len(stages))
	for i, s := range stages {
		list[i] = Layer{
			Name: s.name, Kind: string(s.kind), From: s.from, Plus: s.plus,
			In:     [3]int{s.in.Channels, s.in.Height, s.in.Width},
			Out:    [3]int{s.out.Channels, s.out.Height, s.out.Width},
			Kernel: s.kernel, Stride: s.stride, Pad: s.pad,
			Norm: s.norm, ReLU: s.relu || s.curve == "relu", Pool: s.pool,
		}
		if !list[i].ReLU {
			list[i].Curve = s.curve
		}
	}
	return list, nil
}

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

// stage is a layer in its place. A model is a list of stages, each behind the stages that it takes
// its input from.
type stage struct {
	layer
	name string // "conv1", "block2.conv1": the prefix of its tensors' names
	from int    // the stage whose output it takes; −1 is the batch itself
	plus int    // of a sum: the stage whose output it adds; −1 as in from
	in   kern.Shape
	mid  kern.Shape // before pooling
	out  kern.Shape
}

// config returns the geometry of a convolution or a linear layer.
func (s stage) config() kern.ConvConfig {
	relu := s.relu && !s.norm
	if s.kind == linear {
		return kern.Linear(s.in, s.layer.out, relu)
	}
	return kern.ConvConfig{
		In: s.in, Out: s.layer.out, KernelHeight: s.kernel, KernelWidth: s.kernel,
		Stride: s.stride, Pad: s.pad, ReLU: relu,
	}
}

// stages works out the sizes of a model for its input, or says why the input does not fit.
func stages(c Config) ([]stage, error) {
	layers := models(c)[c.Model]
	if layers == nil {
		return nil, fmt.Errorf("model: %q: want one of %s", c.Model, strings.Join(Models(), ", "))
	}
	list, err := arrange(layers, kern.Shape{Channels: c.C, Height: c.H, Width: c.W}, c.Classes)
	if err != nil {
		return nil, fmt.Errorf(
			"model: %s: an input of %d×%d×%d %w; choose another model or dataset",
			c.Model, c.C, c.H, c.W, err)
	}
	return list, nil
}

// arrange works out the stages of layers for an input of shape in.
func arrange(layers []layer, in kern.Shape, classes int) ([]stage, error) {
	s := sizing{classes: classes}
	err := s.chain("", layers, -1, in)
	return s.list, err
}

// sizing collects the stages of a model.
type sizing struct {
	classes int
	list    []stage
}

// chain appends layers, each of which takes the output of the one before it. The first takes the
// output of stage from, whose shape is in.
func (s *sizing) chain(prefix string, layers []layer, from int, in kern.Shape) error {
	for i, l := range layers {
		name := fmt.Sprintf("%s%s%d", prefix, l.kind, i+1)
		var err error
		if l.kind == residual {
			err = s.residual(name, l, from, in)
		} else {
			err = s.append(stage{layer: l, name: name, from: from, in: in})
		}
		if err != nil {
			return err
		}
		from, in = len(s.list)-1, s.list[len(s.list)-1].out
	}
	return nil
}

// residual appends a block's branch, its shortcut if the identity does not fit, and their sum.
func (s *sizing) residual(name string, l layer, from int, in kern.Shape) error {
	if err := s.chain(name+".", l.branch, from, in); err != nil {
		return err
	}
	end := len(s.list) - 1
	shape, shortcut := s.list[end].out, from
	if shape != in {
		projection := stage{
			layer: layer{kind: conv, out: shape.Channels, kernel: 1, stride: l.stride, norm: true},
			name:  name + ".shortcut", from: from, in: in,
		}
		if err := s.append(projection); err != nil {
			return err
		}
		shortcut = end + 1
	}
	return s.append(stage{
		layer: layer{kind: sum, relu: true}, name: name, from: end, plus: shortcut, in: shape,
	})
}

// append works out the output of a stage that knows its input, and adds the stage.
func (s *sizing) append(next stage) (err error) {
	next.mid, err = kinds[next.kind].shape(&next, s.classes)
	next.out = next.mid
	if next.pool {
		next.out.Height, next.out.Width = next.mid.Height/2, next.mid.Width/2
	}
	if err != nil || next.out.Height < 1 || next.out.Width < 1 {
		return fmt.Errorf("is too small for its layer %s", next.name)
	}
	s.list = append(s.list, next)
	return nil
}

// FasterConvolution returns the way that is faster for a model. winograd was measured to be faster
// for two models in fp32 (docs/results.md); in the others it computes too little to matter.
func FasterConvolution(model, precision string) string {
	if precision != bf16 && (model == "resnet8" || model == "resnet18") {
		return winograd
	}
	return Convolutions()[0]
}

// kind names what a layer computes.
type kind string

const (
	conv     kind = "conv"
	linear   kind = "linear"
	average  kind = "average" // over all positions
	sum      kind = "sum"     // of two layers' outputs
	residual kind = "block"   // the sum of its input and of a branch's output: several stages
)

// definition is all that the package knows of a kind of layer.
type definition struct {
	// shape returns the shape of the output, before pooling, of a stage that knows its input.
	shape func(s *stage, classes int) (kern.Shape, error)
	// slots lists the parameters and the buffers; nil where the kind has none.
	slots func(s stage, init string) (parameters, buffers []slot)
	// node adds a stage to the graph; before holds the nodes of the batch and of the stages before
	// it. Pooling is added behind it.
	node func(g *graph, s stage, before G.Nodes) (*G.Node, error)
}

// kinds defines the kinds of layers. A new one is a row here, its op (see ops.go), and a case in
// each writer of runner/publish, which refuses kinds that it does not know.
var kinds = map[kind]definition{
	conv:   {shape: (*stage).product, slots: weightedSlots, node: (*graph).addWeighted},
	linear: {shape: (*stage).product, slots: weightedSlots, node: (*graph).addWeighted},
	average: {
		shape: func(s *stage, _ int) (kern.Shape, error) {
			return kern.Shape{Channels: s.in.Channels, Height: 1, Width: 1}, nil
		},
		node: func(g *graph, s stage, before G.Nodes) (*G.Node, error) {
			return g.addAverage(s.name, before[s.from+1], s.in)
		},
	},
	sum: {
		shape: func(s *stage, _ int) (kern.Shape, error) { return s.in, nil },
		node: func(g *graph, s stage, before G.Nodes) (*G.Node, error) {
			return g.addSum(s.name, before[s.from+1], before[s.plus+1], s.in, s.relu)
		},
	},
}

// product returns the shape of the output of a convolution or a linear layer. A layer without a
// number of units gets one unit for each class.
func (s *stage) product(classes int) (kern.Shape, error) {
	s.layer.out = cmp.Or(s.layer.out, classes)
	return s.config().OutShape()
}

// Features writes the input of the last layer for each sample of the last Losses.
func (n *Net) Features(rows [][]float32) {
	last := n.stages[len(n.stages)-1]
	size := last.in.Len()
	if last.from < 0 {
		for i := range n.graph.labels {
			copy(rows[i], n.graph.rows.X[n.graph.rows.At[i]:][:size])
		}
		return
	}
	plain := make([]float32, len(n.graph.labels)*size)
	n.graph.last.Unpack(plain, n.graph.features)
	for i := range n.graph.labels {
		copy(rows[i], plain[i*size:])
	}
}

// LastLayer returns the last layer's weights, [class][feature], and biases: views.
func (n *Net) LastLayer() (weight, bias Tensor) {
	first := len(n.parameters) - 2
	return n.parameters[first], n.parameters[first+1]
}
