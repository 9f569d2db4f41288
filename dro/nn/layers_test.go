package nn

import (
	"math"
	"testing"

	"drolab/dro/internal/kern"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// scale is a toy kind of layer: y = a·x, with one parameter a.
const scale kind = "scale"

// addScale adds a row to kinds, as CONTRIBUTING says.
func addScale(t *testing.T) {
	kinds[scale] = definition{
		shape: func(s *stage, _ int) (kern.Shape, error) { return s.in, nil },
		slots: func(s stage, _ string) (parameters, buffers []slot) {
			return []slot{{Tensor: Tensor{Name: s.name + ".a", Shape: []int{1}}, value: 1}}, nil
		},
		node: func(g *graph, s stage, before G.Nodes) (*G.Node, error) {
			return g.scale(s, before[s.from+1], g.gradients[s.name+".a"])
		},
	}
	t.Cleanup(func() { delete(kinds, scale) })
}

// scale adds the op of the toy layer, in plain Go.
func (g *graph) scale(s stage, x *G.Node, da []float32) (*G.Node, error) {
	diff := func(in G.Nodes, _, grad *G.Node) (G.Nodes, error) {
		d, err := apply(&op{
			name: s.name + ".dx", out: g.activation(s.in),
			run: func(dx []float32, in []array) {
				x, a, dy := in[0].F32, in[1].F32[0], in[2].F32
				if !g.add {
					da[0] = 0
				}
				for i := range dy {
					dx[i] = a * dy[i]
					da[0] += x[i] * dy[i]
				}
			},
		}, in[0], in[1], grad)
		if err != nil {
			return nil, err
		}
		b, err := sideGradient(s.name+".da", d, da, tensor.Shape{1})
		return G.Nodes{d, b}, err
	}
	return apply(&op{
		name: s.name, out: g.activation(s.in),
		run: func(y []float32, in []array) {
			for i, v := range in[0].F32 {
				y[i] = in[1].F32[0] * v
			}
		},
		diff: diff,
	}, x, g.leaves[s.name+".a"])
}

// TestToyLayer shows that a new kind of layer needs only a row of kinds and an op. Its parameter is
// one of the network's parameters, has the gradient that differences of the objective give, and is
// moved by an update. At a = 1 the layer changes no bit.
func TestToyLayer(t *testing.T) {
	addScale(t)
	c := Config{C: 3, H: 6, W: 6, Classes: 4, Batch: 7, Seed: 2, Threads: 2}
	network := func(layers ...layer) *Net {
		list, err := arrange(layers, kern.Shape{Channels: c.C, Height: c.H, Width: c.W}, c.Classes)
		if err != nil {
			t.Fatal(err)
		}
		n, err := newNet(kern.Detect(), c, list)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(n.Close)
		return n
	}
	x, labels, ratios := batch(c, 6, 4)
	objective := func(n *Net) (mean float64) {
		losses := make([]float64, len(labels))
		n.Losses(losses, x, labels)
		for i, l := range losses {
			mean += ratios[i] * l / float64(len(losses))
		}
		return mean
	}
	plain := network(convPool(4, 3, 1, 1), logits())
	n := network(convPool(4, 3, 1, 1), layer{kind: scale}, logits())
	if a, b := objective(plain), objective(n); a != b {
		t.Errorf("the objective is %v, and %v with a layer that changes nothing", a, b)
	}
	n.Gradient(ratios)
	var a, gradient float32
	for i, p := range n.Parameters() {
		if p.Name == "scale2.a" {
			a, gradient = p.Data[0], n.gradients[i].Data[0]
		}
	}
	at := func(v float32) float64 {
		for _, p := range n.Parameters() {
			if p.Name == "scale2.a" {
				p.Data[0] = v
			}
		}
		return objective(n)
	}
	const h = 1. / 64
	slope := (at(a+h) - at(a-h)) / (2 * h)
	if a != 1 {
		t.Errorf("a starts at %v, want 1", a)
	}
	if slope == 0 || math.Abs(slope-float64(gradient)) > 1e-3*math.Abs(slope) {
		t.Errorf("the gradient of a is %v, want %v as by differences, and not 0", gradient, slope)
	}
	before := at(a)
	n.Gradient(ratios)
	n.Update(SGD{LR: .01})
	if after := objective(n); after >= before {
		t.Errorf("a step along the gradient takes the objective from %v to %v", before, after)
	}
}
