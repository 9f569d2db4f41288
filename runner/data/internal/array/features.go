package array

import (
	"fmt"
	"math"

	"drolab/runner/data/internal/dataset"
)

// NewFeatures makes samples of an array: rows of numbers, or one or several planes a sample.
func NewFeatures(a NPYArray) (*dataset.Features, error) {
	f := &dataset.Features{Size: a.Size, Data: a.Data}
	switch n := a.Dims; {
	case a.Kind != 'f':
		return nil, fmt.Errorf(
			"%s: features are not floating-point numbers: save them with astype('float32')", a.Name)
	case len(n) == 2:
		f.Dims = dataset.Shape{C: n[1], H: 1, W: 1}
	case len(n) == 3:
		f.Dims = dataset.Shape{C: 1, H: n[1], W: n[2]}
	case len(n) == 4:
		f.Dims = dataset.Shape{C: n[1], H: n[2], W: n[3]}
	default:
		return nil, fmt.Errorf("%s: features have shape %v: want samples × features, or samples "+
			"× channels × rows × columns", a.Name, n)
	}
	if uint64(a.Dims[0]) > math.MaxUint32 {
		return nil, fmt.Errorf("%s: %d samples: at most %d are taken", a.Name, a.Dims[0],
			uint32(math.MaxUint32))
	}
	f.Decode = dataset.Decoders()[a.Size]
	return f, nil
}
