package client

import (
	"encoding/binary"
	"math"
	"slices"

	"drolab/runner/bridge"
)

// Table is a program without a network: losses from a table.
type Table struct {
	Samples int // of the training split
	Val     int // of the validation split
	Width   int // number of features that enter its last layer; 0: it does not show the layer
	n       int // of the last batch
}

func (t *Table) Hello(Question) (map[string]any, []bridge.Array, error) {
	labels := func(n int) bridge.Array { // by turns
		a := bridge.Array{Type: bridge.Int32, Raw: make([]byte, 4*n)}
		for i := range n {
			a.Raw[4*i] = byte(i % 2)
		}
		return a
	}
	sizes, arrays := map[string]int{"train": t.Samples, "test": 8}, []bridge.Array{labels(t.Samples)}
	if t.Val > 0 {
		sizes["val"], arrays = t.Val, append(arrays, labels(t.Val))
	}
	return map[string]any{"version": 2, "samples": sizes, "classes": []string{"a", "b"},
			"log": []string{"tokens"}, "restart": true, "accumulate": true, "pick": true,
			"procs": true, "features": t.Width},
		append(arrays, labels(8), bridge.Floats([]float64{1})), nil
}

func (t *Table) SetMode(string) {}
func (t *Table) Losses(_ string, _ uint64, index []int) []float64 {
	t.n = len(index)
	losses := make([]float64, len(index))
	for i := range losses {
		losses[i] = 1 + float64(index[i]%7)/7
	}
	return losses
}

func (t *Table) Outputs(want string) bridge.Array {
	half := slices.Repeat([]float64{.5}, t.n)
	switch want {
	case "classes":
		return bridge.Array{Type: bridge.Int32, Raw: make([]byte, 4*t.n)}
	case "confidences":
		return bridge.Floats(half)
	}
	even := bridge.Array{Type: bridge.Float32}
	for range 2 * t.n {
		even.Raw = binary.LittleEndian.AppendUint32(even.Raw, math.Float32bits(.5))
	}
	return even
}

// Features implements Shower.
func (t *Table) Features() bridge.Array {
	return bridge.Array{Type: bridge.Float32, Raw: make([]byte, 4*t.n*t.Width)}
}

// Layer implements Shower.
func (t *Table) Layer() (weights, biases []float64) { return []float64{1, -1}, []float64{0, 0} }

// SetLayer implements Shower.
func (t *Table) SetLayer(weights, biases []float64) {}

func (t *Table) Gradient([]float64, bool)                {}
func (t *Table) Norm() float64                           { return 1 }
func (t *Table) Step([]float64) (float64, bool)          { return 1, false }
func (t *Table) Accumulate([]float64) (float64, float64) { return 1, 1 }
func (t *Table) Advance(float64)                         {}
func (t *Table) Restart()                                {}
func (t *Table) Pick()                                   {}
func (t *Table) Swap()                                   {}
func (t *Table) Save(string) error                       { return nil }
func (t *Table) Load(string) error                       { return nil }
