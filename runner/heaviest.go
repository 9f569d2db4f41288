package runner

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"drolab/runner/lists"
)

// MostHeavy is the largest number of samples that an evaluation lists.
const MostHeavy = 24

// Heavy is one of the training samples with the largest weights in an evaluation's exact worst
// case.
type Heavy struct {
	Index int // in the training split, from 0
	// Ratio is the sample's likelihood ratio dQ/dP, with the worst case Q over the whole training
	// split at the run's radius, rounded to a float32; 1 is no reweighting.
	Ratio float64
	Label int // its class
	Group int // its group, of those that methods train on; its class if no groups are given
}

// Heaviest returns the samples with the largest losses, and so with the largest ratios, the
// heaviest first; equal ones are in the split's order. The slices have the same length, with one
// entry per sample.
func Heaviest(losses, ratios []float64, labels, groups []int) []Heavy {
	order := make([]int, 0, MostHeavy+1)
	for i, loss := range losses {
		if len(order) == MostHeavy && loss <= losses[order[MostHeavy-1]] {
			continue
		}
		at, _ := slices.BinarySearchFunc(order, loss, func(j int, loss float64) int {
			if losses[j] >= loss {
				return -1
			}
			return 1
		})
		order = slices.Insert(order, at, i)
		order = order[:min(len(order), MostHeavy)]
	}
	return lists.Map(order, func(i int) Heavy {
		return Heavy{i, float64(float32(ratios[i])), labels[i], groups[i]}
	})
}

// appendHeavy writes [[index, ratio, label, group], ...].
func appendHeavy(b []byte, list []Heavy) []byte {
	b = append(b, '[')
	for i, h := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(append(b, '['), int64(h.Index), 10)
		b = strconv.AppendFloat(append(b, ','), h.Ratio, 'g', -1, 32)
		b = strconv.AppendInt(append(b, ','), int64(h.Label), 10)
		b = strconv.AppendInt(append(b, ','), int64(h.Group), 10)
		b = append(b, ']')
	}
	return append(b, ']')
}

// readHeavy reads the list that appendHeavy writes. It drops invalid entries and everything after
// the first MostHeavy: a log may come from anybody, and nothing else depends on the list.
func readHeavy(text []byte) (list []Heavy) {
	var all [][]float64
	if json.Unmarshal(text, &all) != nil {
		return nil
	}
	whole := func(x float64) bool { return x >= 0 && x <= math.MaxInt32 && x == math.Trunc(x) }
	for _, v := range all[:min(len(all), MostHeavy)] {
		if len(v) == 4 && whole(v[0]) && v[1] >= 0 && whole(v[2]) && whole(v[3]) {
			list = append(list, Heavy{int(v[0]), float64(float32(v[1])), int(v[2]), int(v[3])})
		}
	}
	return list
}
