package dataset

import (
	"math"
	"slices"
	"strings"
)

// Sample is some training rows of one's own files, evenly from all of them, with every column as it
// was written: what the data card looks at. A loader takes no part in it.
type Sample struct {
	Rows    int // of the training and validation split, of which these are some
	Columns []SampledColumn
	Held    []bool   // of each row: it is for validation
	Labels  []uint16 // of each row

	// Of the test rows, or those with a hash that is one in Every, so many are, but for the column
	// of splits, training rows too.
	Test, Repeated, Every int
	// Twice is the share of the training rows, or of those with such a hash, that there are twice.
	Twice float64
}

// Role is the use of a column.
type Role byte

const (
	AsFeature Role = iota
	AsLabel
	AsGroup
	AsSplit
	LeftOut // by drop=
)

// SampledColumn is a column of a Sample.
type SampledColumn struct {
	Name    string
	Role    Role
	Numbers []float64 // NaN where a cell is no number
	// Texts are the cells that are no numbers, "" for a missing one, each once; Codes are, of each
	// row, its place among them from 1, and 0 for a number. It is nil where all are numbers.
	Texts []string
	Codes []uint16
}

// Text is the cell of a row that is no number.
func (c *SampledColumn) Text(row int) (text string, ok bool) {
	if c.Codes == nil || c.Codes[row] == 0 {
		return "", false
	}
	return c.Texts[c.Codes[row]-1], true
}

// Key tells the values of a column apart.
func (c *SampledColumn) Key(row int) uint64 {
	if c.Codes != nil && c.Codes[row] > 0 {
		return math.MaxUint64 - uint64(c.Codes[row]) // no finite number
	}
	return math.Float64bits(c.Numbers[row] + 0) // −0 is 0
}

const (
	mostSampled  = 1 << 12 // rows
	leastSampled = 1 << 6
	mostCells    = mostColumns * leastSampled
	mostColumns  = 1 << 12
	mostText     = 64 // bytes of a cell
)

// Sampler takes every row of a stride, which doubles whenever there are too many.
type Sampler struct {
	Columns []SampledColumn
	Origin  []uint32 // of each row
	stride  int
	place   []map[string]uint16
}

// NewSampler is one of a table's columns; nil of too many.
func NewSampler(names []string) *Sampler {
	if len(names) > mostColumns {
		return nil
	}
	s := &Sampler{stride: 1, Columns: make([]SampledColumn, len(names)),
		place: make([]map[string]uint16, len(names))}
	for i, name := range names {
		s.Columns[i].Name = name
	}
	return s
}

// Wants says whether a row is one to take. The cells of the row come by Take.
func (s *Sampler) Wants(row int) bool { return s != nil && row%s.stride == 0 }

// Take takes a row; number reads a cell.
func (s *Sampler) Take(row int, cells []string, number func(string) (float64, bool)) {
	most := min(mostSampled, mostCells/len(s.Columns))
	if len(s.Origin) >= most {
		s.thin()
		if !s.Wants(row) {
			return
		}
	}
	s.Origin = append(s.Origin, uint32(row))
	for i := range s.Columns {
		s.add(i, cells[i], number)
	}
}

func (s *Sampler) add(column int, cell string, number func(string) (float64, bool)) {
	c := &s.Columns[column]
	v, ok := number(cell)
	if ok = ok && !math.IsInf(v, 0) && v == v; !ok {
		v = math.NaN()
	}
	c.Numbers = append(c.Numbers, v)
	if ok && c.Codes == nil {
		return
	}
	if c.Codes == nil {
		c.Codes, s.place[column] = make([]uint16, len(c.Numbers)-1), map[string]uint16{}
	}
	code := uint16(0)
	if !ok {
		cell = strings.ToValidUTF8(cell[:min(len(cell), mostText)], "")
		if code = s.place[column][cell]; code == 0 {
			c.Texts = append(c.Texts, strings.Clone(cell))
			code = uint16(len(c.Texts))
			s.place[column][c.Texts[code-1]] = code
		}
	}
	c.Codes = append(c.Codes, code)
}

// thin lets go of every other row, and of texts that are of none any more.
func (s *Sampler) thin() {
	s.stride *= 2
	s.Origin = everyOther(s.Origin)
	for i := range s.Columns {
		c := &s.Columns[i]
		c.Numbers, c.Codes = everyOther(c.Numbers), everyOther(c.Codes)
		texts := c.Texts
		c.Texts = nil
		clear(s.place[i])
		for row, code := range c.Codes {
			if code == 0 {
				continue
			}
			text := texts[code-1]
			if s.place[i][text] == 0 {
				c.Texts = append(c.Texts, text)
				s.place[i][text] = uint16(len(c.Texts))
			}
			c.Codes[row] = s.place[i][text]
		}
	}
}

func everyOther[T any](list []T) []T {
	for i := 0; 2*i < len(list); i++ {
		list[i] = list[2*i]
	}
	return list[:(len(list)+1)/2]
}

// Sample gives the rows that are not of the test split. Those that nothing is fitted to are held.
func (s *Sampler) Sample(of *Splits, fit []uint32, label func(row int) int) *Sample {
	if s == nil {
		return nil
	}
	out := &Sample{Rows: len(of.Train) + len(of.val), Columns: s.Columns}
	among := func(list []uint32, row uint32) bool {
		_, found := slices.BinarySearch(list, row)
		return found
	}
	var kept []int
	for i, row := range s.Origin {
		if !among(of.Train, row) && !among(of.val, row) {
			continue
		}
		kept = append(kept, i)
		out.Held = append(out.Held, !among(fit, row))
		out.Labels = append(out.Labels, uint16(label(int(row))))
	}
	for i := range out.Columns {
		c := &out.Columns[i]
		c.Numbers, c.Codes = picked(c.Numbers, kept), picked(c.Codes, kept)
	}
	return out
}

func picked[T any](list []T, places []int) []T {
	if list == nil {
		return nil
	}
	out := make([]T, len(places))
	for i, at := range places {
		out[i] = list[at]
	}
	return out
}
