package table

import (
	"unsafe"

	"drolab/runner/data"
)

// words holds the cells of a table while it is read, a word each. The column of a word knows its
// meaning.
//
// The rows lie in blocks, and a block whose rows have become features is used again for further
// features: a table needs about as much memory as its features. BenchmarkTableMemory (source)
// measures 5.5 to 6.1 bytes a number while a table of 400 000 rows and 15 columns is opened, 4 of
// them the features (2026-11-23). With float64 cells it would be at least 12 bytes, 8 for the cell
// and 4 for the feature, since scales are known only when all is read. The largest table that fits
// a machine would then be half as large.
type words struct {
	data.Rows[uint32]
	rows int
}

func NewWords(columns int) *words {
	per := max(1, data.BlockWords/max(1, columns))
	return &words{Rows: data.Rows[uint32]{Width: columns, Per: per}}
}

// Next adds a row and returns it.
func (c *words) Next() []uint32 {
	if c.rows == len(c.Blocks)*c.Per {
		c.Blocks = append(c.Blocks, make([]uint32, max(data.BlockWords, c.Width)))
	}
	c.rows++
	return c.Row(c.rows - 1)
}

// Features encodes all rows, in their order, as rows of float32, and frees the cells.
func (c *words) Features(width int, encode func(dst []float32,
	cells []uint32) error) (*data.Rows[float32], error) {
	size := max(data.BlockWords, c.Width)
	out := &data.Rows[float32]{Width: width, Per: max(1, size/max(1, width))}
	var free [][]float32
	for i := range c.rows {
		if i%out.Per == 0 {
			if len(free) == 0 || len(free[0]) < width {
				free = [][]float32{make([]float32, max(size, width))}
			}
			out.Blocks, free = append(out.Blocks, free[0]), free[1:]
		}
		if err := encode(out.Row(i), c.Row(i)); err != nil {
			return nil, err
		}
		if at := i / c.Per; i%c.Per == c.Per-1 {
			free = append(free, floats(c.Blocks[at]))
			c.Blocks[at] = nil
		}
	}
	c.Blocks = nil
	return out, nil
}

// floats returns the same memory for other numbers; nobody reads the words in it any more.
func floats(words []uint32) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(words))), len(words))
}
