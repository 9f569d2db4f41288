package nn

import (
	"fmt"
	"math"
	"testing"

	"drolab/dro/testsize"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// The oracle is the same model written with Gorgonia's own operations and run by
// Gorgonia's own machine: convolution by im2col, broadcast biases, log-softmax.
// It shares nothing with ops.go but the list of layers.

// oracle is the plain graph, its outputs, and the values that feed it.
type oracle struct {
	graph      *G.ExprGraph
	tensors    map[string]*G.Node // by name
	parameters G.Nodes
	losses     G.Value
	cost       G.Value   // mean r_i ℓ_i
	gradients  []G.Value // of mean r_i ℓ_i, by each parameter
}

// newOracle writes a network, at its parameters and a batch, as a plain graph with numbers of the
// given type. It normalises by the running statistics if the network evaluates, and otherwise by
// the statistics of the batch.
func newOracle(
	t testing.TB, of tensor.Dtype, net *Net, x []float32, labels []int, ratios []float64,
) *oracle {
	t.Helper()
	c, n := net.Config, len(labels)
	o := &oracle{graph: G.NewGraph(), tensors: map[string]*G.Node{}}
	nodes := G.Nodes{o.input(of, "x", x, n, c.C, c.H, c.W)}
	given := cloned(net.parameters) // so that training one does not move the other
	if net.mode == Evaluate {
		given = append(given, net.buffers...)
	}
	for _, p := range given {
		shape := p.Shape
		if len(shape) == 1 {
			shape = []int{1, shape[0], 1, 1}
		}
		o.tensors[p.Name] = o.input(of, p.Name, p.Data, shape...)
	}
	for _, p := range net.parameters {
		o.parameters = append(o.parameters, o.tensors[p.Name])
	}
	for _, s := range net.stages {
		nodes = append(nodes, o.stage(s, nodes, n))
	}
	oneHot, weights := make([]float32, n*c.Classes), make([]float32, n)
	for i, l := range labels {
		oneHot[i*c.Classes+l] = 1
		weights[i] = float32(ratios[i] / float64(n))
	}
	classes := o.input(of, "labels", oneHot, n, c.Classes)
	picked := G.Must(G.HadamardProd(G.Must(G.LogSoftMax(nodes[len(nodes)-1])), classes))
	losses := G.Must(G.Neg(G.Must(G.Sum(picked, 1))))
	cost := G.Must(G.Sum(G.Must(G.HadamardProd(losses, o.input(of, "weights", weights, n)))))
	grads, err := G.Grad(cost, o.parameters...)
	if err != nil {
		t.Fatal(err)
	}
	G.Read(losses, &o.losses)
	G.Read(cost, &o.cost)
	o.gradients = make([]G.Value, len(grads))
	for i, d := range grads {
		G.Read(d, &o.gradients[i])
	}
	return o
}

// input adds an input node that holds data as numbers of the given type.
func (o *oracle) input(of tensor.Dtype, name string, data []float32, shape ...int) *G.Node {
	var backing any = data
	if of == tensor.Float64 {
		backing = widen(data)
	}
	value := tensor.New(tensor.WithShape(shape...), tensor.WithBacking(backing))
	return G.NewTensor(o.graph, of, len(shape), G.WithName(name), G.WithShape(shape...),
		G.WithValue(value))
}

// stage writes one stage for n samples; before are the batch and the stages before it.
func (o *oracle) stage(s stage, before G.Nodes, n int) (y *G.Node) {
	x := before[s.from+1]
	switch s.kind {
	case sum:
		y = G.Must(G.Add(x, before[s.plus+1]))
	case average:
		y = G.Must(G.Mean(G.Must(G.Reshape(x,
			tensor.Shape{n, s.in.Channels, s.in.Height * s.in.Width})), 2))
	case linear:
		x = G.Must(G.Reshape(x, tensor.Shape{n, s.in.Len()}))
		y = G.Must(G.Mul(x, G.Must(G.Transpose(o.tensors[s.name+".weight"]))))
		bias := G.Must(G.Reshape(o.tensors[s.name+".bias"], tensor.Shape{1, s.out.Channels}))
		y = G.Must(G.BroadcastAdd(y, bias, nil, []byte{0}))
	case conv:
		y = G.Must(G.Conv2d(x, o.tensors[s.name+".weight"], tensor.Shape{s.kernel, s.kernel},
			[]int{s.pad, s.pad}, []int{s.stride, s.stride}, []int{1, 1}))
		if s.norm {
			y = o.norm(s, y, n)
		} else {
			y = G.Must(G.BroadcastAdd(y, o.channels(s.name+".bias"), nil, overChannels))
		}
	}
	if s.relu {
		y = G.Must(G.Rectify(y))
	}
	if s.pool {
		y = G.Must(G.MaxPool2D(y, tensor.Shape{2, 2}, []int{0, 0}, []int{2, 2}))
	}
	return y
}

// overChannels is the broadcast pattern for a tensor that channels returns.
var overChannels = []byte{0, 2, 3}

// channels returns a tensor with one value per channel, for broadcasting.
func (o *oracle) channels(name string) *G.Node {
	return o.tensors[name]
}

// norm writes batch normalisation of x by its definition. Gorgonia's own knows neither the mode
// Probe nor gradients by its statistics when it evaluates.
func (o *oracle) norm(s stage, x *G.Node, n int) *G.Node {
	count := o.input(x.Dtype(), s.name+".count", []float32{float32(n * s.mid.Height * s.mid.Width)},
		1, 1, 1, 1)
	mean := func(x *G.Node) *G.Node {
		sums := G.Must(G.Reshape(G.Must(G.Sum(x, 0, 2, 3)), tensor.Shape{1, s.mid.Channels, 1, 1}))
		return G.Must(G.BroadcastHadamardDiv(sums, count, nil, []byte{1}))
	}
	var centre, variance *G.Node
	if o.tensors[s.name+".norm.running_mean"] != nil {
		centre = o.channels(s.name + ".norm.running_mean")
		variance = o.channels(s.name + ".norm.running_var")
		x = G.Must(G.BroadcastSub(x, centre, nil, overChannels))
	} else {
		centre = mean(x)
		x = G.Must(G.BroadcastSub(x, centre, nil, overChannels))
		variance = mean(G.Must(G.Square(x)))
	}
	epsilon := o.input(x.Dtype(), s.name+".epsilon", []float32{1e-5}, 1, 1, 1, 1)
	deviation := G.Must(G.Sqrt(G.Must(G.BroadcastAdd(variance, epsilon, nil, []byte{1}))))
	x = G.Must(G.BroadcastHadamardDiv(x, deviation, nil, overChannels))
	x = G.Must(G.BroadcastHadamardProd(x, o.channels(s.name+".norm.weight"), nil, overChannels))
	return G.Must(G.BroadcastAdd(x, o.channels(s.name+".norm.bias"), nil, overChannels))
}

func widen(x []float32) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}

