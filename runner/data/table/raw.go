package table

import (
	"cmp"
	_ "embed"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"drolab/runner/data"
	"drolab/runner/internal/memory"
)

// inOrder returns a record in the order of the header. Cells of columns that the file lacks are
// empty.
func (f *Frame) inOrder(record []string) []string {
	if f.order == nil {
		return record
	}
	f.ordered = f.ordered[:0]
	for i := range f.order {
		cell := ""
		if at := f.placeOf(i); at >= 0 {
			cell = record[at]
		}
		f.ordered = append(f.ordered, cell)
	}
	return f.ordered
}

// placeOf returns the place of a column of the header in the current file; −1: the file lacks it.
func (f *Frame) placeOf(column int) int {
	if f.order == nil {
		return column
	}
	return f.order[column]
}

// labelOf returns the label in a cell, without the characters of label_trim at its end.
func (f *Frame) labelOf(cell string) string {
	return trimmed(strings.TrimRight(trimmed(cell), f.trim))
}

// A raw table has another program's predictions: label, groups and split as in other tables, and
// the columns that runner/data names. Other columns are left out, and all rows are the test split.

// setRaw finds the columns of a raw table.
func (f *Frame) setRaw() (err error) {
	if f.label, err = f.find(cmp.Or(f.Options["label"], data.RawLabel)); err != nil {
		return fmt.Errorf("%w: name the column of the true class with label=", err)
	}
	if f.groups, err = f.findAll(f.Options["group"], data.RawGroup); err != nil {
		return err
	}
	if f.split, err = f.find(f.Options["split"]); f.split < 0 {
		f.split = slices.Index(f.header, data.RawSplit)
	}
	f.columns = make([]*Column, len(f.header))
	for i, name := range f.header {
		textual := i == f.label || i == f.split || slices.Contains(f.groups, i) ||
			name == data.RawPrediction
		if textual || name == data.RawLoss || strings.HasPrefix(name, data.RawProbability) {
			f.columns[i] = NewColumn(name, textual)
		}
	}
	return err
}

// raw returns the dataset of a raw table, with the rows as the file has them.
func (f *Frame) raw() (*data.Dataset, error) {
	d, m, err := f.own().Dataset()
	if err != nil {
		return nil, err
	}
	var of []func(row int) float64
	add := func(name string, categories []string, value func(row int) float64) {
		column := data.Column{Name: name, Categories: categories}
		d.Encoder.Columns, of = append(d.Encoder.Columns, column), append(of, value)
	}
	add(data.RawRow, nil, func(row int) float64 {
		if f.origin != nil {
			row = int(f.origin[row])
		}
		return float64(row + 1)
	})
	add(data.RawLabel, d.Classes, func(row int) float64 { return float64(m.Label(row)) })
	if d.Groups != nil {
		add(data.RawGroup, d.Groups, func(row int) float64 { return float64(m.Group(row)) })
	}
	for i, c := range f.columns {
		switch {
		case c == nil || i == f.label || slices.Contains(f.groups, i):
		case c.textual:
			name, factor := c.Name, c.Factor()
			if i == f.split {
				name = data.RawSplit
			}
			add(name, factor.Values, func(row int) float64 { return float64(factor.Codes[row]) })
		case !c.Numeric:
			return nil, fmt.Errorf("line %d, column %q: %.40q is not a number: mend it",
				c.NotALine, c.Name, c.NotANum)
		default:
			add(c.Name, nil, func(row int) float64 { return c.Value(f.words.Row(row)[c.place]) })
		}
	}
	if err := memory.Ask(8*float64(f.Rows)*float64(len(of)), "the predictions"); err != nil {
		return nil, err
	}
	x := make([]byte, 0, 8*f.Rows*len(of))
	for row := range f.Rows {
		for _, value := range of {
			x = binary.LittleEndian.AppendUint64(x, math.Float64bits(value(row)))
		}
	}
	d.Notes = f.leftOut()
	d.Test = &data.Features{Marks: m, Dims: data.Shape{C: len(of), H: 1, W: 1}, Size: 8,
		Data: x, Decode: data.Decode64}
	return d, nil
}
