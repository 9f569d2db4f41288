package table

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"drolab/runner/data/internal/dataset"
	"drolab/runner/internal/room"
)

// A raw table has another program's predictions: label, groups and split as in other tables, and
// the columns that dataset/raw.go names. Other columns are left out.

// openRaw reads a raw table. All of its rows are the test split.
func (s csvSet) openRaw() (*dataset.Dataset, error) {
	if err := s.Useless("a column of splits", "test", "test_fraction", "data_seed"); err != nil {
		return nil, err
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
	if f.label, err = f.find(cmp.Or(f.asked.label, dataset.RawLabel)); err != nil {
		return fmt.Errorf("%w: name the right class's with label=", err)
	}
	if f.groups, err = f.findAll(f.asked.group, dataset.RawGroup); err != nil {
		return err
	}
	if f.split, err = f.find(f.asked.split); f.split < 0 {
		f.split = slices.Index(f.header, dataset.RawSplit)
	}
	f.columns = make([]*Column, len(f.header))
	for i, name := range f.header {
		textual := i == f.label || i == f.split || slices.Contains(f.groups, i) ||
			name == dataset.RawPrediction
		if textual || name == dataset.RawLoss || strings.HasPrefix(name, dataset.RawProbability) {
			f.columns[i] = NewColumn(name, textual)
		}
	}
	return err
}

// raw returns the dataset of a raw table, with the rows as the file has them.
func (f *Frame) raw() (*dataset.Dataset, error) {
	o := dataset.Own{Cells: f.cells, Label: f.columns[f.label].Factor(), Fitted: true}
	for _, g := range f.groups {
		o.Groups = append(o.Groups, f.columns[g].Factor())
	}
	d, m, err := o.Dataset()
	if err != nil {
		return nil, err
	}
	var of []func(row int) float64
	add := func(name string, categories []string, value func(row int) float64) {
		column := dataset.Column{Name: name, Categories: categories}
		d.Encoder.Columns, of = append(d.Encoder.Columns, column), append(of, value)
	}
	add(dataset.RawRow, nil, func(row int) float64 {
		if f.origin != nil {
			row = int(f.origin[row])
		}
		return float64(row + 1)
	})
	add(dataset.RawLabel, d.Classes, func(row int) float64 { return float64(m.Label(row)) })
	if d.Groups != nil {
		add(dataset.RawGroup, d.Groups, func(row int) float64 { return float64(m.Group(row)) })
	}
	for i, c := range f.columns {
		switch {
		case c == nil || i == f.label || slices.Contains(f.groups, i):
		case c.textual:
			name, factor := c.Name, c.Factor()
			if i == f.split {
				name = dataset.RawSplit
			}
			add(name, factor.Values, func(row int) float64 { return float64(factor.Codes[row]) })
		case !c.Numeric:
			return nil, fmt.Errorf("line %d, column %q: %.40q is not a number: mend it",
				c.NotALine, c.Name, c.NotANum)
		default:
			add(c.Name, nil, func(row int) float64 { return c.Value(f.words.Row(row)[c.at]) })
		}
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
