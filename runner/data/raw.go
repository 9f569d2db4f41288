package data

import (
	"context"
	"fmt"
	"slices"

	"drolab/runner/data/internal/dataset"
)

// MaxClasses is the maximum number of values of a label or a group.
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

// OpenRaw reads a table of another program's predictions as its file has it. The rows are the test
// split, and Encoder.Columns names the numbers that [Raw] returns for a row. Label, groups and
// split are found as in other tables.
func OpenRaw(ctx context.Context, name string) (*Dataset, error) {
	p, err := find(name)
	if err != nil || !p.Raw {
		return nil, fmt.Errorf("%s: predictions are a table: want a file .csv, .csv.gz, .tsv or "+
			".parquet", name)
	}
	return readBy(ctx, p, name, Options{Raw: true})
}

// Raw returns the numbers of row i of a table that OpenRaw opened, one for each column.
func Raw(src Source, i int) []float64 { return dataset.Raw(src, i) }

// SplitOf returns the split that a word or a number stands for: train, val or test. It is empty for
// any other word.
func SplitOf(word string) string { return dataset.SplitOf(word) }

// InOrder returns the names in the order of class names: by value if all are whole numbers, else in
// byte order.
func InOrder(names []string) []string {
	names = slices.Sorted(slices.Values(names))
	dataset.SortNumeric(names)
	return names
}
