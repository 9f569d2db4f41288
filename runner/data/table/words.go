package table

import (
	"math"
	"slices"
	"strconv"
	"unsafe"

	"drolab/runner/data"
)

// words holds the cells of a table while it is read, a word each. The column of a word knows its
// meaning.
//
// The rows lie in blocks, and a block whose rows have become features is used again for further
// features: a table needs about as much memory as its features. BenchmarkTableMemory (runner/data)
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
	cells []uint32) error) (*data.RowBlocks, error) {
	size := max(data.BlockWords, c.Width)
	out := &data.RowBlocks{Width: width, Per: max(1, size/max(1, width))}
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

// The word of a number is a decimal of up to eight digits, exactly as the text has it: the sign,
// the number of decimals and the digits. The word of any other number is its place in a list,
// marked by a number of decimals that is not possible, inList.
const (
	signBit    = 1 << 31
	digitsBits = 27
	digitsMask = 1<<digitsBits - 1
	inList     = 15
	noNumber   = inList<<digitsBits | digitsMask // a missing number
)

var powers = [inList]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12,
	1e13, 1e14}

// decimalWord returns the word of a text like -12.34; ok is false for a text with more digits or in
// another form.
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

// decimalOf returns the number that the word of a decimal stands for. Digits and power are exact,
// so the result is the float64 nearest to the text, as from strconv.
func decimalOf(word uint32) float64 {
	v := float64(word&digitsMask) / powers[word>>digitsBits&inList]
	if word&signBit != 0 {
		return -v
	}
	return v
}

// number reads a cell that is not missing; ok is false if the cell is not a number.
func number(cell string) (v float64, ok bool) {
	if w, ok := decimalWord(cell); ok {
		return decimalOf(w), true
	}
	v, err := strconv.ParseFloat(cell, 64)
	return v, err == nil || math.IsInf(v, 0)
}

// sample returns the rows that the sampler took, with the roles of the columns and the numbers of
// repeated rows.
func (f *Frame) sample(s *data.Splits, m *data.Marks) *data.Sample {
	out := f.sampler.Sample(s, m.Label)
	if out == nil {
		return nil
	}
	for i := range out.Columns {
		role := &out.Columns[i].Role
		if c := f.columns[i]; c != nil {
			out.Columns[i].Forms, out.Columns[i].Declared = c.forms(), c.declared
		}
		switch {
		case i == f.label:
			*role = data.AsLabel
		case i == f.split:
			*role = data.AsSplit
		case f.textual(i):
			*role = data.AsGroup
		case f.isKey(i):
			*role = data.AsKey
		case f.columns[i] == nil:
			*role = data.LeftOut
		}
	}
	f.repeated(out, s)
	out.SharedIDs, out.GivenSplits = f.sharedIDs(s), f.split >= 0 || f.Options["test"] != ""
	return out
}

// mostHashes bounds the test rows that are looked for among the training rows.
const mostHashes = 1 << 16

// repeated counts the test rows that are training rows too. Of many test rows it takes those whose
// hash is a multiple of out.Every, so that equal rows of both splits are taken alike.
func (f *Frame) repeated(out *data.Sample, s *data.Splits) {
	out.Every = 1 + len(s.Test)/mostHashes
	every := uint64(out.Every)
	test := map[uint64]int{}
	for _, row := range s.Test {
		if h := f.hash(row); h%every == 0 {
			out.Test++
			test[h]++
		}
	}
	own := 1 + uint64(len(s.Train)/mostHashes)
	blocks := slices.Collect(slices.Chunk(s.Train, 1<<14))
	found := make([][2][]uint64, len(blocks)) // of test rows, and of training rows
	data.OnEveryCore(len(found), func(i int) {
		for _, row := range blocks[i] {
			h := f.hash(row)
			if h%every == 0 && test[h] > 0 {
				found[i][0] = append(found[i][0], h)
			}
			if h%own == 0 {
				found[i][1] = append(found[i][1], h)
			}
		}
	})
	train, rows, twice := map[uint64]int{}, 0, 0
	for _, list := range found {
		for _, h := range list[0] {
			out.Repeated += test[h]
			test[h] = 0
		}
		for _, h := range list[1] {
			train[h]++
			rows++
		}
	}
	for _, n := range train {
		if n > 1 {
			twice += n
		}
	}
	out.Twice = float64(twice) / float64(max(1, rows))
}

// hash returns a hash of all cells of a row except its split: FNV-1a by words, mixed at the end.
func (f *Frame) hash(row uint32) uint64 {
	const prime = 1099511628211
	h := uint64(14695981039346656037)
	cells := f.words.Row(int(row))
	for i, c := range f.columns {
		if c == nil || i == f.split {
			continue
		}
		word := uint64(cells[c.place])
		if c.Dict == nil { // the same number may be several words
			word = math.Float64bits(c.Value(cells[c.place]))
		}
		h = (h ^ word) * prime
		h ^= h >> 29
	}
	return h ^ h>>32
}
