package nn

import (
	"slices"
	"strings"
	"testing"

	"drolab/dro/internal/kern"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// copyOf adds an op that copies its input into to.
func copyOf(to []float32, of *G.Node) *G.Node {
	return G.Must(apply(&op{
		name: "copy", out: dense32(to, of.Shape()...),
		run: func(_ []float32, in []array) { copy(to, in[0].F32) },
	}, of))
}

// Gorgonia's own sum is computed anew at every run, whoever reads it and whatever its shape.
func TestPlanRunsSums(t *testing.T) {
	e := G.NewGraph()
	data, got := []float32{1, 2}, make([]float32, 2)
	x := leaf(e, "x", dense32(data, 2, 1))
	b := &backend{sums: kern.NewSum(kern.Detect())}
	p, err := b.compile(copyOf(got, G.Must(G.Add(G.Must(G.Add(x, x)), x))), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []float32{1, 100} {
		data[0], data[1] = v, 2*v
		run(p.forward)
		if got[0] != 3*v || got[1] != 6*v {
			t.Errorf("%v + %v + %v gave %v", data, data, data, got)
		}
	}
}

// Other operations of Gorgonia would run only once, or allocate, so they are refused by name.
func TestPlanRefusesStockOperations(t *testing.T) {
	e := G.NewGraph()
	x := leaf(e, "x", dense32([]float32{1, 2}, 2))
	scalar := G.NewScalar(e, tensor.Float32, G.WithName("s"), G.WithValue(float32(2)))
	wide := leaf(e, "wide", tensor.New(tensor.WithShape(2), tensor.WithBacking([]float64{1, 2})))
	b := &backend{sums: kern.NewSum(kern.Detect())}
	for what, node := range map[string]*G.Node{
		"a difference":        G.Must(G.Sub(x, x)),
		"a product":           G.Must(G.HadamardProd(x, x)),
		"a sum with a scalar": G.Must(G.Add(x, scalar)),
		"a sum of float64":    G.Must(G.Add(wide, wide)),
		"a ReLU":              G.Must(G.Rectify(x)),
		"an input without a value": G.NewVector(e, tensor.Float32, G.WithName("empty"),
			G.WithShape(2)),
		"a product under another op": copyOf(make([]float32, 2), G.Must(G.Square(x))),
	} {
		if p, err := b.compile(node, nil); err == nil || !strings.HasPrefix(err.Error(), "nn: ") {
			t.Errorf("%s: plan %v, error %v; want an error of nn", what, p, err)
		}
	}
}

// The ops also run on Gorgonia's own machine, which adds gradients with its own sum and comes to
// the same bits.
func TestPlanAgainstTapeMachine(t *testing.T) {
	for _, model := range []string{"convnet", "resnet8"} {
		c := Config{Model: model, C: 3, H: 32, W: 32, Classes: 10, Batch: 3, Seed: 1}
		planned, taped := testNet(t, c), testNet(t, c)
		x, labels, ratios := batch(c, 3, 1)
		losses := make([]float64, 3)
		planned.Losses(losses, x, labels)
		planned.Gradient(ratios)
		taped.graph.load(kern.Images{X: x}, labels, Train)
		taped.graph.weigh(ratios)
		machine := G.NewTapeMachine(taped.graph.lossNode.Graph())
		defer machine.Close()
		if err := machine.RunAll(); err != nil {
			t.Fatal(err)
		}
		if want := taped.graph.losses; !slices.Equal(losses, want) {
			t.Errorf("%s: losses %v, the tape machine has %v", model, losses, want)
		}
		if !slices.Equal(planned.gradient, taped.gradient) {
			t.Errorf("%s: the tape machine has other gradients", model)
		}
	}
}
