package nn

import (
	"slices"
	"strings"
	"time"
)

// LayerTime is the time that a layer takes in Losses and Gradient: for its convolution or product
// in all directions, and for its normalisation, activation and pooling.
type LayerTime struct {
	Name string
	FLOP float64 // of real work, as FLOPs counts it; 0 for a layer without products
	Time time.Duration
}

// Profile runs Losses and Gradient on the last batch again, so many times, and returns the median
// time of each layer, in the model's order; "loss" is the last.
func (n *Net) Profile(times int) []LayerTime {
	list := make([]LayerTime, 0, len(n.stages)+1)
	for _, s := range n.stages {
		list = append(list, LayerTime{Name: s.name, FLOP: n.graph.flop[s.name]})
	}
	list = append(list, LayerTime{Name: "loss"})
	took := make([][]time.Duration, len(list))
	for range times {
		round := make([]time.Duration, len(list))
		for _, i := range slices.Concat(n.plan.forward, n.plan.backward) {
			start := time.Now()
			i.run(i.to, i.in)
			round[layerIndex(list, i.name)] += time.Since(start)
		}
		for k, d := range round {
			took[k] = append(took[k], d)
		}
	}
	for k := range list {
		slices.Sort(took[k])
		list[k].Time = took[k][times/2]
	}
	return list
}

// layerIndex returns the index of the layer with the longest name that begins the name of an op, or
// the index of "loss" if there is none.
func layerIndex(list []LayerTime, op string) int {
	best := len(list) - 1
	for i, l := range list[:best] {
		if (op == l.Name || strings.HasPrefix(op, l.Name+".")) &&
			(best == len(list)-1 || len(l.Name) > len(list[best].Name)) {
			best = i
		}
	}
	return best
}
