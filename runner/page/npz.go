package page

import (
	"archive/zip"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// writeNPZ writes a column whose cells are all numbers as float64, an empty cell as NaN, and other
// columns as text.
func writeNPZ(w io.Writer, t *Table) error {
	columns := make([][]string, len(t.Columns))
	for row := range t.All() {
		for i, cell := range row {
			columns[i] = append(columns[i], cell)
		}
	}
	var list []Array
	for i, name := range t.Heads() {
		list = append(list, Array{name, numbersOrCells(columns[i])})
	}
	return writeArrays(w, list)
}

// numbersOrCells returns the values of the cells, or the cells themselves if one is not a number.
func numbersOrCells(cells []string) any {
	values := make([]float64, len(cells))
	for i, c := range cells {
		v, err := strconv.ParseFloat(c, 64)
		if c == "" {
			v, err = math.NaN(), nil
		}
		if err != nil {
			return cells
		}
		values[i] = v
	}
	return values
}

// Array is an array of an NPZ file: []string, []int64, []float64, or [][]float32 whose rows
// are equally long.
type Array struct {
	Name   string
	Values any
}

// WriteArrays writes an NPZ file of that path, which must be free.
func WriteArrays(path string, list []Array) error {
	return NewFile(path, func(w io.Writer) error { return writeArrays(w, list) })
}

func writeArrays(w io.Writer, list []Array) error {
	z := zip.NewWriter(w)
	for _, a := range list {
		// A slash in a name would make folders of it.
		plain := strings.ReplaceAll(a.Name, "/", "_")
		file, err := z.CreateHeader(&zip.FileHeader{Name: plain + ".npy"})
		if err == nil {
			err = a.write(file)
		}
		if err != nil {
			return err
		}
	}
	return z.Close()
}

// write writes an array in NumPy's format, version 1: see numpy.lib.format.
func (a *Array) write(w io.Writer) error {
	switch v := a.Values.(type) {
	case []string:
		kind, runes := utf32(v)
		return writeNPY(w, kind, fmt.Sprintf("%d,", len(v)), runes)
	case []int64:
		return writeNPY(w, "<i8", fmt.Sprintf("%d,", len(v)), v)
	case []float64:
		return writeNPY(w, "<f8", fmt.Sprintf("%d,", len(v)), v)
	case [][]float32:
		if err := writeNPY(w, "<f4", fmt.Sprintf("%d, %d", len(v), len(v[0])), nil); err != nil {
			return err
		}
		for _, row := range v {
			if err := binary.Write(w, binary.LittleEndian, row); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("array %s has values of %T", a.Name, a.Values)
}

func writeNPY(w io.Writer, kind, shape string, values any) error {
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", kind, shape)
	const before, align = 10, 64
	header += strings.Repeat(" ", align-1-(before+len(header))%align) + "\n"
	b := append([]byte("\x93NUMPY\x01\x00"), byte(len(header)), byte(len(header)>>8))
	if _, err := w.Write(append(b, header...)); err != nil || values == nil {
		return err
	}
	return binary.Write(w, binary.LittleEndian, values)
}

// utf32 returns the cells as UTF-32 strings of one length, and NumPy's name of that type.
func utf32(cells []string) (kind string, values []rune) {
	width := 1
	for _, c := range cells {
		width = max(width, len([]rune(c)))
	}
	values = make([]rune, width*len(cells))
	for i, c := range cells {
		copy(values[i*width:], []rune(c))
	}
	return fmt.Sprintf("<U%d", width), values
}
