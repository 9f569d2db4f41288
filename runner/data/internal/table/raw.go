package table

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"drolab/runner/data/internal/dataset"
	"drolab/runner/internal/room"
)

// A table is raw where another program's predictions are read: label, groups and split as in other
// tables, and the columns that dataset/raw.go names. Others are left out.

// openRaw reads a raw table. All of its rows are the test split.
func (s csvSet) openRaw() (*dataset.Dataset, error) {
	for _, key := range []string{"test", "test_fraction", "data_seed"} {
		if s.Options[key] != "" {
			return nil, fmt.Errorf("%s= is no option of predictions: a column %q says what a row "+
				"is of", key, dataset.RawSplit)
		}
	}
	sum := sha256.New()
	if err := s.format.load(&s, s.Path, sum); err != nil {
		return nil, err
	}
	d, err := s.raw()
	if err != nil {
		return nil, &inFile{s.Path, err}
	}
	d.Checksum = dataset.ChecksumOf(sum)
	return d, nil
}

// setRaw finds the columns of a raw table.
func (f *Frame) setRaw() (err error) {
	if f.label, err = f.find(cmp.Or(f.asked.label, "label")); err != nil {
		return fmt.Errorf("%w: name the right class's with label=", err)
	}
	if f.groups, err = f.findAll(f.asked.group, "group"); err != nil {
		return err
	}
	f.split = slices.Index(f.header, cmp.Or(f.asked.split, dataset.RawSplit))
	if f.asked.split != "" && f.split < 0 {
		_, err = f.find(f.asked.split)
		return err
	}
	predicted := false
	f.columns = make([]*Column, len(f.header))
	for i, name := range f.header {
		textual := i == f.label || i == f.split || slices.Contains(f.groups, i) ||
			name == dataset.RawPrediction
		p := !textual && strings.HasPrefix(name, dataset.RawProbability)
		if textual || p || name == dataset.RawLoss {
			f.columns[i] = NewColumn(name, textual)
		}
		predicted = predicted || p || name == dataset.RawPrediction
	}
	if !predicted {
		return fmt.Errorf("no column %q, nor %q and a class: the columns are %.400q",
			dataset.RawPrediction, dataset.RawProbability, f.header)
	}
	return nil
}

// raw gives the rows as they are.
func (f *Frame) raw() (*dataset.Dataset, error) {
	if f.Rows == 0 {
		return nil, errors.New("has no rows")
	}
	o := dataset.Own{Cells: f.cells, Label: f.columns[f.label].Factor(), Fitted: true}
	for _, g := range f.groups {
		o.Groups = append(o.Groups, f.columns[g].Factor())
	}
	d, m, err := o.Dataset()
	if err != nil {
		return nil, err
	}
	d.Encoder.Columns = []dataset.Column{{Name: dataset.RawRow}}
	of := []func(row int) float64{func(row int) float64 {
		if f.origin != nil {
			row = int(f.origin[row])
		}
		return float64(row + 1)
	}}
	for i, c := range f.columns {
		if c == nil || i == f.label || slices.Contains(f.groups, i) {
			continue
		}
		column := dataset.Column{Name: c.Name}
		value := func(row int) float64 { return c.Value(f.words.Row(row)[c.at]) }
		switch {
		case c.textual:
			factor := c.Factor()
			column.Categories = factor.Values
			value = func(row int) float64 { return float64(factor.Codes[row]) }
		case !c.Numeric:
			return nil, fmt.Errorf("line %d, column %q: %.40q is not a number: mend it",
				c.NotALine, c.Name, c.NotANum)
		}
		if i == f.split {
			column.Name = dataset.RawSplit
		}
		d.Encoder.Columns, of = append(d.Encoder.Columns, column), append(of, value)
	}
	if err := room.Ask(8*float64(f.Rows)*float64(len(of)), "the predictions"); err != nil {
		return nil, err
	}
	x := make([]byte, 0, 8*f.Rows*len(of))
	for row := range f.Rows {
		for _, value := range of {
			x = binary.LittleEndian.AppendUint64(x, math.Float64bits(value(row)))
		}
	}
	if f.dropped > 0 {
		d.Notes = []string{fmt.Sprintf("lines left out for a missing value: %d", f.dropped)}
	}
	d.Test = &dataset.Features{Marks: m, Dims: dataset.Shape{C: len(of), H: 1, W: 1}, Size: 8,
		Data: x, Decode: dataset.Decode64}
	return d, nil
}
