package data

import (
	"encoding/binary"
	"math"
)

// These are the names of the columns of Raw tables; the name of a class follows RawProbability.
const (
	RawRow         = "row" // the row's place in the file, from 1; this column is always there
	RawLabel       = "label"
	RawGroup       = "group"
	RawPrediction  = "prediction"
	RawLoss        = "loss"
	RawSplit       = "split"
	RawProbability = "p_"
)

// MostRaw is the maximum number of rows of a Raw table, since a run keeps them.
const MostRaw = 1 << 20

// Raw returns the numbers of row i of a table that was read with Options.Raw, as its file has them,
// one for each of Encoder.Columns. In a column with categories, a number is a place among them.
func Raw(src Source, i int) []float64 {
	f := src.(*Features)
	list := make([]float64, f.Dims.C)
	for c := range list {
		list[c] = math.Float64frombits(binary.LittleEndian.Uint64(f.Data[8*(i*f.Dims.C+c):]))
	}
	return list
}