// TestAgainstPlainGorgonia compares losses and gradients with the oracle's.
func TestAgainstPlainGorgonia(t *testing.T) {
	for _, test := range []struct {
		Config
		n int // samples in the batch, fewer than it holds
	}{
		{Config{Model: "linear", C: 7, H: 1, W: 1, Classes: 3, Batch: 5}, 5},
		{Config{Model: "mlp", C: 13, H: 1, W: 1, Classes: 4, Batch: 9}, 7},
		{Config{Model: "convnet", C: 1, H: 28, W: 28, Classes: 10, Batch: 6}, 6},
		{Config{Model: "convnet", C: 3, H: 32, W: 32, Classes: 10, Batch: 8}, 3},
		{Config{Model: "alexnet", C: 3, H: 32, W: 32, Classes: 10, Batch: 4}, 3},
		{Config{Model: "resnet8", C: 3, H: 8, W: 8, Classes: 10, Batch: 6}, 5},
		{Config{Model: "resnet18", C: 3, H: 16, W: 16, Classes: 10, Batch: 4}, 3},
	} {
		if test.Model == "resnet18" && !testsize.Long() { // resnet8 has all its layers
			continue
		}
		t.Run(fmt.Sprintf("%s-%d×%d×%d", test.Model, test.C, test.H, test.W), func(t *testing.T) {
			test.Seed, test.Threads = 3, 2
			n, err := New(test.Config)
			if err != nil {
				t.Fatal(err)
			}
			defer n.Close()
			roughen(n.parameters)
			x, labels, ratios := batch(test.Config, test.n, 7)
			compare(t, n, x, labels, ratios)
		})
	}
}

// compare compares losses and gradients of a batch with the oracle's.
func compare(t *testing.T, n *Net, x []float32, labels []int, ratios []float64) {
	t.Helper()
	losses := make([]float64, len(labels))
	n.Losses(losses, x, labels)
	n.Gradient(ratios)
	plain := newOracle(t, tensor.Float64, n, x, labels, ratios)
	machine := G.NewTapeMachine(plain.graph)
	defer machine.Close()
	if err := machine.RunAll(); err != nil {
		t.Fatal(err)
	}
	if d := distance(losses, plain.losses.Data().([]float64)); d > 1e-5 {
		t.Errorf("losses differ by %.2g", d)
	}
	for i, g := range n.gradients {
		if d := distance(widen(g.Data), plain.gradients[i].Data().([]float64)); d > 1e-4 {
			t.Errorf("gradient of %s differs by %.2g", g.Name, d)
		}
	}
}

// distance returns ‖a − b‖/‖b‖.
func distance(a, b []float64) float64 {
	var d, n float64
	for i := range a {
		d += (a[i] - b[i]) * (a[i] - b[i])
		n += b[i] * b[i]
	}
	if n == 0 {
		return math.Sqrt(d)
	}
	return math.Sqrt(d / n)
}

// BenchmarkPlainGorgonia times forward and backward of the plain graph. The kernels should be
// faster, with or without assembly.
func BenchmarkPlainGorgonia(b *testing.B) {
	for _, model := range Models() {
		b.Run(model, func(b *testing.B) {
			c := Config{Model: model, C: 3, H: 32, W: 32, Classes: 10, Batch: 128, Seed: 1}
			n, err := New(c)
			if err != nil {
				b.Fatal(err)
			}
			defer n.Close()
			x, labels, ratios := batch(c, 128, 1)
			machine := G.NewTapeMachine(newOracle(b, tensor.Float32, n, x, labels, ratios).graph)
			defer machine.Close()
			for b.Loop() {
				if err := machine.RunAll(); err != nil {
					b.Fatal(err)
				}
				machine.Reset()
			}
		})
	}
}
