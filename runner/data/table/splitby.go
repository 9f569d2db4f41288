package table

import (
	"fmt"
	"slices"

	"drolab/runner/data"
)

// keyColumns are the columns of split_by=.
type keyColumns struct {
	*data.Keys
	places [][]int // of the columns of each key
	cells  []string
}

// setKeys finds the columns of split_by=.
func (f *Frame) setKeys() error {
	asked := f.Options["split_by"]
	if asked == "" {
		return nil
	}
	known := func(name string) bool { return data.Place(f.header, name) >= 0 }
	f.keys = &keyColumns{Keys: data.NewKeys(asked, known)}
	for _, names := range f.keys.Columns() {
		var places []int
		for _, name := range names {
			at, err := f.find(name)
			if err != nil {
				return err
			}
			if at < 0 || slices.Contains(places, at) {
				return fmt.Errorf("split_by=%s names a column twice or not at all", asked)
			}
			places = append(places, at)
		}
		f.keys.places = append(f.keys.places, places)
	}
	return nil
}

// isKey reports whether a column is one of split_by=.
func (f *Frame) isKey(column int) bool { return slices.Contains(f.keyPlaces(), column) }

// keyPlaces returns the columns of split_by=.
func (f *Frame) keyPlaces() []int {
	if f.keys == nil {
		return nil
	}
	return slices.Concat(f.keys.places...)
}

// reads reports whether the cells of a column are looked at.
func (f *Frame) reads(column int) bool {
	return f.columns[column] != nil || f.isKey(column) || slices.Contains(f.idPlaces(), column)
}

// addKeys adds the keys of a row.
func (f *Frame) addKeys(record []string) {
	if f.keys == nil {
		return
	}
	for i, places := range f.keys.places {
		cells := f.keys.cells[:0]
		for _, at := range places {
			cells = append(cells, record[at])
		}
		f.keys.cells = cells
		f.keys.Add(i, cells...)
	}
}
