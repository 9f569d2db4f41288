package export

import (
	"archive/zip"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

func npzFormat() Format {
	return Format{Name: "npz", Doc: "an array a column, as numpy.load reads", Write: writeNPZ}
}

// writeNPZ writes a column whose cells are all numbers as float64, an empty cell as NaN, and other
// columns as text.
func writeNPZ(w io.Writer, s *Sheet) error {
	columns := make([][]string, len(s.Head))
	for row := range s.Rows {
		for i, cell := range row {
			columns[i] = append(columns[i], cell)
		}
	}
	z := zip.NewWriter(w)
	for i, name := range s.Head {
		// A slash in a name would make folders of it.
		plain := strings.ReplaceAll(name, "/", "_")
		file, err := z.CreateHeader(&zip.FileHeader{Name: plain + ".npy"})
		if err == nil {
			err = writeNPY(file, columns[i])
		}
		if err != nil {
			return err
		}
	}
	return z.Close()
}

// writeNPY writes an array in NumPy's format, version 1: see numpy.lib.format.
func writeNPY(w io.Writer, cells []string) error {
	kind, values := "<f8", make([]byte, 0, 8*len(cells))
	for _, c := range cells {
		v, err := strconv.ParseFloat(c, 64)
		if c == "" {
			v, err = math.NaN(), nil
		}
		if err != nil {
			kind, values = text(cells)
			break
		}
		values = binary.LittleEndian.AppendUint64(values, math.Float64bits(v))
	}
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%d,), }",
		kind, len(cells))
	const before, align = 10, 64
	header += strings.Repeat(" ", align-1-(before+len(header))%align) + "\n"
	b := append([]byte("\x93NUMPY\x01\x00"), byte(len(header)), byte(len(header)>>8))
	_, err := w.Write(append(append(b, header...), values...))
	return err
}

// text gives cells as UTF-32 of one length.
func text(cells []string) (kind string, values []byte) {
	width := 1
	for _, c := range cells {
		width = max(width, len([]rune(c)))
	}
	values = make([]byte, 4*width*len(cells))
	for i, c := range cells {
		for j, r := range []rune(c) {
			binary.LittleEndian.PutUint32(values[4*(i*width+j):], uint32(r))
		}
	}
	return fmt.Sprintf("<U%d", width), values
}
