package runner

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
)

// MostHeavy is how many samples an evaluation names at most.
const MostHeavy = 24

// Heavy is a training sample that the exact worst case of an evaluation weighs most.
type Heavy struct {
	Index int // in the training split, from 0
	// Ratio is the likelihood ratio dQ/dP that the worst case Q over the whole training split
	// gives it at the run's radius, as a float32 has it; 1 is no reweighting.
	Ratio float64
	Label int // its class
	Group int // its group; its class where none are given
}

// Heaviest are the samples with the largest losses, so with the largest ratios, the heaviest
// first; equal ones are in the split's order. The slices are of one length, a sample each.
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
	list := make([]Heavy, len(order))
	for k, i := range order {
		list[k] = Heavy{i, float64(float32(ratios[i])), labels[i], groups[i]}
	}
	return list
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

// readHeavy reads a list of them. One that makes no sense is left out, as is what follows the
// first MostHeavy: a log may be anybody's, and nothing else depends on it.
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
