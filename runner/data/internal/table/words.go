package table

import (
	"math"
	"strconv"
	"unsafe"

	"drolab/runner/data/internal/dataset"
)

// words are the cells of a table while it is read, a word each: what it means, its column knows.
//
// The rows lie in blocks, and a block whose rows have become features is taken for further
// features: a table needs about as much memory as its features. BenchmarkTableMemory (runner/data)
// measures 5.5 to 6.1 bytes a number while a table of 400 000 rows and 15 columns is opened, 4 of
// them the features (2026-11-23). With cells of float64 it would be 12 at least, 8 of a cell and 4
// of its feature, since scales are known when all is read: tables of half the size would fit a
// machine.
type words struct {
	columns int // words a row
	per     int // rows a block
	rows    int
	blocks  [][]uint32
}

func NewWords(columns int) *words {
	return &words{columns: columns, per: max(1, dataset.BlockWords/max(1, columns))}
}

// Next is a further row.
func (c *words) Next() []uint32 {
	if c.rows == len(c.blocks)*c.per {
		c.blocks = append(c.blocks, make([]uint32, max(dataset.BlockWords, c.columns)))
	}
	c.rows++
	return c.Row(c.rows - 1)
}

func (c *words) Row(i int) []uint32 {
	at := i % c.per * c.columns
	return c.blocks[i/c.per][at : at+c.columns]
}

// Features makes rows of float32 of all rows, in their order, and lets go of the cells.
func (c *words) Features(width int, encode func(dst []float32,
	cells []uint32) error) (*dataset.RowBlocks, error) {
	out := &dataset.RowBlocks{Width: width, Per: max(1, max(dataset.BlockWords, c.columns)/max(1,
		width))}
	var free [][]float32
	for i := range c.rows {
		if i%out.Per == 0 {
			if len(free) == 0 || len(free[0]) < width {
				free = [][]float32{make([]float32, max(dataset.BlockWords, c.columns, width))}
			}
			out.Blocks, free = append(out.Blocks, free[0]), free[1:]
		}
		if err := encode(out.Row(i), c.Row(i)); err != nil {
			return nil, err
		}
		if at := i / c.per; i%c.per == c.per-1 {
			free = append(free, floats(c.blocks[at]))
			c.blocks[at] = nil
		}
	}
	c.blocks = nil
	return out, nil
}

// floats is the same memory for other numbers; what is in it, nobody reads any more.
func floats(words []uint32) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(words))), len(words))
}

// A number's word is a decimal of up to eight digits, exactly as the text has it: the sign, the
// number of decimals and the digits. Of others it is the place in a list; they have as many
// decimals as are not possible.
const (
	signBit    = 1 << 31
	digitsBits = 27
	digitsMask = 1<<digitsBits - 1
	inList     = 15
	noNumber   = inList<<digitsBits | digitsMask // where it is missing
)

var powers = [inList]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12,
	1e13, 1e14}

// decimalWord is the word of a text like -12.34; ok is false for what has more digits or another
// form.
func decimalWord(s string) (word uint32, ok bool) {
	i := 0
	if s != "" && s[0] == '-' {
		word, i = signBit, 1
	}
	digits, after, point := uint32(0), uint32(0), uint32(0)
	for begin := i; i < len(s); i++ {
		d := uint32(s[i]) - '0'
		switch {
		case d <= 9:
			if digits = 10*digits + d; digits > digitsMask {
				return 0, false
			}
			after += point
		case s[i] == '.' && point == 0 && i > begin:
			point = 1
		default:
			return 0, false
		}
	}
	if last := len(s) - 1; last < 0 || s[last]-'0' > 9 || after >= inList {
		return 0, false
	}
	return word | after<<digitsBits | digits, true
}

// decimalOf is the number that a decimal's word is: digits and power are exact, so that it is the
// float64 nearest to the text, as strconv has it.
func decimalOf(word uint32) float64 {
	v := float64(word&digitsMask) / powers[word>>digitsBits&inList]
	if word&signBit != 0 {
		return -v
	}
	return v
}

// number reads a cell that is not missing; ok is false where it is none.
func number(cell string) (v float64, ok bool) {
	if w, ok := decimalWord(cell); ok {
		return decimalOf(w), true
	}
	v, err := strconv.ParseFloat(cell, 64)
	return v, err == nil || math.IsInf(v, 0)
}
