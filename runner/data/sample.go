package data

import (
	"math"
	"slices"
	"strings"

	"drolab/runner/lists"
)

// Sample is a sample of the training rows of the user's own files, evenly spaced, with every column
// as it was written. The data card looks at it; a loader does not use it.
type Sample struct {
	Rows    int // the number of training and validation rows, from which these are taken
	Columns []Sampled
	Labels  []uint16 // of each row

	// Test counts the test rows whose hash is a multiple of Every; if Every is 1, these are all
	// test rows. Repeated counts those of them that, apart from the column of splits, are training
	// rows too.
	Test, Repeated, Every int
	// Twice is the share of the training rows that occur more than once. Of many rows, only those
	// whose hash is a multiple of some number are examined.
	Twice float64

	// SharedIDs are the columns that are named as identifiers are and are not in split_by=.
	SharedIDs []SharedID
	// GivenSplits says that the files say what is the test split, so that none is drawn.
	GivenSplits bool
}

// SharedID counts the rows of a column of identifiers.
type SharedID struct {
	Column  string
	Person  bool // the name is one for people, such as patient
	Dropped bool // the column is no feature
	Rows    int  // all rows
	Values  int  // the number of different identifiers
	Test    int  // the test rows that have an identifier
	Shared  int  // those of them whose identifier training or validation rows have, too
}

// Role is the use of a column.
type Role byte

const (
	AsFeature Role = iota
	AsLabel
	AsGroup
	AsSplit
	AsKey   // of split_by=, and no feature
	LeftOut // by drop=
)

// Sampled is a column of a Sample.
type Sampled struct {
	Name    string
	Role    Role
	Numbers []float64 // NaN where a cell is not a number
	// Texts are the different cells that are not numbers, "" for a missing one. Codes has for each
	// row the place of its cell in Texts, from 1, or 0 for a number. It is nil if all cells are
	// numbers.
	Texts []string
	Codes []uint16
	// Forms are two values of a column of categories that are one number, as 1 and 1.0; "": there
	// are none. Numbers does not tell them apart.
	Forms [2]string
	// Declared is the option that says what the values are, categorical or numeric; "": none does.
	Declared string
}

// Text returns the cell of a row; ok is false if the cell is a number.
func (c *Sampled) Text(row int) (text string, ok bool) {
	if c.Codes == nil || c.Codes[row] == 0 {
		return "", false
	}
	return c.Texts[c.Codes[row]-1], true
}

// Key returns a key of the value in a row: two rows have the same key only if they have the same
// value.
func (c *Sampled) Key(row int) uint64 {
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

// Sampler takes every stride-th row of a table. The stride doubles whenever there are too many
// rows.
type Sampler struct {
	Origin []uint32 // of each row
	stride int
	names  []string
	cells  [][]sampledCell // by column
}

// sampledCell is a number or, if that is NaN, a text.
type sampledCell struct {
	number float64
	text   string
}

// NewSampler returns a Sampler for a table with these columns, or nil if there are too many.
func NewSampler(names []string) *Sampler {
	if len(names) > mostColumns {
		return nil
	}
	return &Sampler{stride: 1, names: names, cells: make([][]sampledCell, len(names))}
}

// Wants reports whether a row is one to take. If so, the caller passes its cells to Add.
func (s *Sampler) Wants(row int) bool { return s != nil && row%s.stride == 0 }

// Add takes a row. number parses a cell, and reports whether it is a number.
func (s *Sampler) Add(row int, cells []string, number func(string) (float64, bool)) {
	most := min(mostSampled, mostCells/len(s.names))
	if len(s.Origin) >= most {
		s.stride *= 2
		s.Origin = everyOther(s.Origin)
		for i := range s.cells {
			s.cells[i] = everyOther(s.cells[i])
		}
		if !s.Wants(row) {
			return
		}
	}
	s.Origin = append(s.Origin, uint32(row))
	for i, cell := range cells {
		v, ok := number(cell)
		c := sampledCell{number: v}
		if !ok || math.IsInf(v, 0) || math.IsNaN(v) {
			text := strings.ToValidUTF8(cell[:min(len(cell), mostText)], "")
			c = sampledCell{math.NaN(), strings.Clone(text)}
		}
		s.cells[i] = append(s.cells[i], c)
	}
}

func everyOther[T any](list []T) []T {
	for i := 0; 2*i < len(list); i++ {
		list[i] = list[2*i]
	}
	clear(list[(len(list)+1)/2:])
	return list[:(len(list)+1)/2]
}

// Column returns a column of the rows at these places among the rows taken. Its Texts are those of
// all rows taken.
func (s *Sampler) Column(column int, places []int) Sampled {
	cells := s.cells[column]
	c := Sampled{Name: s.names[column], Numbers: make([]float64, len(cells))}
	codes := map[string]uint16{}
	for row, cell := range cells {
		c.Numbers[row] = cell.number
		if !math.IsNaN(cell.number) {
			continue
		}
		if c.Codes == nil {
			c.Codes = make([]uint16, len(cells))
		}
		if codes[cell.text] == 0 {
			c.Texts = append(c.Texts, cell.text)
			codes[cell.text] = uint16(len(c.Texts))
		}
		c.Codes[row] = codes[cell.text]
	}
	c.Numbers, c.Codes = lists.At(c.Numbers, places), lists.At(c.Codes, places)
	return c
}

// Sample returns the rows that are not in the test split.
func (s *Sampler) Sample(of *Splits, label func(row int) int) *Sample {
	if s == nil {
		return nil
	}
	out := &Sample{Rows: len(of.Train) + len(of.val)}
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
		out.Labels = append(out.Labels, uint16(label(int(row))))
	}
	for i := range s.names {
		out.Columns = append(out.Columns, s.Column(i, kept))
	}
	return out
}
