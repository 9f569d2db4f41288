package dataset

import (
	"encoding/binary"
	"math"
)

// The columns of Raw tables that have a name of their own; RawProbability and a class is one.
const (
	RawRow         = "row" // its place in the file, from 1, which is always there
	RawLabel       = "label"
	RawGroup       = "group"
	RawPrediction  = "prediction"
	RawLoss        = "loss"
	RawSplit       = "split"
	RawProbability = "p_"
)

// MostRaw is the most rows of a Raw table: a run keeps them.
const MostRaw = 1 << 20

// Raw gives the numbers of a row of a table that was read with Options.Raw, as its file has them.
// They are those of Encoder.Columns; of a column with categories a number is a place among these.
func Raw(src Source, i int) []float64 {
	f := src.(*Features)
	list := make([]float64, f.Dims.C)
	for c := range list {
		list[c] = math.Float64frombits(binary.LittleEndian.Uint64(f.Data[8*(i*f.Dims.C+c):]))
	}
	return list
}
