package nn

import (
	"slices"
	"testing"
)

// A profile holds every layer once and all operations of the model. It leaves the gradient
// unchanged.
func TestProfile(t *testing.T) {
	for _, model := range []string{"convnet", "resnet8"} {
		c := Config{Model: model, C: 3, H: 32, W: 32, Classes: 10, Batch: 4, Seed: 1}
		n := testNet(t, c)
		x, labels, ratios := batch(c, 4, 1)
		n.Losses(make([]float64, 4), x, labels)
		n.Gradient(ratios)
		gradient := slices.Clone(n.gradient)
		list, flop := n.Profile(3), 0.0
		if len(list) != len(n.stages)+1 || list[len(list)-1].Name != "loss" {
			t.Errorf("%s: %d layers of %d stages, want one more, the last called loss: %+v", model,
				len(list), len(n.stages), list)
		}
		for _, l := range list {
			flop += l.FLOP
			if !(l.Time > 0) {
				t.Errorf("%s: layer %s takes %v", model, l.Name, l.Time)
			}
		}
		if forward, backward := n.FLOPs(); flop != forward+backward {
			t.Errorf("%s: layers have %v operations, the model %v", model, flop, forward+backward)
		}
		if !slices.Equal(gradient, n.gradient) {
			t.Errorf("%s: the gradient has changed", model)
		}
	}
}

func TestLayerOf(t *testing.T) {
	list := []LayerTime{{Name: "block1.conv1"}, {Name: "block1"}, {Name: "block10"}, {Name: "loss"}}
	for op, want := range map[string]int{
		"block1.conv1.norm.dx": 0, "block1": 1, "block1.mask": 1, "block10.mask": 2,
		"cross-entropy.dx": 3, "sum": 3,
	} {
		if got := layerIndex(list, op); got != want {
			t.Errorf("%s is of layer %s, want %s", op, list[got].Name, list[want].Name)
		}
	}
}
