package data

import (
	"context"
	"fmt"
	"slices"

	"drolab/runner/data/internal/dataset"
)

// MaxClasses is the most values of a label or a group.
const MaxClasses = dataset.MaxClasses

// The columns of OpenRaw, see runner/data/internal/dataset.
const (
	RawLabel       = dataset.RawLabel
	RawGroup       = dataset.RawGroup
	RawPrediction  = dataset.RawPrediction
	RawLoss        = dataset.RawLoss
	RawSplit       = dataset.RawSplit
	RawProbability = dataset.RawProbability
)

// OpenRaw reads a table of what another program predicted, as its file has it: the rows are the
// test split, Encoder.Columns names what [Raw] gives of one. Label, groups and split are found as
// those of other tables are.
func OpenRaw(ctx context.Context, name string) (*Dataset, error) {
	p, err := find(name)
	if err != nil || !p.Raw {
		return nil, fmt.Errorf("%s: predictions are a table: want a file .csv, .csv.gz, .tsv or "+
			".parquet", name)
	}
	return readBy(ctx, p, name, Options{Raw: true})
}

// Raw gives the numbers of a row of OpenRaw, one for each of its columns.
func Raw(src Source, i int) []float64 { return dataset.Raw(src, i) }

// SplitOf is train, val or test where a word or a number stands for that; else it is empty.
func SplitOf(word string) string { return dataset.SplitOf(word) }

// InOrder sorts names as those of classes are: by value if all are whole numbers.
func InOrder(names []string) []string {
	names = slices.Sorted(slices.Values(names))
	dataset.SortNumeric(names)
	return names
}
