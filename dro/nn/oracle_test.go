package nn

import (
	"fmt"
	"math"
	"testing"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// The oracle is the same model written with Gorgonia's own operations and run by
// Gorgonia's own machine: convolution by im2col, broadcast biases, log-softmax.
// It shares nothing with ops.go but the list of layers.

// oracle is the plain graph, its outputs, and the values that feed it.
type oracle struct {
	graph      *G.ExprGraph
	parameters G.Nodes
	losses     G.Value
	gradients  []G.Value // of mean r_i ℓ_i, by each parameter
}

// newOracle writes the model at the given parameters and batch as a plain
// graph with numbers of the given type.
func newOracle(t testing.TB, of tensor.Dtype, c Config, parameters []Tensor, x []float32, labels []int, ratios []float64) *oracle {
	t.Helper()
	list, err := stages(c.Model, c.C, c.H, c.W, c.Classes)
	if err != nil {
		t.Fatal(err)
	}
	n := len(labels)
	o := &oracle{graph: G.NewGraph()}
	node := o.input(of, "x", x, n, c.C, c.H, c.W)
	var nodes G.Nodes
	for i, s := range list {
		w := o.input(of, parameters[2*i].Name, parameters[2*i].Data, parameters[2*i].Shape...)
		b := o.input(of, parameters[2*i+1].Name, parameters[2*i+1].Data, 1, s.outC)
		nodes = append(nodes, w, b)
		node = oracleLayer(node, w, b, s, n)
	}
	oneHot, weights := make([]float32, n*c.Classes), make([]float32, n)
	for i, l := range labels {
		oneHot[i*c.Classes+l] = 1
		weights[i] = float32(ratios[i] / float64(n))
	}
	o.parameters = nodes
	picked := G.Must(G.HadamardProd(G.Must(G.LogSoftMax(node)), o.input(of, "labels", oneHot, n, c.Classes)))
	losses := G.Must(G.Neg(G.Must(G.Sum(picked, 1))))
	cost := G.Must(G.Sum(G.Must(G.HadamardProd(losses, o.input(of, "weights", weights, n)))))
	grads, err := G.Grad(cost, nodes...)
	if err != nil {
		t.Fatal(err)
	}
	G.Read(losses, &o.losses)
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
	return G.NewTensor(o.graph, of, len(shape), G.WithName(name), G.WithShape(shape...), G.WithValue(value))
}

func oracleLayer(x, w, b *G.Node, s stage, n int) *G.Node {
	if s.kernel == 0 {
		x = G.Must(G.Reshape(x, tensor.Shape{n, s.fanIn()}))
		y := G.Must(G.BroadcastAdd(G.Must(G.Mul(x, G.Must(G.Transpose(w)))), b, nil, []byte{0}))
		if s.relu {
			y = G.Must(G.Rectify(y))
		}
		return y
	}
	y := G.Must(G.Conv2d(x, w, tensor.Shape{s.kernel, s.kernel}, []int{s.pad, s.pad}, []int{s.stride, s.stride}, []int{1, 1}))
	bias := G.Must(G.Reshape(b, tensor.Shape{1, s.outC, 1, 1}))
	y = G.Must(G.Rectify(G.Must(G.BroadcastAdd(y, bias, nil, []byte{0, 2, 3}))))
	if s.pool {
		y = G.Must(G.MaxPool2D(y, tensor.Shape{2, 2}, []int{0, 0}, []int{2, 2}))
	}
	return y
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
	} {
		t.Run(fmt.Sprintf("%s-%d×%d×%d", test.Model, test.C, test.H, test.W), func(t *testing.T) {
			test.Seed, test.Threads = 3, 2
			n, err := New(test.Config)
			if err != nil {
				t.Fatal(err)
			}
			defer n.Close()
			for i := range n.parameters { // biases that are not zero
				if d := n.parameters[i].Data; i%2 == 1 {
					for j := range d {
						d[j] = float32(j%5) / 10
					}
				}
			}
			x, labels, ratios := batch(test.Config, test.n, 7)
			losses := make([]float64, test.n)
			n.Losses(losses, x, labels)
			n.Gradient(ratios)
			plain := newOracle(t, tensor.Float64, test.Config, n.parameters, x, labels, ratios)
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
		})
	}
}

// distance is ‖a − b‖/‖b‖.
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

// BenchmarkPlainGorgonia times forward and backward of the plain graph: what
// the kernels are to be faster than, with or without assembly.
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
			machine := G.NewTapeMachine(newOracle(b, tensor.Float32, c, n.parameters, x, labels, ratios).graph)
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
